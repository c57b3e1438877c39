//@ threads: yes
//@ not: musl
// Robust and priority-inheriting mutexes: owners that die, states that cannot be recovered.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t make(int type, int robust, int protocol) {
    pthread_mutex_t made;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutexattr_setrobust(&attr, robust);
    pthread_mutexattr_setprotocol(&attr, protocol);
    pthread_mutex_init(&made, &attr);
    return made;
}

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static long counter;
static int go;

static void *dies(void *unused) { return pthread_mutex_lock(&mutex), unused; }
static void *adds(void *unused) {
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}
static void *waits(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!go)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void run(void *(*body)(void *), int count) {
    pthread_t threads[4];
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, body, NULL);
    if (body == waits) {
        pthread_mutex_lock(&mutex);
        go = 1;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

int main(void) {
    struct timespec past = {1, 0};
    int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};
    for (int p = 0; p < 2; p++) {
        for (int type = 0; type < 3; type++) {
            mutex = make(type, PTHREAD_MUTEX_ROBUST, protocols[p]);
            counter = go = 0;
            run(adds, 4);
            run(waits, 3);
            printf("%ld\n", counter);
            run(dies, 1);
            printf("%d", pthread_mutex_trylock(&mutex) == EOWNERDEAD);
            printf(" %d %d\n", pthread_mutex_consistent(&mutex), pthread_mutex_unlock(&mutex));
            printf("%d", pthread_mutex_lock(&mutex));
            printf(" %d\n", pthread_mutex_timedlock(&mutex, &past));
            while (pthread_mutex_unlock(&mutex) == 0)
                ;
            run(dies, 1);
            printf("%d", pthread_mutex_lock(&mutex) == EOWNERDEAD);
            printf(" %d", pthread_mutex_unlock(&mutex));
            printf(" %d\n", pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
            pthread_mutex_destroy(&mutex);
        }
        mutex = make(0, PTHREAD_MUTEX_STALLED, protocols[p]);
        counter = go = 0;
        run(adds, 4);
        run(waits, 3);
        printf("%ld %d\n", counter, pthread_mutex_destroy(&mutex));
    }
    return 0;
}
