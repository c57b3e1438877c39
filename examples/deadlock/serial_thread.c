// Two threads meet at a barrier, which picks the one that comes last. If it is not picked, one of them
// takes two locks in the wrong order while main takes them in the right one: whether it goes wrong
// depends on who waited at the barrier. With -DFIX both take them in the same order.
//
// check: => error deadlock
// check: -DFIX => verified; skip reduce=none model=none
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER, drawer = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static int entries;

static void enter(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    entries++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *meet(void *unused)
{
    if (pthread_barrier_wait(&barrier) == 0) {
#ifdef FIX
        enter(&ledger, &drawer);
#else
        enter(&drawer, &ledger);
#endif
    }
    return unused;
}

static void *only_meet(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t meeting, other;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&other, NULL, only_meet, NULL);
    pthread_create(&meeting, NULL, meet, NULL);
    enter(&ledger, &drawer);
    pthread_join(other, NULL);
    pthread_join(meeting, NULL);
    return 0;
}
