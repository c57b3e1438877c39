// Peterson's lock for two threads: say that you want to enter, let the other go first, and wait
// while the other wants to enter and it is not your turn. With -DNO_TURN it is forgotten to look at
// the turn and both may wait for ever; with -DLATE_FLAG the order of the first two steps is wrong
// and both may enter. (Correct under sequential consistency, whatever the C memory order; a real
// x86 processor needs the seq_cst order that plain C atomics have.)
//
// check: => verified
// check: -DROUNDS=2 => verified; skip O0+reduce=none
// check: -DORDER=memory_order_relaxed => verified
// check: -DLATE_FLAG => error assertion
// check: -DNO_TURN => error livelock
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif
#define load(a) atomic_load_explicit(a, ORDER)
#define store(a, value) atomic_store_explicit(a, value, ORDER)

static atomic_int wants[2], turn, inside;

static void lock(int me)
{
    int other = 1 - me;
#ifdef LATE_FLAG
    store(&turn, other);
    store(&wants[me], 1);
#else
    store(&wants[me], 1);
    store(&turn, other);
#endif
#ifdef NO_TURN
    while (load(&wants[other]))
        ;
#else
    while (load(&wants[other]) && load(&turn) == other)
        ;
#endif
}

static void unlock(int me)
{
    store(&wants[me], 0);
}

static void *worker(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        lock(me);
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
