// A sequence lock: the writer makes the number odd, writes, and makes it even again; a reader that saw
// an odd number, or another number afterwards, tries again.
//   BUG=1: the reader does not look at the number again.
//   BUG=2: the writer changes the number once only, at the end.
//
// check: -DBUG=1 => error assertion
// check: -DBUG=2 => error assertion
// check: => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WRITES
#define WRITES 1
#endif

static atomic_uint number;
static atomic_int low, high;

static void *writer(void *unused)
{
    for (int i = 1; i <= WRITES; i++) {
        if (BUG != 2)
            number++;
        low = i;
        high = i;
        number += BUG == 2 ? 2 : 1;
    }
    return unused;
}

static void read_both(int *first, int *second)
{
    unsigned before;
    do {
        before = number;
        *first = low;
        *second = high;
    } while (BUG != 1 && (before % 2 == 1 || before != number));
}

int main(void)
{
    pthread_t thread;
    int first, second;
    pthread_create(&thread, NULL, writer, NULL);
    read_both(&first, &second);
    assert(first == second);
    pthread_join(thread, NULL);
    return 0;
}
