//@ shared: tlslib.c
//@ not: static static-pie musl
//@ threads: yes
// Thread-local variables of a shared library, used from several threads.
#include <pthread.h>
#include <stdio.h>

extern __thread int tls_counter;
int tls_bump(int by);
const char *tls_name(const char *set);
int tls_loads(void);

static void *work(void *argument) {
    long id = (long)argument;
    char name[16];
    snprintf(name, sizeof name, "thread-%ld", id);
    long before = tls_name(NULL)[0];
    tls_name(name);
    for (int i = 0; i < 10; i++)
        tls_bump((int)id);
    tls_counter++;
    return (void *)(tls_bump(0) * 1000L + before + tls_name(NULL)[7]);
}

int main(void) {
    pthread_t threads[5];
    tls_bump(1), tls_name("main");
    for (long i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 5; i++) {
        void *result;
        pthread_join(threads[i], &result);
        printf("%ld\n", (long)result);
    }
    printf("%d %s %d\n", tls_counter, tls_name(NULL), tls_loads());
    return 0;
}
