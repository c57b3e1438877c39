// The same after a semaphore: who posts and who was waiting go on side by side. With -DFIX the
// addition is one step.
//
// check: => error assertion
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t ready;
static atomic_int sum;

static void add(void)
{
#ifdef FIX
    sum += 1;
#else
    int seen = sum;
    sum = seen + 1;
#endif
}

static void *poster(void *unused)
{
    sem_post(&ready);
    add();
    return unused;
}

static void *waiter(void *unused)
{
    sem_wait(&ready);
    add();
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&ready, 0, 0);
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, poster, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(sum == 2);
    return 0;
}
