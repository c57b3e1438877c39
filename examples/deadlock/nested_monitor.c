// A monitor inside a monitor: who calls the inner one holds the lock of the outer one, and waiting
// inside lets only the inner lock go. The thread that would bring what is waited for cannot get in.
// With -DFIX the outer lock is let go before the inner monitor is called.
//
// check: => error deadlock; tiny
// check: -DFIX => verified; skip model=none
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int parcels, calls;

static void inner_take(void)
{
    pthread_mutex_lock(&inner);
    while (parcels == 0)
        pthread_cond_wait(&arrived, &inner);
    parcels--;
    pthread_mutex_unlock(&inner);
}

static void inner_bring(void)
{
    pthread_mutex_lock(&inner);
    parcels++;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&inner);
}

static void call(void (*operation)(void))
{
    pthread_mutex_lock(&outer);
    calls++;
#ifdef FIX
    pthread_mutex_unlock(&outer);
    operation();
#else
    operation();
    pthread_mutex_unlock(&outer);
#endif
}

static void *taker(void *unused)
{
    call(inner_take);
    return unused;
}

static void *bringer(void *unused)
{
    call(inner_bring);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, taker, NULL);
    pthread_create(&threads[1], NULL, bringer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
