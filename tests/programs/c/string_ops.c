// The string instructions themselves: rep movs, stos, cmps, scas, both directions, all widths.
#include <stdio.h>
#include <string.h>

static unsigned char from[256], to[256];

#define MOVE(suffix, count)                                                                      \
    do {                                                                                         \
        memset(to, 0, sizeof to);                                                                \
        void *d = to, *s = from;                                                                 \
        long n = (count);                                                                        \
        __asm__ volatile("rep movs" suffix : "+D"(d), "+S"(s), "+c"(n) : : "memory");            \
        report("movs" suffix, (unsigned char *)d - to, (unsigned char *)s - from, n);            \
    } while (0)

#define STORE(suffix, count)                                                                     \
    do {                                                                                         \
        memset(to, 0, sizeof to);                                                                \
        void *d = to;                                                                            \
        long n = (count);                                                                        \
        __asm__ volatile("rep stos" suffix                                                       \
                         : "+D"(d), "+c"(n)                                                      \
                         : "a"(0x1122334455667788)                                               \
                         : "memory");                                                            \
        report("stos" suffix, (unsigned char *)d - to, 0, n);                                    \
    } while (0)

static void report(const char *what, long d, long s, long n) {
    unsigned sum = 0;
    for (int i = 0; i < 256; i++)
        sum = sum * 31 + to[i];
    printf("%s %ld %ld %ld %u\n", what, d, s, n, sum);
}

int main(void) {
    for (int i = 0; i < 256; i++)
        from[i] = (unsigned char)(i * 5 + 3);
    MOVE("b", 100); MOVE("w", 33); MOVE("l", 17); MOVE("q", 9); MOVE("b", 0);
    STORE("b", 99); STORE("w", 31); STORE("l", 15); STORE("q", 7);
    void *d = to + 50, *s = from + 60;
    long n = 20;
    __asm__ volatile("std; rep movsb; cld" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    report("std", (unsigned char *)d - to, (unsigned char *)s - from, n);
    memcpy(to, from, 256);
    to[77] ^= 1;
    d = to, s = from, n = 256;
    unsigned char equal;
    __asm__ volatile("repe cmpsb; sete %3" : "+D"(d), "+S"(s), "+c"(n), "=r"(equal) : : "memory");
    printf("cmps %ld %ld %d\n", (long)((unsigned char *)d - to), n, equal);
    d = from, n = 256;
    __asm__ volatile("repne scasb; sete %2"
                     : "+D"(d), "+c"(n), "=r"(equal)
                     : "a"(from[200])
                     : "memory");
    printf("scas %ld %ld %d\n", (long)((unsigned char *)d - from), n, equal);
    unsigned long value;
    s = from;
    __asm__ volatile("lodsq; bswap %%rax" : "=a"(value), "+S"(s) : : "memory");
    printf("lods %lx %ld\n", value, (long)((unsigned char *)s - from));
    return 0;
}
