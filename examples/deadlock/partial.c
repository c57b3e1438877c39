// Two workers lock two mutexes in opposite order while a third thread keeps the clock going for ever:
// the program never stands still as a whole, but the two will never move again. With -DFIX they lock
// in the same order, and the clock stops when they are done.
//
// check: => error partial-deadlock; skip reduce=none model=none
// check: -DFIX => verified; skip reduce=none model=none
#include <pthread.h>
#include <stdatomic.h>
#include "samovar.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int working = 2, hand;

static void *worker(void *argument)
{
    long first = (long)argument;
#ifdef FIX
    first = 0;
#endif
    pthread_mutex_lock(&locks[first]);
    pthread_mutex_lock(&locks[1 - first]);
    pthread_mutex_unlock(&locks[1 - first]);
    pthread_mutex_unlock(&locks[first]);
    working--;
    return NULL;
}

static void *clockwork(void *unused)
{
    while (working) {
        hand = !hand;
        samovar_progress();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    pthread_create(&threads[2], NULL, clockwork, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
