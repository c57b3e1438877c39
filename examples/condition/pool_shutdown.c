// A pool of workers is told to stop.
//   BUG=1: the flag is set without the lock. A worker that has just looked at it goes to sleep after
//          the last broadcast.
//   BUG=2: one worker is woken, and the others sleep on.
//   BUG=3: a worker that is told to stop does not look whether work is left, and it is never done.
//
// check: -DBUG=1 => error deadlock
// check: -DBUG=2 => error deadlock; skip model=none
// check: -DBUG=3 => error assertion; tiny
// check: => verified; skip model=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef JOBS
#define JOBS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static int queued, done;
static atomic_int stopping;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (queued == 0 && !stopping)
            pthread_cond_wait(&wake, &lock);
        if (BUG == 3 ? stopping : queued == 0)
            break;
        queued--;
        done++;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void submit(void)
{
    pthread_mutex_lock(&lock);
    queued++;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

static void stop(void)
{
    if (BUG != 1)
        pthread_mutex_lock(&lock);
    stopping = 1;
    if (BUG == 2)
        pthread_cond_signal(&wake);
    else
        pthread_cond_broadcast(&wake);
    if (BUG != 1)
        pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++)
        submit();
    stop();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    assert(done == JOBS);
    return 0;
}
