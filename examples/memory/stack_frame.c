// A thread is given a pointer into the stack frame of a function that does not wait for it: by the time
// it looks, the frame may be another function's. With -DFIX the function waits.
//
// check: => error assertion; tiny
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_t thread;

static void *worker(void *argument)
{
    assert(*(atomic_int *)argument == 42);
    return NULL;
}

static __attribute__((noinline)) void start(void)
{
    atomic_int task = 42;
    pthread_create(&thread, NULL, worker, &task);
#ifdef FIX
    pthread_join(thread, NULL);
#endif
}

// Uses the same piece of the stack for something else.
static __attribute__((noinline)) void something_else(void)
{
    atomic_int scratch[64];
    for (int i = 0; i < 64; i++)
        atomic_init(&scratch[i], i + 100);
    assert(scratch[1] == 101);
}

int main(void)
{
    start();
    something_else();
#ifndef FIX
    pthread_join(thread, NULL);
#endif
    return 0;
}
