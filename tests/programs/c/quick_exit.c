//@ run: quick -> exit 3
//@ run: now -> exit 4
//@ run: plain -> exit 6
// The other ways to end: quick_exit, _exit (buffers lost), exit from deep inside.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void normal(void) { write(1, "atexit\n", 7); }
static void quick(void) { write(1, "at_quick_exit\n", 14); }
static void deep(int n) { n ? deep(n - 1) : exit(6); }

int main(int argc, char **argv) {
    atexit(normal), at_quick_exit(quick);
    printf("buffered");
    switch (argv[1][0]) {
    case 'q': quick_exit(3);
    case 'n': _exit(4);
    default: deep(50);
    }
}
