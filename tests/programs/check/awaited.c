// Threads that wait for one another in every way there is, one way at a time (-DWAY=…): what they
// do depends on who else waits for what, who has ended, and whose descriptor is used again.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

#define CONDITIONS 1
#define JOINS 2
#define MEETINGS 3
#define READERS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_barrier_t barrier;
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;
static sem_t tokens;
static pthread_t second, third;
static int given[2], sum, order;

#if WAY == CONDITIONS
static void *work(void *argument)
{
    long which = (long)argument % 2;
    pthread_mutex_lock(&lock);
    while (given[which] == 0)
        pthread_cond_wait(&changed[which], &lock);
    given[which]--;
    order = order * 3 + (int)(long)argument;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *give(void *unused)
{
    for (int which = 0; which < 2; which++) {
        pthread_mutex_lock(&lock);
        given[which] = 2;
        if (which == 0) {
            pthread_cond_signal(&changed[0]);
            pthread_cond_signal(&changed[0]);
        } else
            pthread_cond_broadcast(&changed[1]);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
#elif WAY == JOINS
static void *leaf(void *unused)
{
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *later(void *unused)
{
    pthread_join(second, NULL);
    pthread_mutex_lock(&lock);
    sum *= 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *work(void *unused)
{
    pthread_create(&second, NULL, leaf, NULL);
    pthread_create(&third, NULL, later, NULL);
    pthread_join(third, NULL);
    // Its stack is used again.
    pthread_create(&second, NULL, leaf, NULL);
    pthread_join(second, NULL);
    return unused;
}
#elif WAY == MEETINGS
static void *work(void *argument)
{
    for (int round = 0; round < 2; round++) {
        sem_wait(&tokens);
        pthread_mutex_lock(&lock);
        order = order * 4 + (int)(long)argument + 1;
        pthread_mutex_unlock(&lock);
        sem_post(&tokens);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}
#else
static void *work(void *argument)
{
    if (argument == NULL) {
        pthread_rwlock_wrlock(&gate);
        sum++;
        pthread_rwlock_unlock(&gate);
    } else {
        pthread_rwlock_rdlock(&gate);
        int seen = sum;
        pthread_mutex_lock(&lock);
        order = order * 2 + seen;
        pthread_mutex_unlock(&lock);
        pthread_rwlock_unlock(&gate);
    }
    return NULL;
}
#endif

int main(void)
{
    pthread_t threads[5];
    int count = WAY == CONDITIONS ? 4 : WAY == JOINS ? 1 : 3;
    pthread_barrier_init(&barrier, NULL, 3);
    sem_init(&tokens, 0, 1);
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
#if WAY == CONDITIONS
    pthread_create(&threads[count++], NULL, give, NULL);
#endif
    // The last one first.
    while (0 < count)
        pthread_join(threads[--count], NULL);
    return 0;
}
