// The first program: what it prints natively, it prints on the virtual CPU.
//   samovar run examples/hello.c you
//
// check: => verified; tiny
// check: you => verified; tiny
#include <stdio.h>

int main(int argc, char **argv)
{
    printf("hello, %s\n", argc > 1 ? argv[1] : "world");
    return 0;
}
