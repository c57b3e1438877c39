// The dining philosophers and what people do about them, chosen by WAY:
//   GREEDY:  each takes the left fork, then the right one: deadlock.
//   ORDERED: the fork with the lower number first.
//   BUTLER:  at most N - 1 sit at the table at a time.
//   MONITOR: both forks in one go, under a common lock.
//   POLITE:  who finds the right fork taken puts the left one back, and goes hungry after TRIES of that.
// -DBARRIER makes all of them start at once; ROUNDS is how often each eats; 0 stands for
// ever, when checked.
//
// check: -DWAY=GREEDY => error deadlock; skip O0+reduce=none model=none
// check: -DWAY=GREEDY -DBARRIER => error deadlock; skip O0+reduce=none model=none
// check: -DWAY=GREEDY -DROUNDS=0 => error deadlock; skip O0+reduce=none O0+model=none
// check: -DWAY=ORDERED => verified; skip reduce=none model=none
// check: -DWAY=ORDERED -DROUNDS=0 => verified; skip reduce=none model=none
// check: -DWAY=BUTLER => verified; slow; skip reduce=none model=none
// check: -DWAY=MONITOR => verified; skip reduce=none model=none
// check: -DWAY=POLITE => verified; skip reduce=none model=none
#include <pthread.h>
#include <semaphore.h>
#include "samovar.h"

enum { GREEDY, ORDERED, BUTLER, MONITOR, POLITE };

#ifndef WAY
#define WAY ORDERED
#endif
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef TRIES
#define TRIES 2
#endif

static pthread_mutex_t forks[N], table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t put_down = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start;
static int taken[N];
static sem_t chairs;

static void take_both(int left, int right)
{
    pthread_mutex_lock(&table);
    while (taken[left] || taken[right])
        pthread_cond_wait(&put_down, &table);
    taken[left] = taken[right] = 1;
    pthread_mutex_unlock(&table);
}

static void put_both(int left, int right)
{
    pthread_mutex_lock(&table);
    taken[left] = taken[right] = 0;
    pthread_cond_broadcast(&put_down);
    pthread_mutex_unlock(&table);
}

static void eat(int left, int right)
{
    if (WAY == MONITOR) {
        take_both(left, right);
        put_both(left, right);
        return;
    }
    if (WAY == BUTLER)
        sem_wait(&chairs);
    pthread_mutex_lock(&forks[left]);
    for (int tries = 1; WAY == POLITE && pthread_mutex_trylock(&forks[right]) != 0; tries++) {
        pthread_mutex_unlock(&forks[left]);
        if (tries == TRIES)
            return;
        pthread_mutex_lock(&forks[left]);
    }
    if (WAY != POLITE)
        pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    if (WAY == BUTLER)
        sem_post(&chairs);
}

static void *philosopher(void *argument)
{
    int left = (int)(long)argument, right = (left + 1) % N;
    if (WAY == ORDERED && right < left) {
        right = left;
        left = 0;
    }
#ifdef BARRIER
    pthread_barrier_wait(&start);
#endif
    for (int i = 0; i < ROUNDS || (!ROUNDS && samovar_present()); i += ROUNDS != 0) {
        eat(left, right);
        samovar_progress();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    sem_init(&chairs, 0, N - 1);
    pthread_barrier_init(&start, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
