/* Inlined calls, several functions, a line with two statements, and code without a line. */
#include "lines.h"

volatile int sink;

static int leaf(int x) { return x * 3 + sink; }

static inline int middle(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++) sum += leaf(i);
    return sum;
}

int outer(int x)
{
    sink = x;
    int first = middle(x); int second = square(first);
    return first + second;
}

static int apply(int (*f)(int), int x) { return f(x); }

int main(void)
{
    sink = apply(outer, 5);
    return square(sink) > 0 ? 0 : 1;
}
