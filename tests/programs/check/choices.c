/* Open values in two threads, two of them one behind the other: one combination is wrong. */
#include "samovar.h"
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);
static int picked, other, number;

static void *choose(void *unused) {
    other = samovar_choose(3);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, choose, 0);
    RANGE(picked, 2, 5);
    number = __VERIFIER_nondet_int();
    pthread_join(thread, 0);
#ifndef HARMLESS
    VASSERT(!(picked == 5 && other == 1 && number == 0));
#endif
    return 0;
}
