// Philosophers who never stop. The argument is their number; with a second one the last of them
// takes the right fork first, and nobody can get stuck.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t forks[8];
static int count, careful;

static void *philosopher(void *argument)
{
    long id = (long)argument;
    pthread_mutex_t *first = &forks[id], *second = &forks[(id + 1) % count];
    if (careful && id == count - 1) {
        pthread_mutex_t *other = first;
        first = second;
        second = other;
    }
    for (;;) {
        pthread_mutex_lock(first);
        pthread_mutex_lock(second);
        pthread_mutex_unlock(second);
        pthread_mutex_unlock(first);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[8];
    count = atoi(argv[1]);
    careful = 2 < argc;
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
