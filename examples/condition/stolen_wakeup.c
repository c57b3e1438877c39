// A waiter is woken because there is an item, but before it has the lock again another thread, who
// never waited, takes the item away. The waiter does not look again. With -DFIX it does, and goes
// on waiting until the second item comes.
//
// check: => error assertion
// check: -DFIX => verified; skip model=none
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int items;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef FIX
    while (items == 0)
#else
    if (items == 0)
#endif
        pthread_cond_wait(&arrived, &lock);
    items--;
    assert(0 <= items);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *thief(void *unused)
{
    pthread_mutex_lock(&lock);
    if (0 < items)
        items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *producer(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&arrived);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    pthread_create(&threads[2], NULL, producer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
