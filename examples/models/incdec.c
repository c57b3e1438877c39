// One thread counts up and one down, modulo MAX, for ever; a third one claims that both are never at
// their ends at the same time. A search that follows one thread for long, as depth-first search does,
// takes long to find the counterexample, as far from the start as any state. With -DRANGE_ONLY it
// claims what is true.
//
// check: => error assertion; skip O0+reduce=none
// check: -DRANGE_ONLY => verified; skip O0+reduce=none O0+model=none
// check: -DMAX=20 => error assertion; skip O0+reduce=none O0+model=none
#include <pthread.h>
#include <stdatomic.h>
#include "samovar.h"

#ifndef MAX
#define MAX 5
#endif

static atomic_int up, down;

static void *count_up(void *unused)
{
    do {
        up = (up + 1) % MAX;
        samovar_progress();
    } while (samovar_present());
    return unused;
}

static void *count_down(void *unused)
{
    do {
        down = (down - 1) % MAX;
        samovar_progress();
    } while (samovar_present());
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, count_up, NULL);
    pthread_create(&threads[1], NULL, count_down, NULL);
    do {
        int high = up;
        int low = down;
#ifdef RANGE_ONLY
        VASSERT(0 <= high && high < MAX && -MAX < low && low <= 0);
#else
        VASSERT(high < MAX - 1 || 1 - MAX < low);
#endif
        samovar_progress();
    } while (samovar_present());
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
