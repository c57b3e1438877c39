// The microwave oven of the textbooks: a user who closes and opens the door, starts and resets, and the
// oven, which warms up and cooks. It must never heat with an open door. With -DBUG opening the door does
// not switch the heating off. Checked for ever; natively a fixed number of steps.
//
// check: => verified; skip O0+reduce=none model=none
// check: -DBUG => error assertion; skip O0+reduce=none model=none
#include <pthread.h>
#include "samovar.h"

enum { CLOSE, OPEN, START, RESET, ACTIONS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started, closed, heating, error;

static void act(unsigned action)
{
    switch (action) {
    case CLOSE:
        closed = 1;
        break;
    case OPEN:
        closed = 0;
#ifndef BUG
        heating = 0;
#endif
        break;
    case START:
        started = 1;
        error |= !closed;
        break;
    case RESET:
        if (closed)
            started = error = 0;
        break;
    }
}

static void *user(void *unused)
{
    for (int i = 0; samovar_present() || i < 10; i += !samovar_present()) {
        unsigned action = samovar_choose(ACTIONS);
        pthread_mutex_lock(&lock);
        act(action);
        VASSERT(closed || !heating);
        pthread_mutex_unlock(&lock);
        samovar_progress();
    }
    return unused;
}

static void *oven(void *unused)
{
    for (int i = 0; samovar_present() || i < 10; i += !samovar_present()) {
        pthread_mutex_lock(&lock);
        if (started && closed && !error && !heating)
            heating = 1;
        else if (heating)
            started = heating = 0;
        VASSERT(closed || !heating);
        pthread_mutex_unlock(&lock);
        samovar_progress();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, user, NULL);
    pthread_create(&threads[1], NULL, oven, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
