// Two threads wait for each other's end. With -DFIX the second one waits for nobody.
//
// check: => error deadlock
// check: -DFIX => verified
#include <pthread.h>

static pthread_t threads[2];
static pthread_mutex_t known = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    pthread_mutex_lock(&known); // until main has filled in both numbers
    pthread_mutex_unlock(&known);
    pthread_join(threads[1], NULL);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&known);
    pthread_mutex_unlock(&known);
#ifndef FIX
    pthread_join(threads[0], NULL);
#endif
    return unused;
}

int main(void)
{
    pthread_mutex_lock(&known);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_mutex_unlock(&known);
#ifdef FIX
    pthread_join(threads[0], NULL);
    return 0;
#else
    pthread_exit(NULL);
#endif
}
