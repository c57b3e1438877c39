// The lock is destroyed together with what it guards while a thread still holds it: the last user should
// do that, and "the last" is decided too early. With -DFIX main waits for the end of the thread.
//
// check: => error lock; skip model=none
// check: -DFIX => verified
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;

static void *user(void *unused)
{
    pthread_mutex_lock(&lock);
    inside = 1;
    inside = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, user, NULL);
#ifdef FIX
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&lock);
#else
    if (inside)
        pthread_mutex_destroy(&lock);
    pthread_join(thread, NULL);
#endif
    return 0;
}
