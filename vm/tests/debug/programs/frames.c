/* A deep stack: plain calls, recursion, inlined calls, a callback from the C library. */
#include <stdlib.h>

volatile int sink;

__attribute__((noinline)) static int bottom(int depth, int *out)
{
    int here = depth * 10;
    *out = here;
    __asm__ volatile("int3" : : "r"(out), "r"(&here) : "memory");
    return here + sink;
}

static inline __attribute__((always_inline)) int inlined(int value)
{
    int doubled = value * 2;
    int result = bottom(doubled, (int *)&sink);
    return result + doubled;
}

__attribute__((noinline)) static int recurse(int depth)
{
    int mine = depth + 100;
    int rest = depth == 0 ? inlined(7) : recurse(depth - 1);
    sink += mine;
    return rest + mine;
}

static int compare(const void *left, const void *right)
{
    const int *a = left, *b = right;
    int order = *a - *b;
    return order + recurse(3) * 0;
}

int main(int argc, char **argv)
{
    int numbers[2] = { 2, 1 };
    qsort(numbers, 2, sizeof numbers[0], compare);
    return numbers[0] + argc + (argv == NULL);
}
