// Threads that add to one counter under a lock. The arguments are how many and how often.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, times;

static void *add(void *unused)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[8];
    int count = atoi(argv[1]);
    times = atoi(argv[2]);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return counter != count * times;
}
