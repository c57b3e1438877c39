// Two threads hand a value to and fro with atomic flags. With -DEARLY the flag is raised before the
// value is written. With -DSAME each waits for the other to begin.
//
// check: => verified
// check: -DROUNDS=3 => verified
// check: -DEARLY => error assertion; tiny
// check: -DSAME => error livelock; tiny
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 2
#endif

static atomic_int turn, value;

static void pass(int to, int what)
{
#ifdef EARLY
    turn = to;
    value = what;
#else
    value = what;
    turn = to;
#endif
}

static void *partner(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (turn != 1)
            ;
        assert(value == 2 * i + 1);
        pass(0, 2 * i + 2);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, partner, NULL);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef SAME
        while (turn != 2)
            ;
#endif
        pass(1, 2 * i + 1);
        while (turn != 0)
            ;
        assert(value == 2 * i + 2);
    }
    pthread_join(thread, NULL);
    return 0;
}
