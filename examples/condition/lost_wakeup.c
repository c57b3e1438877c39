// The waiter looks at the flag without the lock. The signal may come after the look and before the
// wait, and a condition variable does not remember signals. (The flag is atomic: this is no data
// race, and still wrong.) With -DFIX the look happens under the lock.
//
// check: => error deadlock
// check: -DFIX => verified
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready_changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *unused)
{
#ifdef FIX
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&ready_changed, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!ready) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&ready_changed, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&ready_changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
