// Peterson's lock for N threads, the filter: N - 1 levels, and on each of them one thread is held back.
// Without the look at who came last (-DNO_VICTIM) threads on the same level wait for each other; with
// -DSHORT there is one level too few, and two get through.
//
// check: -DN=2 => verified; skip O0+reduce=none
// check: => verified; slow; skip reduce=none model=none
// check: -DSHORT -DN=3 => error assertion; skip O0+reduce=none O0+model=none
// check: -DNO_VICTIM -DN=2 => error livelock; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifdef SHORT
enum { LEVELS = N - 1 };
#else
enum { LEVELS = N };
#endif

static atomic_int level[N], last[N], inside;

// Whether another thread is on this level or above.
static int others(int me, int mine)
{
    for (int i = 0; i < N; i++)
        if (i != me && mine <= level[i])
            return 1;
    return 0;
}

static void lock(int me)
{
    for (int mine = 1; mine < LEVELS; mine++) {
        level[me] = mine;
        last[mine] = me;
#ifdef NO_VICTIM
        while (others(me, mine))
            ;
#else
        while (last[mine] == me && others(me, mine))
            ;
#endif
    }
}

static void unlock(int me)
{
    level[me] = 0;
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
