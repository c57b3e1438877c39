// Blocks world with two arms: an arm takes a block that has nothing on top, and puts it on the table
// or on such a block. BLOCKS lie on the table at first; on[b] is what block b stands on.
//
//   samovar plan --goal 'on[0] == 1 && on[1] == 2 && on[2] == TABLE' blocks.c
//   samovar plan --goal 'on[0] == 1 && holds[1] == 2' blocks.c
//
// check: -DSTEPS=2 => verified; tiny
// plan: --goal=on[0]==1&&on[1]==2 => 4
// plan: --goal=on[0]==1&&on[1]==2&&on[2]==0 => no plan
// plan: --goal=on[0]==1&&holds[1]==2 => 3
#include <samovar.h>

#ifndef BLOCKS
#define BLOCKS 3
#endif
#ifndef STEPS
#define STEPS 0 /* as many as it takes */
#endif
enum { ARMS = 2 };
enum place { TABLE = -1, ARM = -2, NOTHING = -1 };

int on[BLOCKS];
int holds[ARMS];

static int is_clear(int block)
{
    if (on[block] == ARM)
        return 0;
    for (int other = 0; other < BLOCKS; other++)
        if (on[other] == block)
            return 0;
    return 1;
}

static void take(int arm)
{
    int block = samovar_choose(BLOCKS);
    samovar_assume(is_clear(block));
    samovar_action("take", arm, block);
    on[block] = ARM;
    holds[arm] = block;
}

static void put(int arm)
{
    int place = (int)samovar_choose(BLOCKS + 1) + TABLE;
    samovar_assume(place == TABLE || is_clear(place));
    samovar_action("put", arm, holds[arm], place);
    on[holds[arm]] = place;
    holds[arm] = NOTHING;
}

int main(void)
{
    for (int block = 0; block < BLOCKS; block++)
        on[block] = TABLE;
    for (int arm = 0; arm < ARMS; arm++)
        holds[arm] = NOTHING;
    for (int step = 0; STEPS == 0 || step < STEPS; step += STEPS != 0) {
        int arm = samovar_choose(ARMS);
        if (holds[arm] == NOTHING)
            take(arm);
        else
            put(arm);
        if (!samovar_present())
            break;
    }
    return 0;
}
