//@ run: 0 -> exit 0
//@ run: 1 -> exit 1
//@ run: 2 -> exit 2
//@ run: 42 -> exit 42
//@ run: 101 -> exit 101
//@ run: 127 -> exit 127
//@ run: 128 -> exit 128
//@ run: 139 -> exit 139
//@ run: 255 -> exit 255
//@ run: 256 -> exit 0
//@ run: -1 -> exit 255
//@ run: 1000 -> exit 232
// The exit status, its low byte.
#include <stdlib.h>

int main(int argc, char **argv) { return atoi(argv[1]); }
