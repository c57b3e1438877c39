// Lamport's bakery: draw a number greater than all others, wait until yours is the smallest. Two may
// draw the same number; then the order of the threads decides. A thread that is still choosing has to
// be waited for: with -DNO_CHOOSING that is left out, and with -DNO_TIE nobody breaks ties.
//
// check: => verified; skip O0+reduce=none
// check: -DNO_CHOOSING => error assertion
// check: -DNO_TIE => error assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int choosing[N], number[N], inside;

// Whether the other thread is served before this one.
static int before(int other, int me)
{
    int theirs = number[other], mine = number[me];
#ifdef NO_TIE
    return theirs != 0 && theirs < mine;
#else
    return theirs != 0 && (theirs < mine || (theirs == mine && other < me));
#endif
}

static void lock(int me)
{
    int greatest = 0;
    choosing[me] = 1;
    for (int i = 0; i < N; i++) {
        int seen = number[i];
        if (greatest < seen)
            greatest = seen;
    }
    number[me] = greatest + 1;
    choosing[me] = 0;
    for (int i = 0; i < N; i++) {
#ifndef NO_CHOOSING
        while (choosing[i])
            ;
#endif
        while (i != me && before(i, me))
            ;
    }
}

static void unlock(int me)
{
    number[me] = 0;
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
