// Two threads that have nothing to do with each other; only a formula over both sees an order.
#include <pthread.h>

int first, second;

static void *one(void *argument)
{
    first = 1;
    return argument;
}

static void *two(void *argument)
{
    second = 1;
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
