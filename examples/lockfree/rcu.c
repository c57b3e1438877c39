// Read, copy, update: the writer makes a changed copy, swings the pointer, and frees the old version.
// A reader may still be looking at it: use after free. With -DFIX the writer first waits until all
// readers who came before are gone (a grace period); new ones find the new version.
//
// check: => error memory use-after-free; skip model=none
// check: -DFIX => verified
// check: -DFIX -DREADERS=2 => verified; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef READERS
#define READERS 1
#endif

struct version {
    int low, high;
};

static _Atomic(struct version *) current;
static atomic_int readers;

static struct version *make(int number)
{
    struct version *version = malloc(sizeof *version);
    version->low = version->high = number;
    return version;
}

static void *reader(void *unused)
{
    readers++;
    struct version *seen = current;
    assert(seen->low == seen->high);
    readers--;
    return unused;
}

static void update(void)
{
    struct version *old = current;
    current = make(old->low + 1);
#ifdef FIX
    while (readers)
        ;
#endif
    free(old);
}

int main(void)
{
    pthread_t threads[READERS];
    current = make(1);
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    update();
    for (int i = 0; i < READERS; i++)
        pthread_join(threads[i], NULL);
    free(current);
    return 0;
}
