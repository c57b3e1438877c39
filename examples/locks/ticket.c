// A ticket lock: take a number, wait until it is served. With -DSPLIT taking a number is a load and a
// store, and two threads get the same one: both enter, or one waits for ever. With -DDOUBLE the
// unlocking thread serves two at once.
//
// check: => verified
// check: -DROUNDS=2 => verified; skip O0+reduce=none
// check: -DSPLIT => error assertion|livelock
// check: -DDOUBLE -DN=3 => error assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_uint next_ticket, served, inside;

static void lock(int me)
{
    (void)me;
#ifdef SPLIT
    unsigned mine = next_ticket;
    next_ticket = mine + 1;
#else
    unsigned mine = next_ticket++;
#endif
#ifdef DOUBLE
    while (served < mine)
#else
    while (served != mine)
#endif
        ;
}

static void unlock(int me)
{
    (void)me;
#ifdef DOUBLE
    served += 2;
#else
    served++;
#endif
}

static void *worker(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock((int)(long)argument);
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        unlock((int)(long)argument);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
