// 128-bit integers: arithmetic, division, shifts, conversion.
#include <stdio.h>

typedef __int128 i128;
typedef unsigned __int128 u128;

static void show(const char *what, u128 v) {
    char digits[40];
    int n = 0;
    u128 rest = v;
    do
        digits[n++] = (char)('0' + (int)(rest % 10)), rest /= 10;
    while (rest);
    printf("%s %016llx%016llx ", what, (unsigned long long)(v >> 64), (unsigned long long)v);
    while (n--)
        putchar(digits[n]);
    putchar('\n');
}

int main(void) {
    volatile unsigned long long high = 0x0123456789abcdefULL, low = 0xfedcba9876543210ULL;
    u128 a = (u128)high << 64 | low, b = (u128)low * high;
    show("a", a), show("b", b), show("sum", a + b), show("difference", a - b);
    show("product", a * b), show("quotient", b / high), show("remainder", b % high);
    show("deep", (b << 7) / (a >> 70)), show("negated", -a);
    for (int i = 0; i < 128; i += 9)
        show("left", a << i), show("right", a >> i), show("arithmetic", (u128)((i128)b >> i));
    i128 n = -(i128)a;
    printf("%d %d %d %d\n", n < 0, n / 3 < 0, (int)(n % 1000), (int)(-n % 1000));
    printf("%.17g %.17g %d\n", (double)n, (double)a, (u128)1e30 > a);
    u128 f = 1;
    for (int i = 2; i <= 34; i++)
        f *= (unsigned)i;
    show("34!", f);
    unsigned long long out;
    printf("%d %d\n", __builtin_mul_overflow(high, 300ULL, &out),
           __builtin_add_overflow(low, low, &out));
    return 0;
}
