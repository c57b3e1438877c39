// Producers and consumers who never stop share a buffer of two places. The arguments are how many
// producers and how many consumers.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int filled;

static void *produce(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (filled == 2)
            pthread_cond_wait(&not_full, &lock);
        filled++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (filled == 0)
            pthread_cond_wait(&not_empty, &lock);
        filled--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[8];
    int producers = atoi(argv[1]), all = producers + atoi(argv[2]);
    for (int i = 0; i < all; i++)
        pthread_create(&threads[i], NULL, i < producers ? produce : consume, NULL);
    for (int i = 0; i < all; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
