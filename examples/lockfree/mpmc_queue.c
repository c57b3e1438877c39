// Vyukov's bounded queue for many producers and consumers: every place has a number that says whose
// turn it is there. With -DNO_NUMBERS a consumer trusts the producers' index instead, and takes an item
// that was announced but not yet written.
//
// check: => verified; skip O0+reduce=none
// check: -DPRODUCERS=1 => verified
// check: -DNO_NUMBERS => error assertion; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
enum { PLACES = 2 };

static struct {
    atomic_uint number;
    atomic_int item;
} places[PLACES];
static atomic_uint head, tail;

static void push(int item)
{
    for (;;) {
        unsigned mine = tail;
        if (places[mine % PLACES].number == mine
            && atomic_compare_exchange_strong(&tail, &mine, mine + 1)) {
            places[mine % PLACES].item = item;
            places[mine % PLACES].number = mine + 1;
            return;
        }
    }
}

// Takes an item, or 0 if there is none.
static int pop(void)
{
    unsigned mine = head;
#ifdef NO_NUMBERS
    if (mine == tail)
        return 0;
#else
    if (places[mine % PLACES].number != mine + 1)
        return 0;
#endif
    if (!atomic_compare_exchange_strong(&head, &mine, mine + 1))
        return 0;
    int item = places[mine % PLACES].item;
    assert(item != 0);
    places[mine % PLACES].item = 0;
    places[mine % PLACES].number = mine + PLACES;
    return item;
}

static void *producer(void *argument)
{
    push((int)(long)argument);
    return NULL;
}

int main(void)
{
    pthread_t threads[PRODUCERS];
    int sum = 0;
    for (unsigned i = 0; i < PLACES; i++)
        places[i].number = i;
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, producer, (void *)(i + 1));
    sum += pop();
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
    for (int item; (item = pop()) != 0;)
        sum += item;
    assert(sum == PRODUCERS * (PRODUCERS + 1) / 2);
    return 0;
}
