//@ threads: yes
// Producers and consumers over condition variables; broadcast; timed waits.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { CAPACITY = 4, ITEMS = 200, PRODUCERS = 3, CONSUMERS = 2 };
static int buffer[CAPACITY], used, head, closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *produce(void *id) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == CAPACITY)
            pthread_cond_wait(&not_full, &lock);
        buffer[(head + used++) % CAPACITY] = (int)(long)id * 1000 + i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
static void *consume(void *unused) {
    long sum = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!used && !closed)
            pthread_cond_wait(&not_empty, &lock);
        if (!used) {
            pthread_mutex_unlock(&lock);
            return (void *)sum;
        }
        sum += buffer[head], head = (head + 1) % CAPACITY, used--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
}

static int gate, passed;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static void *waiter(void *unused) {
    pthread_mutex_lock(&lock);
    while (!gate)
        pthread_cond_wait(&opened, &lock);
    passed++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[20];
    long total = 0;
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, produce, (void *)i);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&threads[PRODUCERS + i], NULL, consume, NULL);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < CONSUMERS; i++) {
        void *sum;
        pthread_join(threads[PRODUCERS + i], &sum);
        total += (long)sum;
    }
    printf("%ld %d\n", total, used);
    for (int i = 0; i < 20; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    gate = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 20; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", passed);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    if (until.tv_nsec >= 1000000000)
        until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&lock);
    int result;
    do
        result = pthread_cond_timedwait(&opened, &lock, &until);
    while (result == 0);
    printf("%d\n", result == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    printf("%d\n", pthread_cond_destroy(&opened));
    return 0;
}
