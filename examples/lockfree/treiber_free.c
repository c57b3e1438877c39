// Treiber's stack with nodes from the heap. A popper has read the top and is about to read its
// successor; meanwhile another one pops the node and frees it: use after free. With -DFIX popped nodes
// are put aside and freed when nobody can look at them any more (which also prevents ABA).
//
// check: => error memory use-after-free; skip model=none
// check: -DFIX => verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(struct node *node)
{
    struct node *old = top;
    do
        node->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, node));
}

static struct node *pop(void)
{
    struct node *old = top;
    while (old && !atomic_compare_exchange_strong(&top, &old, old->next))
        ;
    return old;
}

static void *popper(void *unused)
{
    struct node *mine = pop();
    (void)unused;
#ifdef FIX
    return mine;
#else
    free(mine);
    return NULL;
#endif
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        push(malloc(sizeof(struct node)));
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, popper, NULL);
    void *retired[N];
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], &retired[i]);
    for (int i = 0; i < N; i++)
        free(retired[i]);
    return 0;
}
