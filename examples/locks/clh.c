// The queue lock of Craig, Landin and Hagersten: everybody waits for the node of the one before and
// takes that node over for the next time. With -DKEEP a thread uses its own node again, while the next
// one may still be waiting for it, and the two wait for each other.
//
// check: -DROUNDS=2 => verified; skip O0+reduce=none O0+model=none
// check: => verified; skip O0+reduce=none
// check: -DKEEP -DROUNDS=2 => error livelock; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

struct node {
    atomic_int busy;
};

static struct node nodes[N + 1]; // the last one is free at the beginning
static _Atomic(struct node *) tail = &nodes[N];
static struct node *mine[N], *before[N];
static atomic_int inside;

static void lock(int me)
{
    if (!mine[me])
        mine[me] = &nodes[me];
    mine[me]->busy = 1;
    before[me] = atomic_exchange(&tail, mine[me]);
    while (before[me]->busy)
        ;
}

static void unlock(int me)
{
    mine[me]->busy = 0;
#ifndef KEEP
    mine[me] = before[me];
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
