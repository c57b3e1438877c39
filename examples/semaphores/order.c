// The semaphore that counts and the one that excludes, taken in the wrong order: the consumer holds
// the buffer while it waits for something to be put there. With -DFIX it first waits, then locks.
//
// check: => error deadlock
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t mutex, items;
static int count;

static void *producer(void *unused)
{
    sem_wait(&mutex);
    count++;
    sem_post(&mutex);
    sem_post(&items);
    return unused;
}

static void *consumer(void *unused)
{
#ifdef FIX
    sem_wait(&items);
    sem_wait(&mutex);
#else
    sem_wait(&mutex);
    sem_wait(&items);
#endif
    count--;
    assert(0 <= count);
    sem_post(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&mutex, 0, 1);
    sem_init(&items, 0, 0);
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
