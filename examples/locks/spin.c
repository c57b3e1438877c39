// A test-and-set spin lock with back-off: who finds it taken only looks until it seems free, then tries
// again. With -DSPLIT the test and the set are two steps; with -DFORGET the last thread in keeps it, and
// the others spin for ever.
//
// check: => verified
// check: -DN=3 => verified; skip reduce=none model=none
// check: -DSPLIT => error assertion
// check: -DFORGET => error livelock
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int taken, inside;

static void lock(int me)
{
    (void)me;
    for (;;) {
#ifdef SPLIT
        if (!taken) {
            taken = 1;
            return;
        }
#else
        if (!atomic_exchange(&taken, 1))
            return;
#endif
        while (taken)
            sched_yield();
    }
}

static void unlock(int me)
{
#ifdef FORGET
    if (me == N - 1)
        return;
#endif
    (void)me;
    taken = 0;
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
