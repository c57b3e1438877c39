// The way out in case of an error forgets to unlock, and the next one waits for ever. Whether there
// is an error is left open: samovar tries both. With -DFIX every way out unlocks.
//
// check: => error deadlock
// check: -DFIX => verified; skip O0+model=none
#include <pthread.h>
#include "samovar.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static int work(void)
{
    pthread_mutex_lock(&lock);
    if (samovar_choose(2) == 1) {
#ifdef FIX
        pthread_mutex_unlock(&lock);
#endif
        return -1;
    }
    done++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *worker(void *unused)
{
    if (work() != 0)
        return NULL;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
