// Each of N threads waits for the end of the next one, in a circle. (With two the C library may notice
// and refuse.) With -DFIX the last one waits for nobody.
//
// check: => error deadlock; skip reduce=none model=none
// check: -DFIX => verified; skip reduce=none model=none
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_t threads[N];
static pthread_mutex_t known = PTHREAD_MUTEX_INITIALIZER;

static void *waiter(void *argument)
{
    int me = (int)(long)argument;
    pthread_mutex_lock(&known); // until main has filled in all numbers
    pthread_mutex_unlock(&known);
#ifdef FIX
    if (me == N - 1)
        return NULL;
#endif
    pthread_join(threads[(me + 1) % N], NULL);
    return NULL;
}

int main(void)
{
    pthread_mutex_lock(&known);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, waiter, (void *)i);
    pthread_mutex_unlock(&known);
#ifdef FIX
    pthread_join(threads[0], NULL);
    return 0;
#else
    pthread_exit(NULL);
#endif
}
