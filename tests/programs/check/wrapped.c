// Plain variables that are accessed atomically, by macros of a header and through pointers, in the
// way that the argument says.
#include "wrapped.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int ready, count, data;
static atomic_int flag;

static void *reader(void *arg)
{
    while (!ONCE_READ(ready))
        ;
    return arg;
}

static void *writer(void *arg)
{
    ONCE_STORE(ready, 1);
    return arg;
}

static void *bumper(void *arg)
{
    BUMP(count); // a macro of the header that is not atomic
    return arg;
}

static void *beside(void *arg)
{
    int *slot = arg;
    atomic_int *done = &flag;
    *slot = 1, atomic_store_explicit(done, 1, memory_order_release); // one of the two
    return 0;
}

static void *pointer(void *arg)
{
    int *slot = arg;
    __atomic_store_n(slot, 1, __ATOMIC_RELEASE);
    return 0;
}

static void *value(void *arg)
{
    atomic_store_explicit(&flag, data, memory_order_release); // reads what it stores
    return arg;
}

static void *change(void *arg)
{
    data = 1; // plainly
    return arg;
}

static void both(void *(*one)(void *), void *(*other)(void *), void *arg)
{
    pthread_t first, second;
    pthread_create(&first, 0, one, arg);
    pthread_create(&second, 0, other, arg);
    pthread_join(first, 0);
    pthread_join(second, 0);
}

int main(int argc, char **argv)
{
    const char *how = argc < 2 ? "" : argv[1];
    int *block = calloc(1, sizeof *block);
    if (!strcmp(how, "header"))
        both(reader, writer, 0);
    if (!strcmp(how, "plain"))
        both(bumper, bumper, 0);
    if (!strcmp(how, "beside"))
        both(beside, beside, &count);
    if (!strcmp(how, "heap"))
        both(beside, beside, block);
    if (!strcmp(how, "pointer"))
        both(pointer, pointer, &count);
    if (!strcmp(how, "value"))
        both(value, change, 0);
    free(block);
    return 0;
}
