// Philosophers who never stop. The argument is their number; with a second one the last of them
// takes the right fork first, and nobody can get stuck. With -DREGIONS forks are memory that is locked.
#include <pthread.h>
#include <stdlib.h>

#ifdef REGIONS
#include "samovar.h"
typedef long fork_t;
#define TAKE(fork) VLOCK(fork)
#define GIVE(fork) VUNLOCK(fork)
#else
typedef pthread_mutex_t fork_t;
#define TAKE(fork) pthread_mutex_lock(fork)
#define GIVE(fork) pthread_mutex_unlock(fork)
#endif

static fork_t forks[8];
static int count, careful;

static void *philosopher(void *argument)
{
    long id = (long)argument;
    fork_t *first = &forks[id], *second = &forks[(id + 1) % count];
    if (careful && id == count - 1) {
        fork_t *other = first;
        first = second;
        second = other;
    }
    for (;;) {
        TAKE(first);
        TAKE(second);
        GIVE(second);
        GIVE(first);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[8];
    count = atoi(argv[1]);
    careful = 2 < argc;
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
