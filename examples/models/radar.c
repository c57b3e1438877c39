// The memory of a radar card: BUFFERS buffers fill or drain at fixed rates, and in each cycle the
// arbiter serves one of them, which moves BURST units. A buffer that runs full or empty is an error.
//   default: the arbiter serves all in turn but forgets the last one, which runs empty.
//   FAIR:    it serves the one that will be in trouble soonest.
//   PLAN:    any schedule is tried; the claim that none survives CYCLES cycles is wrong, and the error
//            is the schedule.
//
// check: => error assertion; tiny
// check: -DFAIR => verified; tiny
// check: -DPLAN => error assertion; tiny
#include "samovar.h"

#ifndef CYCLES
#define CYCLES 12
#endif
enum { BUFFERS = 3, BURST = 6, FULL = 16 };

static const int rate[BUFFERS] = {2, 2, -2}; // two fill and are emptied by the memory, one drains
static int level[BUFFERS] = {6, 8, 10};

// Cycles until the buffer runs full or empty.
static int left(int buffer)
{
    int room = 0 < rate[buffer] ? FULL - level[buffer] : level[buffer];
    return room / (0 < rate[buffer] ? rate[buffer] : -rate[buffer]);
}

static int can_use(int buffer)
{
    return 0 < rate[buffer] ? BURST <= level[buffer] : level[buffer] + BURST <= FULL;
}

static int arbiter(int cycle)
{
    (void)cycle;
#if defined(PLAN)
    return (int)samovar_choose(BUFFERS);
#elif defined(FAIR)
    int best = -1;
    for (int i = 0; i < BUFFERS; i++)
        if (can_use(i) && (best < 0 || left(i) < left(best)))
            best = i;
    return best;
#else
    return cycle % (BUFFERS - 1);
#endif
}

int main(void)
{
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        int served = arbiter(cycle);
        if (0 <= served && can_use(served))
            level[served] += 0 < rate[served] ? -BURST : BURST;
        for (int i = 0; i < BUFFERS; i++) {
            level[i] += rate[i];
#ifdef PLAN
            samovar_assume(0 <= level[i] && level[i] <= FULL);
#else
            VASSERT(0 <= level[i] && level[i] <= FULL);
#endif
        }
    }
#ifdef PLAN
    samovar_unreachable();
#endif
    (void)left;
    return 0;
}
