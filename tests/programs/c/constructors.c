//@ run: -> exit 5
// Constructors, destructors and atexit, in their order, on exit from main.
#include <stdio.h>
#include <stdlib.h>

static int trace;
__attribute__((constructor(201))) static void first(void) { printf("first %d\n", trace++); }
__attribute__((constructor(202))) static void second(void) { printf("second %d\n", trace++); }
__attribute__((constructor)) static void third(void) { printf("third %d\n", trace++); }
__attribute__((destructor(202))) static void last_but_one(void) { printf("d202 %d\n", trace++); }
__attribute__((destructor(201))) static void last(void) { printf("d201 %d\n", trace++); }

static void one(void) { printf("one %d\n", trace++); }
static void nested(void) { printf("nested %d\n", trace++), atexit(one); }

int main(int argc, char **argv) {
    printf("main %d %d\n", trace++, argc);
    atexit(one), atexit(nested), atexit(one);
    for (int i = 0; i < 40; i++)
        atexit(one);
    printf("no newline at the end");
    return 5;
}
