// Dekker's algorithm, the first correct lock for two threads made of loads and stores alone.
//   CORE:  only its heart: raise the flag, look at the other's, enter if it is down. Nobody waits, both
//          may be turned away, but both never enter.
//   EARLY: the look comes before the flag is raised, and both enter.
//   STUBBORN: nobody lowers the flag when it is the other's turn: both may wait for ever.
// (An x86 processor delays stores: there it takes the seq_cst order that plain C atomics have.)
//
// check: => verified; skip O0+reduce=none
// check: -DROUNDS=2 => verified; skip O0+reduce=none O0+model=none
// check: -DCORE => verified; skip O0+reduce=none
// check: -DCORE -DORDER=memory_order_relaxed => verified; skip O0+reduce=none
// check: -DEARLY => error assertion
// check: -DSTUBBORN => error livelock; skip O0+reduce=none
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

#if defined(CORE)
static int enter(int me)
{
    store(&wants[me], 1);
    return !load(&wants[1 - me]);
}
#elif defined(EARLY)
static int enter(int me)
{
    int taken = load(&wants[1 - me]);
    store(&wants[me], 1);
    return !taken;
}
#else
static int enter(int me)
{
    int other = 1 - me;
    store(&wants[me], 1);
    while (load(&wants[other])) {
#ifndef STUBBORN
        if (load(&turn) == other) {
            store(&wants[me], 0);
            while (load(&turn) == other)
                ;
            store(&wants[me], 1);
        }
#endif
    }
    return 1;
}
#endif

static void *worker(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        if (enter(me)) {
            assert(atomic_fetch_add(&inside, 1) == 0);
            atomic_fetch_sub(&inside, 1);
        }
        store(&turn, 1 - me);
        store(&wants[me], 0);
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
