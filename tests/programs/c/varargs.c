// Variable argument lists of all kinds, including many and mixed arguments.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pair { long a, b; };
struct big { int v[10]; };

static double sum(const char *kinds, ...) {
    va_list list, copy;
    va_start(list, kinds);
    va_copy(copy, list);
    double total = 0;
    for (const char *k = kinds; *k; k++) {
        switch (*k) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += (double)va_arg(list, long); break;
        case 'd': total += va_arg(list, double); break;
        case 'L': total += (double)va_arg(list, long double); break;
        case 's': total += (double)strlen(va_arg(list, char *)); break;
        case 'p': { struct pair p = va_arg(list, struct pair); total += (double)(p.a * p.b); break; }
        case 'b': { struct big b = va_arg(list, struct big); total += b.v[0] + b.v[9]; break; }
        }
    }
    va_end(list);
    if (kinds[0] == 'i')
        total += va_arg(copy, int) * 1000;
    va_end(copy);
    return total;
}

static int logged(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(to, size, format, list);
    va_end(list);
    return n;
}

int main(void) {
    struct pair p = {6, 7};
    struct big b = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    printf("%g\n", sum(""));
    printf("%g\n", sum("iii", 1, 2, 3));
    printf("%g\n", sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf("%g\n", sum("dddddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.));
    printf("%g\n", sum("idlsLpbid", 1, 2.5, 3L, "four", 5.25L, p, b, 8, 9.5));
    printf("%g\n", sum("LLpbp", 1.5L, 2.5L, p, b, p));
    char text[64];
    int n = logged(text, sizeof text, "%d-%s-%.1f-%c", 5, "x", 2.25, '!');
    printf("%d %s\n", n, text);
    return 0;
}
