// A thread unlocks a mutex that another one holds. The C library lets it happen, and two threads are in
// the critical section. With -DFIX everybody unlocks what it locked. (With -DERROR_CHECKING the mutex
// refuses, as its kind promises.)
//
// check: => error lock; skip model=none
// check: -DERROR_CHECKING => verified
// check: -DFIX => verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

#if defined(ERROR_CHECKING)
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *meddler(void *unused)
{
#ifdef FIX
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#else
    int error = pthread_mutex_unlock(&lock);
#ifdef ERROR_CHECKING
    assert(error != 0);
#endif
    (void)error;
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, meddler, NULL);
#ifdef FIX
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
#else
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}
