// The last seat on a plane: each agent asks whether a seat is free and then takes it. Asking and taking
// are each done under the lock, but not together. With -DFIX they are.
//
// check: => error assertion
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>

#ifndef AGENTS
#define AGENTS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 1;

static int is_free(void)
{
    pthread_mutex_lock(&lock);
    int answer = 0 < seats;
    pthread_mutex_unlock(&lock);
    return answer;
}

static void take(void)
{
    pthread_mutex_lock(&lock);
    seats--;
    assert(0 <= seats);
    pthread_mutex_unlock(&lock);
}

static void take_if_free(void)
{
    pthread_mutex_lock(&lock);
    if (0 < seats)
        seats--;
    pthread_mutex_unlock(&lock);
}

static void *agent(void *unused)
{
#ifdef FIX
    take_if_free();
#else
    if (is_free())
        take();
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[AGENTS];
    for (int i = 0; i < AGENTS; i++)
        pthread_create(&threads[i], NULL, agent, NULL);
    for (int i = 0; i < AGENTS; i++)
        pthread_join(threads[i], NULL);
    (void)is_free, (void)take, (void)take_if_free;
    return 0;
}
