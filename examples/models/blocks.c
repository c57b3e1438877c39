// The world of blocks: an arm takes a block that nothing stands on and puts it on the table or on
// another one. The claim that a certain tower is never reached is wrong, and the error is the plan for
// building it. With -DIMPOSSIBLE the tower would have to stand on itself. Natively the arm only tries
// the first move.
//
// check: => error assertion
// check: -DIMPOSSIBLE => verified; skip O0+reduce=none
#include "samovar.h"
#include <pthread.h>

#ifndef BLOCKS
#define BLOCKS 3
#endif
#ifndef ARMS
#define ARMS 1
#endif

enum { TABLE = BLOCKS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int on[BLOCKS]; // what each block stands on

static int clear(int block)
{
    for (int i = 0; i < BLOCKS; i++)
        if (on[i] == block)
            return 0;
    return 1;
}

// Block 0 on 1, 1 on 2, and so on; the last one on the table, or on the first.
static int built(void)
{
    for (int i = 0; i < BLOCKS - 1; i++)
        if (on[i] != i + 1)
            return 0;
#ifdef IMPOSSIBLE
    return on[BLOCKS - 1] == 0;
#else
    return on[BLOCKS - 1] == TABLE;
#endif
}

static void *arm(void *unused)
{
    do {
        int block = (int)samovar_choose(BLOCKS), place = (int)samovar_choose(BLOCKS + 1);
        pthread_mutex_lock(&lock);
        if (block != place && clear(block) && (place == TABLE || clear(place)))
            on[block] = place;
        VASSERT(!built());
        pthread_mutex_unlock(&lock);
        samovar_progress();
    } while (samovar_present());
    return unused;
}

int main(void)
{
    pthread_t arms[ARMS];
    on[0] = TABLE;
    for (int i = 1; i < BLOCKS; i++)
        on[i] = i - 1; // the tower upside down
    for (int i = 0; i < ARMS; i++)
        pthread_create(&arms[i], NULL, arm, NULL);
    for (int i = 0; i < ARMS; i++)
        pthread_join(arms[i], NULL);
    return 0;
}
