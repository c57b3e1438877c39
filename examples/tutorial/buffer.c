// The buffer of docs/tutorial.md: one thread puts items in, two take them out. -DSTEP=1 waits once
// only; -DSTEP=2 waits until it may go on, but wakes a single thread that may be the wrong one;
// -DSTEP=3 wakes all.
//
// check: -DSTEP=1 => error assertion
// check: -DSTEP=2 => error deadlock
// check: -DSTEP=3 => verified; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#ifndef STEP
#define STEP 1
#endif
#if STEP == 1
#define WAIT_IF if
#else
#define WAIT_IF while
#endif
#if STEP == 3
#define WAKE pthread_cond_broadcast
#else
#define WAKE pthread_cond_signal
#endif

#define SLOTS 1
#define ITEMS 4

static int slots[SLOTS], filled;
static int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    WAIT_IF (filled == SLOTS)
        pthread_cond_wait(&changed, &lock);
    slots[filled++] = item;
    WAKE(&changed);
    pthread_mutex_unlock(&lock);
}

static int get(void)
{
    pthread_mutex_lock(&lock);
    WAIT_IF (filled == 0)
        pthread_cond_wait(&changed, &lock);
    assert(filled > 0);
    int item = slots[--filled];
    taken++;
    WAKE(&changed);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *producer(void *argument)
{
    for (int i = 0; i < ITEMS; i++)
        put(i);
    return argument;
}

static void *consumer(void *argument)
{
    for (int i = 0; i < ITEMS / 2; i++)
        get();
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d items were taken\n", taken);
    return 0;
}
