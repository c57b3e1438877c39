// One event concerns everybody, but only one waiter is woken: `signal` where `broadcast` is needed.
// With -DFIX all are woken. (-DCHAIN is correct as well: each woken thread wakes the next one.)
//
// check: => error deadlock; skip model=none
// check: -DFIX => verified; skip model=none
// check: -DCHAIN => verified; skip model=none
#include <pthread.h>

#ifndef WAITERS
#define WAITERS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!open)
        pthread_cond_wait(&opened, &lock);
#ifdef CHAIN
    pthread_cond_signal(&opened);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[WAITERS];
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    open = 1;
#ifdef FIX
    pthread_cond_broadcast(&opened);
#else
    pthread_cond_signal(&opened);
#endif
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
