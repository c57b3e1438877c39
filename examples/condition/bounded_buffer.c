// Producers and consumers share a buffer of CAPACITY places; one lock guards it.
//   BUG=1: one condition variable for "not full" and "not empty". A signal meant for a consumer may
//          wake a producer, which goes back to sleep, and then everybody sleeps.
//   BUG=2: `if` instead of `while`. Between the signal and the moment when the woken thread has the
//          lock again, another one may have taken what it was woken for.
//   BUG=3: the consumer looks, lets the lock go, and waits because of what it saw. The signal may
//          come in between, and nobody hears it.
// Spurious wake-ups are not needed for any of this.
//
// check: => verified
// check: -DPRODUCERS=2 -DCONSUMERS=2 => verified; skip reduce=none model=none
// check: -DBUG=1 -DPRODUCERS=2 -DCONSUMERS=2 => error deadlock; skip model=none
// check: -DBUG=2 -DPRODUCERS=2 -DCONSUMERS=2 => error assertion; skip model=none
// check: -DBUG=2 -DCONSUMERS_FIRST -DPRODUCERS=2 -DCONSUMERS=2 => error assertion; skip model=none
// check: -DBUG=3 => error deadlock
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef CAPACITY
#define CAPACITY 1
#endif
#ifndef ITEMS
#define ITEMS 2 // of each thread: there must be as many producers as consumers
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_cond_t *not_full = &changed[0];
static pthread_cond_t *not_empty = &changed[BUG == 1 ? 0 : 1];
static int count;

static void *producer(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        if (BUG == 2) {
            if (count == CAPACITY)
                pthread_cond_wait(not_full, &lock);
        } else {
            while (count == CAPACITY)
                pthread_cond_wait(not_full, &lock);
        }
        count++;
        assert(count <= CAPACITY);
        pthread_cond_signal(not_empty);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

// Returns with the lock held and something in the buffer, if all goes well.
static void wait_for_item(void)
{
    pthread_mutex_lock(&lock);
    if (BUG == 2) {
        if (count == 0)
            pthread_cond_wait(not_empty, &lock);
    } else if (BUG == 3) {
        while (count == 0) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
            pthread_cond_wait(not_empty, &lock);
        }
    } else {
        while (count == 0)
            pthread_cond_wait(not_empty, &lock);
    }
}

static void *consumer(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        wait_for_item();
        count--;
        assert(0 <= count);
        pthread_cond_signal(not_full);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
#ifdef CONSUMERS_FIRST
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consumer, NULL);
#endif
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, producer, NULL);
#ifndef CONSUMERS_FIRST
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consumer, NULL);
#endif
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    assert(count == 0);
    return 0;
}
