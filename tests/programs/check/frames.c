/* An array on the stack, and what the first argument names: an access far beyond the frame, a store
 * over a return address, or one of the ways to leave frames without returning, which are all right. */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static const char *deed;
static volatile int sum, big = 500, forty = 40;
static jmp_buf place;
static ucontext_t home, one, other;

static int is(const char *name) { return strcmp(deed, name) == 0; }

__attribute__((noinline)) static void write_at(int index)
{
    volatile int values[100];
    values[index] = 42;
}

__attribute__((noinline)) static void read_at(int index)
{
    volatile int values[100];
    for (int i = 0; i < 100; i++)
        values[i] = i;
    sum = values[index];
}

__attribute__((noinline)) static void fill(int size)
{
    char text[16];
    memset(text, 'x', size);
    sum = text[3];
}

/* Arguments that do not fit into registers lie in the frame of the caller. */
__attribute__((noinline)) static int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    g += a + b + c;
    h *= g + d + e + f;
    return g + h;
}

__attribute__((noinline)) static void leave(int depth)
{
    char text[64];
    memset(text, depth, sizeof text);
    if (depth == 0)
        longjmp(place, 1);
    leave(depth - 1);
    sum = text[depth];
}

static void alternate(int first)
{
    for (int i = 0; i < 3; i++) {
        char text[64];
        memset(text, first, sizeof text);
        sum += text[i];
        swapcontext(first ? &one : &other, first ? &other : &one);
    }
}

/* Two stacks, one of them inside of a frame, that are used for something else afterwards. */
__attribute__((noinline)) static void switch_stacks(void)
{
    char here[16384], *there = malloc(16384);
    getcontext(&one);
    one.uc_stack.ss_sp = there;
    one.uc_stack.ss_size = 16384;
    one.uc_link = &home;
    makecontext(&one, (void (*)(void))alternate, 1, 1);
    getcontext(&other);
    other.uc_stack.ss_sp = here;
    other.uc_stack.ss_size = sizeof here;
    other.uc_link = &home;
    makecontext(&other, (void (*)(void))alternate, 1, 0);
    swapcontext(&home, &one);
    memset(there, 1, 16384);
    free(there);
    memset(here, 2, sizeof here);
    sum += here[sum & 1023];
}

static void *act(void *argument)
{
    if (is("write"))
        write_at(big);
    if (is("read"))
        read_at(big);
    if (is("smash"))
        fill(forty);
    if (is("inside")) {
        write_at(99);
        read_at(99);
        fill(16);
        sum = many(1, 2, 3, 4, 5, 6, forty, big);
        if (!setjmp(place))
            leave(20);
        fill(15);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    deed = argc > 1 ? argv[1] : "inside";
    if (is("inside")) {
        act(NULL);
        switch_stacks();
    }
    pthread_create(&thread, NULL, act, NULL);
    pthread_join(thread, NULL);
    return 0;
}
