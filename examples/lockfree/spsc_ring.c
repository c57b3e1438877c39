// A ring buffer between one producer and one consumer, without locks: each index has one writer. With
// -DEARLY the producer moves its index before the item is written; with -DNO_FULL it does not look
// whether there is room, and overwrites what was not yet read.
//
// check: => verified
// check: -DEARLY => error assertion; tiny
// check: -DNO_FULL => error assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef ITEMS
#define ITEMS 3
#endif
enum { PLACES = 2 };

static atomic_int ring[PLACES];
static atomic_uint head, tail; // of the consumer, of the producer

static int push(int item)
{
    unsigned place = tail;
#ifndef NO_FULL
    if (place - head == PLACES)
        return 0;
#endif
#ifdef EARLY
    tail = place + 1;
    ring[place % PLACES] = item;
#else
    ring[place % PLACES] = item;
    tail = place + 1;
#endif
    return 1;
}

static int pop(int *item)
{
    unsigned place = head;
    if (place == tail)
        return 0;
    *item = ring[place % PLACES];
    head = place + 1;
    return 1;
}

static void *producer(void *unused)
{
    for (int i = 1; i <= ITEMS; i++)
        while (!push(i))
            ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    for (int i = 1; i <= ITEMS; i++) {
        int item = 0;
        while (!pop(&item))
            ;
        assert(item == i);
    }
    pthread_join(thread, NULL);
    return 0;
}
