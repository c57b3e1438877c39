//@ threads: yes
// Semaphores: ping-pong, a bounded pool, timed waits; detached threads.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static sem_t ping, pong, pool, finished;
static int inside, most;
static char track[64];
static int at;

static void *answer(void *unused) {
    for (int i = 0; i < 10; i++) {
        sem_wait(&ping);
        track[at++] = 'o';
        sem_post(&pong);
    }
    return NULL;
}
static void *visitor(void *unused) {
    sem_wait(&pool);
    int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    int seen = __atomic_load_n(&most, __ATOMIC_SEQ_CST);
    while (seen < now && !__atomic_compare_exchange_n(&most, &seen, now, 0, 5, 5))
        ;
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    sem_post(&pool), sem_post(&finished);
    return NULL;
}

int main(void) {
    sem_init(&ping, 0, 0), sem_init(&pong, 0, 0), sem_init(&pool, 0, 3), sem_init(&finished, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < 10; i++) {
        track[at++] = 'i';
        sem_post(&ping), sem_wait(&pong);
    }
    pthread_join(thread, NULL);
    puts(track);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 30; i++) {
        pthread_create(&thread, i % 2 ? &detached : NULL, visitor, NULL);
        if (i % 2 == 0)
            pthread_detach(thread);
    }
    for (int i = 0; i < 30; i++)
        sem_wait(&finished);
    int value;
    sem_getvalue(&pool, &value);
    printf("%d %d\n", most >= 1 && most <= 3, value);
    int result = sem_trywait(&ping);
    printf("%d %d\n", result, errno == EAGAIN);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    printf("%d ", sem_timedwait(&ping, &until));
    printf("%d\n", errno == ETIMEDOUT);
    return sem_destroy(&ping);
}
