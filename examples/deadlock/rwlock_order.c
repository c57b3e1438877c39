// Two read-write locks, for an index and for its data. The reader of both takes them in one order,
// the writer in the other: readers do not disturb each other, so tests with readers pass. With -DFIX
// the order is the same.
//
// check: => error deadlock
// check: -DFIX => verified; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t index_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t data_lock = PTHREAD_RWLOCK_INITIALIZER;
static int indexed, data;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&index_lock);
    pthread_rwlock_rdlock(&data_lock);
    assert(indexed == data);
    pthread_rwlock_unlock(&data_lock);
    pthread_rwlock_unlock(&index_lock);
    return unused;
}

static void *writer(void *unused)
{
#ifdef FIX
    pthread_rwlock_wrlock(&index_lock);
    pthread_rwlock_wrlock(&data_lock);
#else
    pthread_rwlock_wrlock(&data_lock);
    pthread_rwlock_wrlock(&index_lock);
#endif
    data++;
    indexed++;
    pthread_rwlock_unlock(&index_lock);
    pthread_rwlock_unlock(&data_lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
