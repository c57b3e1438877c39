// The queue of Michael and Scott: a linked list that always begins with a dummy node. Who takes an item
// makes its node the new dummy and frees the old one, while another thread, who has just read the head,
// is about to look at its successor: use after free. With -DFIX old nodes are freed at the end.
//
// check: => error memory use-after-free; skip model=none
// check: -DFIX => verified; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int item;
};

static _Atomic(struct node *) head, tail;

static struct node *make(int item)
{
    struct node *node = malloc(sizeof *node);
    atomic_init(&node->next, NULL);
    node->item = item;
    return node;
}

static void put(int item)
{
    struct node *node = make(item);
    for (;;) {
        struct node *last = tail, *next = last->next;
        if (next) { // somebody has appended but not yet moved the tail: help
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

// Takes an item, or 0; the old dummy goes to *old.
static int take(struct node **old)
{
    for (;;) {
        struct node *first = head, *last = tail, *next = first->next;
        if (!next) {
            *old = NULL;
            return 0;
        }
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
        int item = next->item;
        if (atomic_compare_exchange_strong(&head, &first, next)) {
            *old = first;
            return item;
        }
    }
}

static void *taker(void *unused)
{
    struct node *old;
    (void)unused;
    assert(take(&old) != 0);
#ifdef FIX
    return old;
#else
    free(old);
    return NULL;
#endif
}

int main(void)
{
    pthread_t threads[2];
    void *old[2];
    struct node *none;
    head = tail = make(0);
    put(1);
    put(2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, taker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &old[i]);
    assert(take(&none) == 0);
    for (int i = 0; i < 2; i++)
        free(old[i]);
    free(head);
    return 0;
}
