// main waits for the end of a thread while it holds the lock that the thread needs in order to end.
// It goes well if the thread is quick. With -DFIX main lets the lock go first.
//
// check: => error deadlock; tiny
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int results;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    results++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
#ifdef FIX
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
#else
    pthread_join(thread, NULL);
#endif
    assert(results == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
