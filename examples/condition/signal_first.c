// The signal is sent before anybody waits, and is gone: a condition variable has no memory. There is
// no variable that remembers the event. With -DFIX there is one.
//
// check: => error deadlock; tiny
// check: -DFIX => verified
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t event = PTHREAD_COND_INITIALIZER;
static int happened;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef FIX
    while (!happened)
#endif
        pthread_cond_wait(&event, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    happened = 1;
    pthread_cond_signal(&event);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
