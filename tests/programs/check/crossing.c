// Two threads take two locks in opposite order.
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int crossings = 100;

static void cross(pthread_mutex_t *first, pthread_mutex_t *second, int step)
{
    int before;
    pthread_mutex_lock(first);
    before = __atomic_fetch_add(&crossings, step, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(second);
    crossings = before + step;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *crosser(void *unused)
{
    cross(&right, &left, 5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, crosser, NULL);
    cross(&left, &right, 1);
    pthread_join(thread, NULL);
    return 0;
}
