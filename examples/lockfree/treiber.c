// Treiber's stack on an array of nodes. A popper reads the top and its successor; before it swings
// the top to the successor, another thread pops two nodes and pushes the first one back. The top is
// the same again (ABA), the swing succeeds, and a node that somebody owns is back on the stack. With
// -DTAG the top carries a number that grows with every change, and the swing fails.
//
// check: => error assertion
// check: -DTAG => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NODES = 5 }; // node 0 is the bottom

#define NODE(top) ((top) & 0xff)
#ifdef TAG
#define NEXT_TOP(top, node) ((((top) & ~0xffu) + 0x100u) | (node))
#else
#define NEXT_TOP(top, node) (node)
#endif

static atomic_uint top;
static atomic_uint next[NODES];
static atomic_int owners[NODES];

static unsigned pop(void)
{
    for (;;) {
        unsigned old = atomic_load(&top);
        if (NODE(old) == 0)
            return 0;
        unsigned successor = atomic_load(&next[NODE(old)]);
        if (atomic_compare_exchange_strong(&top, &old, NEXT_TOP(old, successor))) {
            int others = atomic_fetch_add(&owners[NODE(old)], 1);
            assert(others == 0);
            return NODE(old);
        }
    }
}

static void push(unsigned node)
{
    atomic_fetch_sub(&owners[node], 1);
    for (;;) {
        unsigned old = atomic_load(&top);
        atomic_store(&next[node], NODE(old));
        if (atomic_compare_exchange_strong(&top, &old, NEXT_TOP(old, node)))
            return;
    }
}

static void *pop_one(void *unused)
{
    pop();
    return unused;
}

static void *pop_two_push_one(void *unused)
{
    unsigned first = pop();
    pop();
    if (first)
        push(first);
    return unused;
}

int main(void)
{
    pthread_t slow, quick;
    for (unsigned node = 1; node < NODES; node++)
        next[node] = (node + 1) % NODES;
    top = 1;
    pthread_create(&slow, NULL, pop_one, NULL);
    pthread_create(&quick, NULL, pop_two_push_one, NULL);
    pthread_join(slow, NULL);
    pthread_join(quick, NULL);
    while (pop())
        ;
    return 0;
}
