// Deep and wide recursion: Ackermann, Fibonacci, mutual recursion, a megabyte of frames.
#include <stdio.h>

static unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static long deep(long n) {
    volatile char pad[100];
    pad[n % 100] = (char)n;
    return n == 0 ? 0 : deep(n - 1) + pad[n % 100] % 7;
}
static void hanoi(int n, int from, int to, long *moves, unsigned *trace) {
    if (n == 0)
        return;
    hanoi(n - 1, from, 6 - from - to, moves, trace);
    ++*moves, *trace = *trace * 31 + (unsigned)(from * 4 + to);
    hanoi(n - 1, 6 - from - to, to, moves, trace);
}

int main(void) {
    printf("%u %u %d %ld\n", ackermann(2, 60), fibonacci(20), even(5001), deep(20000));
    long moves = 0;
    unsigned trace = 0;
    hanoi(12, 1, 3, &moves, &trace);
    printf("%ld %u\n", moves, trace);
    return 0;
}
