// A stopwatch with two buttons, start/stop and lap/reset, and a clock: one of them at a time, in any
// order, or with -DTHREADS each by a thread of its own. As a search for a test that covers everything:
// the claim that some transition is never taken is wrong, and the error is the test. With -DBROKEN the seconds never overflow, and no test covers that.
//
// check: => error assertion; tiny
// check: -DBROKEN => verified
// check: -DTHREADS -DBROKEN => verified; slow; skip reduce=none model=none
#include <pthread.h>
#include "samovar.h"

#ifndef TICKS
#define TICKS 1 // of a second
#endif
#ifndef SECONDS
#define SECONDS 2 // of a minute
#endif

enum { RESET, RUNNING, LAP, LAP_STOPPED, STATES };
enum { CLOCK, START, SPLIT, EVENTS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state, ticks, seconds;
static unsigned covered; // two bits for each state, and one for the clock
static const unsigned everything = (1u << (2 * STATES + 1)) - 1;

static void tick(void)
{
    if (state != RUNNING && state != LAP)
        return;
    if (++ticks < TICKS)
        return;
    ticks = 0;
#ifdef BROKEN
    return;
#endif
    if (++seconds < SECONDS)
        return;
    seconds = 0;
    covered |= 1u << (2 * STATES);
}

static void press(int button)
{
    static const int next[STATES][2] = {
        {RUNNING, RESET}, {RESET, LAP}, {LAP_STOPPED, RUNNING}, {LAP, RESET}};
    covered |= 1u << (2 * state + button);
    if (state == RESET && button == 1)
        ticks = seconds = 0;
    state = next[state][button];
}

static void *source(void *argument)
{
    int event = (int)(long)argument;
    do {
#ifndef THREADS
        event = (int)samovar_choose(EVENTS);
#endif
        pthread_mutex_lock(&lock);
        if (event == CLOCK)
            tick();
        else
            press(event - START);
        VASSERT(covered != everything);
        pthread_mutex_unlock(&lock);
        samovar_progress();
    } while (samovar_present());
    return NULL;
}

int main(void)
{
#ifdef THREADS
    pthread_t threads[EVENTS];
    for (long i = 0; i < EVENTS; i++)
        pthread_create(&threads[i], NULL, source, (void *)i);
    for (int i = 0; i < EVENTS; i++)
        pthread_join(threads[i], NULL);
#else
    source(NULL);
#endif
    return 0;
}
