// The queue lock of Mellor-Crummey and Scott: everybody waits at its own node, and who unlocks tells
// its successor. With -DHASTY the unlocking thread that sees no successor simply empties the queue, and
// loses one that has just lined up; with -DLATE a thread clears its own flag after lining up, and may
// overwrite that it was told to go.
//
// check: => verified; skip O0+reduce=none O0+model=none
// check: -DN=3 => verified; skip O0+reduce=none model=none
// check: -DHASTY => error livelock; skip O0+reduce=none O0+model=none
// check: -DLATE => error livelock; skip O0+reduce=none O0+model=none
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
    _Atomic(struct node *) next;
    atomic_int waiting;
};

static struct node nodes[N];
static _Atomic(struct node *) tail;
static atomic_int inside;

static void lock(int me)
{
    struct node *mine = &nodes[me];
    mine->next = NULL;
#ifndef LATE
    mine->waiting = 1;
#endif
    struct node *before = atomic_exchange(&tail, mine);
    if (!before)
        return;
    before->next = mine;
#ifdef LATE
    mine->waiting = 1;
#endif
    while (mine->waiting)
        ;
}

static void unlock(int me)
{
    struct node *mine = &nodes[me];
    if (!mine->next) {
#ifdef HASTY
        tail = NULL;
        return;
#else
        struct node *expected = mine;
        if (atomic_compare_exchange_strong(&tail, &expected, NULL))
            return;
        while (!mine->next)
            ; // somebody has lined up and is about to say so
#endif
    }
    atomic_store(&mine->next->waiting, 0);
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
