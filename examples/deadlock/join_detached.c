// Waiting that does not wait: a detached thread cannot be joined, pthread_join says so at once, and who
// does not look at what it says goes on too early. With -DFIX the thread is not detached. With -DCAREFUL
// somebody looks, and does not wait for a thread that never ends.
//
// check: => error assertion
// check: -DFIX => verified
// check: -DCAREFUL => verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int result;
static sem_t never;

static void *work(void *unused)
{
    (void)unused;
#ifdef CAREFUL
    sem_wait(&never);
#endif
    result = 42;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
#ifndef FIX
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
#endif
    pthread_create(&thread, &attributes, work, NULL);
    pthread_attr_destroy(&attributes);
    int error = pthread_join(thread, NULL);
#ifdef CAREFUL
    assert(error == EINVAL);
    exit(0);
#endif
    (void)error;
    assert(result == 42);
    return 0;
}
