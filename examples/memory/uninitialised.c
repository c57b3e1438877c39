// Memory that nobody has written decides something: a variable that is set in some cases only, or
// with -DHEAP a member of a block of the heap. It need not be wrong in every execution, and is not
// in those where the memory happens to be zero. With -DFIX it is set always.
//
// check: => error memory uninitialised; tiny
// check: -DHEAP => error memory uninitialised; skip model=none
// check: -DFIX => verified; tiny
// check: -DHEAP -DFIX => verified; tiny
#include <pthread.h>
#include <stdlib.h>

struct order {
    int amount;
    int urgent;
};

static int urgent_orders;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void take(struct order *order, int amount)
{
    order->amount = amount;
#ifdef FIX
    order->urgent = 0;
#endif
    if (amount > 100)
        order->urgent = 1;
}

static void *worker(void *argument)
{
    (void)argument;
#ifdef HEAP
    struct order *order = malloc(sizeof *order);
#else
    struct order on_stack, *order = &on_stack;
#endif
    take(order, 7);
    if (order->urgent) {
        pthread_mutex_lock(&lock);
        urgent_orders++;
        pthread_mutex_unlock(&lock);
    }
#ifdef HEAP
    free(order);
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
