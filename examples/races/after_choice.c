// Customers decide whether to buy, and who buys notes it in two steps. What the threads do after a
// choice is interleaved like everything else: two notes at the same time lose one. With -DFIX it is
// one step.
//
// check: => error assertion
// check: -DFIX => verified; skip O0+reduce=none
#include <pthread.h>
#include <stdatomic.h>
#include "samovar.h"

static atomic_int buyers, noted;

static void *customer(void *unused)
{
    if (samovar_choose(2)) {
        buyers++;
#ifdef FIX
        noted++;
#else
        int seen = noted;
        noted = seen + 1;
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    VASSERT(buyers == noted);
    return 0;
}
