// Structures by value: returned, passed, assigned, nested; big ones become string instructions.
#include <stdio.h>
#include <string.h>

struct small { char c; short s; };
struct mixed { float f; double d; int i; };
struct huge { long v[500]; char tail[3]; };
struct bits { unsigned a : 3, b : 7; signed c : 5; unsigned long long d : 40; };
union view { double d; unsigned char bytes[8]; unsigned long long u; };

static struct huge global;
static struct small make_small(int i) { return (struct small){(char)i, (short)(i * 100)}; }
static struct mixed make_mixed(int i) { return (struct mixed){i + .5f, i * .25, i}; }
static struct huge make_huge(long start) {
    struct huge h;
    for (int i = 0; i < 500; i++)
        h.v[i] = start + i;
    memcpy(h.tail, "ab", 3);
    return h;
}
static long total(struct huge h) {
    long sum = h.tail[0];
    for (int i = 0; i < 500; i++)
        sum += h.v[i];
    h.v[0] = -1;
    return sum;
}

int main(void) {
    struct small s = make_small(7);
    struct mixed m = make_mixed(9);
    printf("%d %d %g %g %d\n", s.c, s.s, m.f, m.d, m.i);
    struct huge h = make_huge(1000), copy = h, array[3];
    copy.v[499] = 0;
    global = copy;
    array[2] = array[1] = global;
    printf("%ld %ld %ld %s\n", total(h), total(copy), total(array[2]), array[1].tail);
    printf("%ld %d\n", h.v[0], memcmp(&array[1], &global, sizeof global) == 0);
    struct bits b = {5, 100, -7, 0x123456789aULL};
    b.a += 4, b.c *= 2, b.d++;
    printf("%u %u %d %llx %zu\n", b.a, b.b, b.c, (unsigned long long)b.d, sizeof b);
    union view v = {.d = -1.5};
    for (int i = 0; i < 8; i++)
        printf("%02x", v.bytes[i]);
    v.u ^= 1ULL << 63;
    printf(" %g\n", v.d);
    int grid[4][5] = {{1, 2}, {[3] = 9}}, (*row)[5] = grid + 1;
    printf("%d %d %zu\n", (*row)[3], grid[0][1], sizeof grid);
    volatile char zeros[3000] = {0}, fill[300];
    int sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += zeros[i];
    memset((char *)fill, 1, 300);
    for (int i = 0; i < 300; i++)
        sum += fill[i];
    printf("%d\n", sum);
    return 0;
}
