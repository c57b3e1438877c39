// Integer, character, string and pointer conversions of printf.
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    long long values[] = {0, 1, -1, 42, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN, 1234567890123LL};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        long long v = values[i];
        printf("%lld|%llu|%llx|%llX|%llo|%#llx|%#llo\n", v, v, v, v, v, v, v);
        printf("%30lld|%-30lld|%030lld|%+lld|% lld|%.20lld\n", v, v, v, v, v, v);
        printf("%d %u %hd %hu %hhd %hhu %ld %zd %jd %td\n", (int)v, (unsigned)v, (short)v,
               (unsigned short)v, (signed char)v, (unsigned char)v, (long)v, (size_t)v,
               (intmax_t)v, (ptrdiff_t)v);
    }
    printf("%*d|%-*d|%.*d|%*.*d\n", 8, 42, 8, 42, 5, 42, 10, 4, 42);
    printf("%c%c%c|%5c|%-5c|\n", 'a', 'b', 'c', 'x', 'y');
    printf("%s|%10s|%-10s|%.2s|%10.3s|%s\n", "plain", "right", "left", "cut", "abcdef", "");
    printf("%p %p\n", (void *)0, (void *)0x1234abcd);
    printf("%2$s %1$s %2$s\n", "one", "two");
    printf("%%|%5%|\n");
    printf("%" PRIu64 " %" PRIx8 " %" PRIi16 "\n", UINT64_C(18446744073709551615), (uint8_t)200,
           (int16_t)-5);
    int written = 0;
    int total = printf("count%n this\n", &written);
    printf("%d %d\n", written, total);
    char buffer[16];
    int needed = snprintf(buffer, sizeof buffer, "%s %d", "a rather long text", 12345);
    printf("%d [%s]\n", needed, buffer);
    puts("puts");
    putchar('!');
    fputs(" fputs\n", stdout);
    fprintf(stderr, "to stderr %d\n", 7);
    return 0;
}
