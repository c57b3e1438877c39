/* Two threads count to two together without a lock, and the result is printed; with -DASSERTED a
 * wrong one is an error. */
#include "samovar.h"
#include <pthread.h>
#include <stdio.h>

static int count;

static void *add(void *unused) {
    count = count + 1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef ASSERTED
    VASSERT(count == 2);
#endif
    printf("%d\n", count);
    return 0;
}
