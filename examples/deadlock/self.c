// A function that locks calls another one that locks the same mutex: the thread waits for itself, or
// misuses the lock, as one likes to see it. With -DFIX the mutex is a recursive one, with -DTRY the
// inner function gives up.
//
// check: => error deadlock|lock; tiny
// check: -DFIX => verified; tiny
// check: -DTRY => verified; tiny
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int entries;

static void note(void)
{
#ifdef TRY
    if (pthread_mutex_trylock(&lock) != 0)
        return;
#else
    pthread_mutex_lock(&lock);
#endif
    entries++;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifdef FIX
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#else
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
#endif
    pthread_mutex_init(&lock, &kind);
    pthread_mutex_lock(&lock);
    note();
    pthread_mutex_unlock(&lock);
#ifdef TRY
    assert(entries == 0);
#else
    assert(entries == 1);
#endif
    return 0;
}
