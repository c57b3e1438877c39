// Everybody locks, but not the same lock: a data race on the counter. With -DFIX one lock guards it.
//
// check: --check=race => error race; tiny
// check: --check=assertion => error assertion
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile int counter;

static void *add(void *argument)
{
    long which = (long)argument;
#ifdef FIX
    which = 0;
#endif
    pthread_mutex_lock(&locks[which]);
    int seen = counter;
    counter = seen + 1;
    pthread_mutex_unlock(&locks[which]);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(counter == 2);
    return 0;
}
