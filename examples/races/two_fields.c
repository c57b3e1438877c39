// Two fields that belong together, each atomic by itself: a reader sees the new one and the old one.
// With -DFIX both are in one word.
//
// check: => error assertion
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIX
static _Atomic unsigned long both;

static void set(unsigned low, unsigned high) { both = low | (unsigned long)high << 32; }

static void get(unsigned *low, unsigned *high)
{
    unsigned long seen = both;
    *low = (unsigned)seen;
    *high = (unsigned)(seen >> 32);
}
#else
static atomic_uint lower, upper;

static void set(unsigned low, unsigned high)
{
    lower = low;
    upper = high;
}

static void get(unsigned *low, unsigned *high)
{
    *low = lower;
    *high = upper;
}
#endif

static void *writer(void *unused)
{
    set(1, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    unsigned low, high;
    pthread_create(&thread, NULL, writer, NULL);
    get(&low, &high);
    assert(low == high);
    pthread_join(thread, NULL);
    return 0;
}
