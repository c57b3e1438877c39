// The smallest program that says something.
#include <stdio.h>

int main(void) {
    puts("hello, world");
    return 0;
}
