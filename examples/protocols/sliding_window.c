// A sliding window: the sender has up to WINDOW messages under way, over channels of one place that
// lose what they like. Frames are numbered modulo NUMBERS; the acknowledgement says which number is
// expected next. A receiver that collects what comes out of order needs twice as many numbers as the
// window is wide: with -DNUMBERS=WINDOW it takes an old frame for a new one.
//
// check: => verified; skip model=none
// check: -DWINDOW=2 -DMESSAGES=2 => verified; skip O0+reduce=none model=none
// check: -DNUMBERS=WINDOW => error assertion
#include <assert.h>
#include <pthread.h>
#include "samovar.h"

#ifndef WINDOW
#define WINDOW 1
#endif
#ifndef NUMBERS
#define NUMBERS (2 * WINDOW)
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define DISTANCE(from, to) (((to) - (from) + NUMBERS) % NUMBERS)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct {
    int full, number, message;
} frame, ack;
static int delivered, finished;

static void send_frame(int message)
{
    if (frame.full || samovar_choose(2) == 1)
        return;
    frame.full = 1;
    frame.number = message % NUMBERS;
    frame.message = message;
    pthread_cond_broadcast(&changed);
}

static void *sender(void *unused)
{
    int first = 0, next = 0; // not yet acknowledged, to be sent
    pthread_mutex_lock(&lock);
    while (first < MESSAGES) {
        send_frame(next);
        next++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        samovar_progress();
        if (ack.full) {
            ack.full = 0;
            int moved = DISTANCE(first % NUMBERS, ack.number);
            if (NUMBERS == WINDOW && moved == 0)
                moved = WINDOW; // one number for all: any acknowledgement will do
            if (moved <= WINDOW)
                first += moved;
            ack.number = 0;
        }
        if (first + WINDOW <= next || MESSAGES <= next || next < first)
            next = first; // again from the beginning of the window
    }
    finished = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *receiver(void *unused)
{
    int here[WINDOW] = {0}; // message numbers plus one
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!frame.full && !finished)
            pthread_cond_wait(&changed, &lock);
        if (finished)
            break;
        frame.full = 0;
        int ahead = DISTANCE(delivered % NUMBERS, frame.number);
        if (ahead < WINDOW)
            here[(delivered + ahead) % WINDOW] = frame.message + 1;
        while (here[delivered % WINDOW]) {
            assert(here[delivered % WINDOW] == delivered + 1);
            here[delivered % WINDOW] = 0;
            delivered++;
        }
        if (!ack.full && samovar_choose(2) == 0) {
            ack.full = 1;
            ack.number = delivered % NUMBERS;
        }
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
