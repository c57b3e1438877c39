//@ threads: yes
// Mutexes of all kinds.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, checking, recursive;
static long counter, guarded;

static void *add(void *n) {
    for (long i = 0; i < (long)n; i++) {
        pthread_mutex_lock(&plain);
        counter += i;
        pthread_mutex_unlock(&plain);
        if (i % 3 == 0)
            while (pthread_mutex_trylock(&recursive))
                ;
        else
            pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&recursive);
        guarded++;
        pthread_mutex_unlock(&recursive), pthread_mutex_unlock(&recursive);
    }
    return NULL;
}
static void *probe(void *unused) {
    long a = pthread_mutex_trylock(&checking), b = pthread_mutex_unlock(&checking);
    return (void *)((a == EBUSY) + 2L * (b == EPERM));
}

int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    pthread_mutexattr_destroy(&kind);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, add, (void *)300L);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld\n", counter, guarded);
    printf("%d ", pthread_mutex_lock(&checking));
    printf("%d ", pthread_mutex_lock(&checking) == EDEADLK);
    void *result;
    pthread_create(&threads[0], NULL, probe, NULL);
    pthread_join(threads[0], &result);
    printf("%ld ", (long)result);
    printf("%d ", pthread_mutex_unlock(&checking));
    printf("%d\n", pthread_mutex_unlock(&checking) == EPERM);
    pthread_mutex_lock(&recursive), pthread_mutex_lock(&recursive);
    printf("%d %d ", pthread_mutex_unlock(&recursive), pthread_mutex_unlock(&recursive));
    printf("%d\n", pthread_mutex_unlock(&recursive) == EPERM);
    printf("%d %d\n", pthread_mutex_destroy(&checking), pthread_mutex_destroy(&recursive));
    pthread_spinlock_t spin;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    printf("%d ", pthread_spin_lock(&spin));
    printf("%d ", pthread_spin_trylock(&spin) == EBUSY);
    printf("%d ", pthread_spin_unlock(&spin));
    printf("%d\n", pthread_spin_destroy(&spin));
    return 0;
}
