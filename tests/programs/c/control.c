// Computed goto, dense and sparse switches, function pointer tables, nested functions by hand.
#include <stdio.h>

static int interpret(const unsigned char *code) {
    static void *table[] = {&&push, &&add, &&mul, &&dup, &&jnz, &&dec, &&swap, &&halt};
    int stack[32], *sp = stack;
    const unsigned char *pc = code;
#define NEXT goto *table[*pc++]
    NEXT;
push: *sp++ = *pc++; NEXT;
add: sp--, sp[-1] += *sp; NEXT;
mul: sp--, sp[-1] *= *sp; NEXT;
dup: *sp = sp[-1], sp++; NEXT;
jnz: if (sp[-1]) pc = code + *pc; else pc++; NEXT;
dec: sp[-1]--; NEXT;
swap: { int t = sp[-1]; sp[-1] = sp[-2], sp[-2] = t; } NEXT;
halt: return sp[-2];
}

static int dense(int x) {
    switch (x) {
    case 0: return 5; case 1: return 9; case 2: return -3; case 3: return x * x;
    case 4: case 5: return 77; case 6: x += 2; /* on */ case 7: return x; case 8: return 1;
    default: return -1;
    }
}
static int sparse(long x) {
    switch (x) {
    case -1000000: return 1; case 7: return 2; case 1L << 40: return 3; case 99999: return 4;
    default: return x > 100 ? 5 : 6;
    }
}
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int times(int a, int b) { return a * b; }

int main(void) {
    // 1 * 2^10 by a counted loop: accumulator below, counter above.
    unsigned char code[] = {0, 1, 0, 10, 6, 0, 2, 2, 6, 5, 4, 4, 7};
    printf("%d\n", interpret(code));
    for (int i = -1; i < 10; i++)
        printf("%d ", dense(i));
    long xs[] = {-1000000, 7, 1L << 40, 99999, 0, 500};
    for (int i = 0; i < 6; i++)
        printf("%d ", sparse(xs[i]));
    int (*operations[])(int, int) = {plus, minus, times};
    int value = 1;
    for (int i = 0; i < 30; i++)
        value = operations[i % 3](value, i) % 10007;
    printf("%d\n", value);
    int n = 12, vla[n * 2], sum = 0;
    for (int i = 0; i < n * 2; i++)
        vla[i] = i * i;
    char *dynamic = __builtin_alloca((unsigned long)n);
    for (int i = 0; i < n; i++)
        dynamic[i] = (char)i, sum += vla[i * 2] - dynamic[i];
    printf("%d\n", sum);
    return 0;
}
