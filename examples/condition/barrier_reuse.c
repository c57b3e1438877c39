// A home-made barrier that counts arrivals and lets everybody go when the count is full. Used a second
// time it fails: a quick thread comes round before a slow one has woken up and counts itself in the
// wrong round. With -DFIX every round has its own number.
//
// check: => error deadlock
// check: -DFIX => verified; skip model=none
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t complete = PTHREAD_COND_INITIALIZER;
static int arrived, round_number;

static void barrier(void)
{
    pthread_mutex_lock(&lock);
#ifdef FIX
    int mine = round_number;
#endif
    arrived++;
    if (arrived == N) {
        arrived = 0;
        round_number++;
        pthread_cond_broadcast(&complete);
    } else {
#ifdef FIX
        while (round_number == mine)
#else
        while (arrived != 0)
#endif
            pthread_cond_wait(&complete, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
    for (int i = 0; i < ROUNDS; i++)
        barrier();
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(round_number == ROUNDS);
    return 0;
}
