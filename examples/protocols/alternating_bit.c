// The alternating bit protocol over channels that lose what they like: every frame carries a bit, the
// receiver acknowledges each one with the same bit, and the sender repeats a frame until it has been
// acknowledged.
//   NO_BIT:    the receiver takes every frame for a new one; a repeated frame is delivered twice.
//   NO_REPEAT: the sender waits for the acknowledgement of a frame that was lost.
//
// check: => verified; skip model=none
// check: -DMESSAGES=3 => verified; skip model=none
// check: -DNO_BIT => error assertion
// check: -DNO_REPEAT => error deadlock
#include <assert.h>
#include <pthread.h>
#include "samovar.h"

#ifndef MESSAGES
#define MESSAGES 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct channel {
    int full, bit, message;
} forward, backward;
static int finished, delivered;

// Puts it into the channel, or loses it.
static void transmit(struct channel *channel, int message, int bit)
{
    if (channel->full || samovar_choose(2) == 1)
        return;
    channel->full = 1;
    channel->bit = bit;
    channel->message = message;
    pthread_cond_broadcast(&changed);
}

// Whether the message has been acknowledged.
static int acknowledged(int bit)
{
    int right = backward.full && backward.bit == bit;
    backward.full = 0;
    return right;
}

static void *sender(void *unused)
{
    pthread_mutex_lock(&lock);
    for (int message = 0; message < MESSAGES; message++) {
        transmit(&forward, message, message % 2);
        while (!acknowledged(message % 2)) {
#ifdef NO_REPEAT
            pthread_cond_wait(&changed, &lock);
#else
            samovar_progress();
            pthread_mutex_unlock(&lock); // time passes
            pthread_mutex_lock(&lock);
            if (!backward.full)
                transmit(&forward, message, message % 2);
#endif
        }
    }
    finished = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *receiver(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!forward.full && !finished)
            pthread_cond_wait(&changed, &lock);
        if (finished)
            break;
        forward.full = 0;
#ifdef NO_BIT
        int is_new = 1;
#else
        int is_new = forward.bit == delivered % 2;
#endif
        if (is_new) {
            assert(forward.message == delivered);
            delivered++;
        }
        transmit(&backward, 0, forward.bit);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, sender, NULL);
    pthread_create(&threads[1], NULL, receiver, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(delivered == MESSAGES);
    return 0;
}
