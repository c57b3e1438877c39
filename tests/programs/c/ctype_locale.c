// Character classes, locales, and formats that depend on them.
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void) {
    for (int c = -1; c < 256; c++) {
        int mask = !!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3 |
                   !!islower(c) << 4 | !!ispunct(c) << 5 | !!isprint(c) << 6 | !!iscntrl(c) << 7 |
                   !!isxdigit(c) << 8 | !!isgraph(c) << 9 | !!isblank(c) << 10;
        printf("%x%c", mask, c % 16 == 15 ? '\n' : ' ');
    }
    for (const char *p = "Hello, World 42"; *p; p++)
        putchar(isupper((unsigned char)*p) ? tolower(*p) : toupper(*p));
    puts("");
    printf("%s %s\n", setlocale(LC_ALL, NULL), setlocale(LC_ALL, "nowhere") ? "?" : "no");
    struct lconv *conventions = localeconv();
    printf("[%s] [%s]\n", conventions->decimal_point, conventions->thousands_sep);
    printf("%d %d\n", strcoll("abc", "abd") < 0, strcoll("B", "a") < 0);
    struct tm when = {.tm_sec = 7, .tm_min = 5, .tm_hour = 14, .tm_mday = 29, .tm_mon = 1,
                      .tm_year = 124};
    time_t stamp = timegm(&when);
    char text[100];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %A %b %B %j %U %p %y %%", &when);
    printf("%lld %s\n", (long long)stamp, text);
    time_t moments[] = {0, 951782400, 1709164799, 4102444800, -86400};
    for (int i = 0; i < 5; i++) {
        struct tm broken;
        gmtime_r(&moments[i], &broken);
        printf("%s", asctime_r(&broken, text));
        printf("%lld %d %d\n", (long long)mktime(&broken), broken.tm_wday, broken.tm_yday);
    }
    printf("%.1f\n", difftime(1000, 400));
    return 0;
}
