//@ stdin: 12 -7 0x1f 3.25 word\n  8 9 [abc]rest 1e-5 077 c\n99999999999999999999 end\n
// Reading numbers and words, and the conversion functions below them.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void doubles(void) {
    const char *texts[] = {"1",       "-0",        "3.14159", "1e308",  "1e309",   "4.9e-324",
                           "1e-400",  "0x1.8p3",   "inf",     "-nan",   "123abc",  "  42.5 ",
                           "0.1",     "2.2250738585072011e-308", "9007199254740993", ".5", "e5"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        errno = 0;
        double value = strtod(texts[i], &end);
        printf("%s -> %.17g rest [%s] errno %d\n", texts[i], isnan(value) ? 0 : value, end,
               errno == ERANGE);
    }
    printf("%.9g %.9g\n", strtof("0.1", 0), strtof("16777217", 0));
}

int main(void) {
    int a, b, c;
    double d;
    char word[16], set[16], letter;
    int got = scanf("%d %d %i %lf %15s", &a, &b, &c, &d, word);
    printf("%d: %d %d %d %g %s\n", got, a, b, c, d, word);
    short h;
    long l;
    got = scanf("%hd%ld [%[a-c]]%15s", &h, &l, set, word);
    printf("%d: %d %ld %s %s\n", got, h, l, set, word);
    float f;
    unsigned o;
    int position;
    got = scanf("%f %o %c%n", &f, &o, &letter, &position);
    printf("%d: %g %u %c %d\n", got, f, o, letter, position);
    long long huge;
    got = scanf("%lld %3[a-z]%*c", &huge, word);
    printf("%d: %lld %s\n", got, huge, word);
    printf("%d\n", scanf("%d", &a));
    int x, y;
    got = sscanf("17/4", "%d/%d", &x, &y);
    printf("%d %d/%d\n", got, x, y);
    doubles();
    char *end;
    long base36 = strtol("zz9 tail", &end, 36);
    printf("%ld %s\n", base36, end);
    printf("%lu %ld %lld\n", strtoul("4294967296", 0, 10), strtol("-0777", 0, 0), atoll("12x"));
    errno = 0;
    printf("%ld %d\n", strtol("99999999999999999999", 0, 10), errno == ERANGE);
    printf("%.3f %d\n", atof("2.718"), atoi("   -19"));
    return 0;
}
