// Readers that want to write: each keeps its read lock and waits until the other readers are gone,
// by hand, since POSIX has no upgrade. Two of them wait for each other. With -DFIX a reader that finds
// somebody upgrading lets its read lock go and starts again.
//
// check: => error deadlock
// check: -DFIX => verified; skip O0+reduce=none model=none
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, upgrading, value;

static void read_lock(void)
{
    pthread_mutex_lock(&lock);
    while (upgrading)
        pthread_cond_wait(&changed, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void read_unlock(void)
{
    pthread_mutex_lock(&lock);
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

// Whether the caller, a reader, is alone now.
static int upgrade(void)
{
    int alone = 1;
    pthread_mutex_lock(&lock);
#ifdef FIX
    if (upgrading)
        alone = 0;
#endif
    if (alone) {
        upgrading++;
        while (1 < readers)
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    return alone;
}

static void write_unlock(void)
{
    pthread_mutex_lock(&lock);
    upgrading--;
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *increment(void *unused)
{
    for (;;) {
        read_lock();
        int seen = value;
        if (upgrade()) {
            value = seen + 1;
            write_unlock();
            return unused;
        }
        read_unlock();
    }
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(value == 2);
    return 0;
}
