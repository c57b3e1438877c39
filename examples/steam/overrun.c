// StEAM's stack overrun: element 500 of an array of 100. The address belongs to the stack, so neither
// the operating system nor a debugger minds, but not to this function. With -DFIX the index is right.
//
// check: => error memory; tiny
// check: -DFIX => verified; tiny
#include <stdlib.h>

static int fill(volatile int *where, int index)
{
    where[index] = 42;
    return where[index];
}

static int overrun(int index)
{
    volatile int numbers[100];
    return fill(numbers, index);
}

// The caller's caller has a large frame: that is where the number ends up.
static int caller(int index)
{
    volatile char room[4096];
    room[0] = 0;
    room[4095] = 1;
    return overrun(index) + room[0];
}

int main(int argc, char **argv)
{
    (void)argv;
#ifdef FIX
    int index = 50;
#else
    int index = 500;
#endif
    return caller(index * argc) == 42 ? 0 : EXIT_FAILURE;
}
