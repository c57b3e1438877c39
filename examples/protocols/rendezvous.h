// Channels without a buffer, for the programs in this directory: sender and receiver wait for each
// other, and a thread may offer several alternatives at once, of which one happens. If a thread finds
// several partners, which one it meets is left open.
#ifndef RENDEZVOUS_H
#define RENDEZVOUS_H

#include <pthread.h>
#include <stddef.h>
#include "samovar.h"

#ifndef THREADS
#error "define THREADS before the inclusion: their numbers are less than that"
#endif

struct offer {
    int channel;
    int sends;                             // or receives
    int *value;                            // what is sent, or where it goes
    int (*accepts)(int value, void *what); // a receiver may refuse; NULL takes everything
    void *what;
};

static pthread_mutex_t meeting_place = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t met[THREADS];
static struct {
    struct offer *offers;
    int count, result;
} waiting[THREADS];

static int matches(const struct offer *mine, const struct offer *theirs)
{
    const struct offer *from = mine->sends ? mine : theirs, *to = mine->sends ? theirs : mine;
    if (mine->channel != theirs->channel || mine->sends == theirs->sends)
        return 0;
    return !to->accepts || to->accepts(*from->value, to->what);
}

// Meets the wanted partner of those who wait, or counts them. Returns the number of the alternative.
static int meet(int me, struct offer *offers, int count, int wanted, int *partners)
{
    *partners = 0;
    for (int mine = 0; mine < count; mine++)
        for (int other = 0; other < THREADS; other++)
            for (int theirs = 0; other != me && theirs < waiting[other].count; theirs++) {
                struct offer *offer = &waiting[other].offers[theirs];
                if (!matches(&offers[mine], offer) || (*partners)++ != wanted)
                    continue;
                if (offer->sends)
                    *offers[mine].value = *offer->value;
                else
                    *offer->value = *offers[mine].value;
                waiting[other].count = 0;
                waiting[other].result = theirs;
                pthread_cond_signal(&met[other]);
                return mine;
            }
    return -1;
}

// Waits until one of the alternatives has happened, and returns its number.
static int rendezvous(int me, struct offer *offers, int count)
{
    int partners, result;
    pthread_mutex_lock(&meeting_place);
    meet(me, offers, count, -1, &partners);
    if (0 < partners) {
        result = meet(me, offers, count, partners == 1 ? 0 : (int)samovar_choose(partners),
                      &partners);
    } else {
        waiting[me].offers = offers;
        waiting[me].count = count;
        while (waiting[me].count)
            pthread_cond_wait(&met[me], &meeting_place);
        result = waiting[me].result;
        waiting[me].offers = NULL;
        waiting[me].result = 0;
    }
    pthread_mutex_unlock(&meeting_place);
    return result;
}

static inline void send_to(int me, int channel, int value)
{
    struct offer offer = {channel, 1, &value, NULL, NULL};
    rendezvous(me, &offer, 1);
}

static inline int receive_from(int me, int channel, int (*accepts)(int, void *), void *what)
{
    int value = 0;
    struct offer offer = {channel, 0, &value, accepts, what};
    rendezvous(me, &offer, 1);
    return value;
}

static inline void prepare_meetings(void)
{
    for (int i = 0; i < THREADS; i++)
        pthread_cond_init(&met[i], NULL);
}

#endif
