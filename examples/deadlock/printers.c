// Two jobs need two of the office's printers each, out of a pool that counts them. Each takes one
// and waits for another: with two printers in all, both may end up with one. With -DFIX a job takes
// its two printers in one go.
//
// check: => error deadlock
// check: -DPRINTERS=3 => verified
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>

#ifndef PRINTERS
#define PRINTERS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t returned = PTHREAD_COND_INITIALIZER;
static int idle = PRINTERS;

static void take(int count)
{
    pthread_mutex_lock(&lock);
    while (idle < count)
        pthread_cond_wait(&returned, &lock);
    idle -= count;
    pthread_mutex_unlock(&lock);
}

static void give_back(int count)
{
    pthread_mutex_lock(&lock);
    idle += count;
    assert(idle <= PRINTERS);
    pthread_cond_broadcast(&returned);
    pthread_mutex_unlock(&lock);
}

static void *job(void *unused)
{
#ifdef FIX
    take(2);
#else
    take(1);
    take(1);
#endif
    give_back(2);
    return unused;
}

int main(void)
{
    pthread_t jobs[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&jobs[i], NULL, job, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(jobs[i], NULL);
    return 0;
}
