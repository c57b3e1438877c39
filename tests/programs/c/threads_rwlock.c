//@ threads: yes
// Readers and writers: no reader sees a half-written pair.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long a, b, torn;

static void *reader(void *unused) {
    for (int i = 0; i < 200; i++) {
        pthread_rwlock_rdlock(&lock);
        if (a != b)
            __atomic_fetch_add(&torn, 1, __ATOMIC_SEQ_CST);
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}
static void *writer(void *unused) {
    for (int i = 0; i < 200; i++) {
        pthread_rwlock_wrlock(&lock);
        a++, b++;
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}
static void *probe(void *unused) {
    long read = pthread_rwlock_tryrdlock(&lock);
    if (!read)
        pthread_rwlock_unlock(&lock);
    long write = pthread_rwlock_trywrlock(&lock);
    return (void *)((read == EBUSY) * 10 + (write == EBUSY));
}
static long probed(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, probe, NULL);
    pthread_join(thread, &result);
    return (long)result;
}

int main(void) {
    pthread_t threads[6];
    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], NULL, i % 3 ? reader : writer, NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld %ld\n", a, b, torn);
    pthread_rwlock_rdlock(&lock);
    printf("%ld\n", probed());
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    printf("%ld\n", probed());
    pthread_rwlock_unlock(&lock);
    printf("%d\n", pthread_rwlock_destroy(&lock));
    return 0;
}
