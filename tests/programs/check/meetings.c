// Two threads that touch the same memory, in the way that the argument says. Where that memory has
// no type that anybody could know, it is worth a note; where it has one, it is an error.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    long guarded;
    long loose;
    atomic_int ready;
};

struct pair {
    atomic_int flag;
    int plain; // in the same word
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair pair;

static void *heap(void *arg)
{
    struct tally *tally = arg;
    pthread_mutex_lock(&lock);
    tally->guarded++;
    pthread_mutex_unlock(&lock);
    tally->loose = 1; // nothing orders this
    return 0;
}

static void *half(void *arg)
{
    struct tally *tally = arg;
    pthread_mutex_lock(&lock);
    tally->loose = 2; // the other one does not lock
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *guarded(void *arg)
{
    struct tally *tally = arg;
    pthread_mutex_lock(&lock);
    tally->guarded++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *atomics(void *arg)
{
    struct tally *tally = arg;
    atomic_store_explicit(&tally->ready, 1, memory_order_release);
    return 0;
}

static void *stack(void *arg)
{
    *(long *)arg = 1; // a variable of main's
    return 0;
}

static void *folded(void *arg)
{
    long *slot = arg;
    long was = *slot; // for gcc it is where it comes from, until that changes
    *slot = 1;
    return 0;
}

static void *flag(void *arg)
{
    atomic_store_explicit(&pair.flag, 1, memory_order_release);
    return arg;
}

static void *neighbour(void *arg)
{
    flag(arg);
    pair.plain = 1; // a race in a word in which threads also meet rightly
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
    struct tally *tally = calloc(1, sizeof *tally);
    long local = 0;
    if (!strcmp(how, "heap"))
        both(heap, heap, tally);
    if (!strcmp(how, "half"))
        both(heap, half, tally);
    if (!strcmp(how, "guarded"))
        both(guarded, guarded, tally);
    if (!strcmp(how, "atomics"))
        both(atomics, atomics, tally);
    if (!strcmp(how, "stack"))
        both(stack, stack, &local);
    if (!strcmp(how, "folded"))
        both(folded, folded, &tally->loose);
    if (!strcmp(how, "folded on the stack"))
        both(folded, folded, &local);
    if (!strcmp(how, "flag"))
        both(flag, flag, 0);
    if (!strcmp(how, "neighbour"))
        both(neighbour, neighbour, 0);
    free(tally);
    return local > 1;
}
