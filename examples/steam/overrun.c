// StEAM's stack overrun: element 500 of an array of 100. A write a little behind the array would hit
// the same frame or that of a caller, which may well be meant; this one leaves both, and the stack as
// well where little lies above it. With -DFIX the index is right.
//
// check: => error memory; tiny
// check: -DFIX => verified; tiny
#include <stdlib.h>

#ifdef FIX
enum { INDEX = 50 };
#else
enum { INDEX = 500 };
#endif

int main(int argc, char **argv)
{
    (void)argv;
    volatile int i[100];
    i[INDEX * argc] = 42;
    return i[INDEX * argc] == 42 ? 0 : EXIT_FAILURE;
}
