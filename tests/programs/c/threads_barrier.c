//@ threads: yes
// Barriers in rounds, pthread_once, thread-specific data with destructors.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 6, ROUNDS = 20 };
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int cells[THREADS], initialised, serial, mismatches, destroyed;

static void gone(void *value) { __atomic_fetch_add(&destroyed, (int)(long)value, __ATOMIC_SEQ_CST); }
static void initialise(void) { initialised++, pthread_key_create(&key, gone); }

static void *work(void *argument) {
    long id = (long)argument;
    pthread_once(&once, initialise);
    pthread_setspecific(key, (void *)(id + 1));
    for (int round = 0; round < ROUNDS; round++) {
        cells[id] = round;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
        for (int i = 0; i < THREADS; i++)
            if (cells[i] != round)
                __atomic_fetch_add(&mismatches, 1, __ATOMIC_SEQ_CST);
        pthread_barrier_wait(&barrier);
    }
    return pthread_getspecific(key);
}

int main(void) {
    pthread_t threads[THREADS];
    long sum = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *value;
        pthread_join(threads[i], &value);
        sum += (long)value;
    }
    printf("%d %d %d %ld %d\n", initialised, serial, mismatches, sum, destroyed);
    printf("%d %d\n", pthread_barrier_destroy(&barrier), pthread_getspecific(key) == NULL);
    printf("%d\n", pthread_key_delete(key));
    return 0;
}
