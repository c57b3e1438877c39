// Every statement that does not end the program, and what it is worth natively.
#include "samovar.h"

#include <pthread.h>

struct pair {
    int first, second;
};

static struct pair shared;
static long steps;

static void *work(void *argument)
{
    samovar_thread_name("worker");
    for (int i = 0; i < 300; i++) {
        VLOCK(&shared);
        shared.first++;
        shared.second--;
        VASSERT(shared.first + shared.second == 0);
        VUNLOCK(&shared);
        BEGINATOMIC
        __atomic_fetch_add(&steps, 1, __ATOMIC_RELAXED);
        ENDATOMIC
        samovar_progress();
    }
    return argument;
}

static void choices(void)
{
    int number = 99;
    signed char narrow = 99;
    unsigned long wide = 99;
    RANGE(number, -3, 4);
    RANGE(narrow, 5, 6);
    RANGE(wide, 1ul << 40, (1ul << 40) + 2);
    printf("ranges: %d %d %lu\n", number, narrow, wide);
    printf("choices: %u %u\n", samovar_choose(7), samovar_choose(samovar_choose(3) + 1));
}

static void marks(void)
{
    int scratch = 7;
    samovar_ignore(&scratch, sizeof scratch);
    samovar_progress();
    BEGINATOMIC;
    BEGINATOMIC;
    scratch++;
    printf("inside of a region: %d\n", scratch);
    ENDATOMIC;
    ENDATOMIC;
    if (scratch == 8)
        VASSERT(scratch == 8);
    else
        samovar_unreachable();
    samovar_assume(scratch == 8);
}

int main(void)
{
    pthread_t threads[3];
    choices();
    marks();
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("shared: %d %d, steps: %ld\n", shared.first, shared.second, steps);
    return 0;
}
