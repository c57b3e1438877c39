// A work-stealing deque after Chase and Lev: the owner works at the bottom, thieves steal from the top.
// Only for the last item they can meet, and then a compare-and-swap on the top decides.
//   BUG=1: the owner takes the last item without it: owner and thief both get it.
//   BUG=2: the owner looks at the top before it has lowered the bottom: same result, one item earlier.
//
// check: -DBUG=1 => error assertion
// check: -DBUG=2 => error assertion
// check: => verified
// check: -DITEMS=3 => verified; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef STEALS
#define STEALS 2
#endif

static atomic_int items[ITEMS], taken[ITEMS + 1];
static atomic_int top, bottom;

static void got(int item)
{
    assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void push(int item)
{
    int place = bottom;
    items[place] = item;
    bottom = place + 1;
}

// Whether the owner got something.
static int take(void)
{
    int first = top, place = bottom - 1;
    bottom = place;
    if (BUG != 2)
        first = top;
    if (place < first) {
        bottom = first;
        return 0;
    }
    int item = items[place];
    if (first == place) {
        int mine = BUG == 1 || atomic_compare_exchange_strong(&top, &first, first + 1);
        bottom = place + 1;
        if (BUG == 1)
            top = place + 1;
        if (!mine)
            return 0;
    }
    got(item);
    return 1;
}

static void *thief(void *unused)
{
    for (int i = 0; i < STEALS; i++) {
        int first = top;
        if (first < bottom) {
            int item = items[first];
            if (atomic_compare_exchange_strong(&top, &first, first + 1))
                got(item);
        }
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 1; i <= ITEMS; i++)
        push(i);
    pthread_create(&thread, NULL, thief, NULL);
    while (take())
        ;
    pthread_join(thread, NULL);
    for (int i = 1; i <= ITEMS; i++)
        assert(taken[i] == 1);
    return 0;
}
