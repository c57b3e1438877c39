//@ libs: -lm
// x87 arithmetic and long double conversions.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    long double values[] = {0.0L, -0.0L, 1.0L, -2.25L, 3.14159265358979323846L, 1e100L, 1e-100L,
                            LDBL_EPSILON, 1e4000L, 1e-4000L, 0.1L, 1.0L / 3.0L};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        long double v = values[i];
        printf("%Lf|%.3Le|%Lg|%.21Lg|%La\n", fabsl(v) < 1e30L ? v : 1.0L, v, v, v, v);
        printf("%.10Lg %.10Lg %.10Lg\n", v + 1.5L, v * 3.0L, v / 7.0L);
    }
    long double sum = 0;
    for (int i = 1; i <= 1000; i++)
        sum += 1.0L / i;
    printf("%.18Lf\n", sum);
    printf("%.15Lf %.15Lf %.15Lf\n", sqrtl(2.0L), floorl(-1.5L), ceill(1.2L));
    printf("%.15Lf %.15Lf %.15Lf\n", sinl(1.0L), expl(1.0L), logl(10.0L));
    printf("%.15Lf %.15Lf\n", powl(2.0L, 0.5L), atan2l(1.0L, 2.0L));
    printf("%lld %ld %d\n", llrintl(2.5L), lrintl(-3.5L), (int)-7.9L);
    printf("%llu %.1Lf\n", (unsigned long long)1.8e19L, (long double)18446744073709551615ULL);
    printf("%.18Lg\n", strtold("1.234567890123456789e-5", 0));
    volatile long double big = LDBL_MAX;
    printf("%Lg %d %d\n", big * 2, isinf(big * 2), isnan(big * 2 - big * 2));
    printf("%.18Lg %.18Lg\n", fmodl(10.5L, 3.2L), remainderl(10.5L, 3.2L));
    int exponent;
    long double mantissa = frexpl(1000.0L, &exponent);
    printf("%.10Lf %d %.10Lf\n", mantissa, exponent, ldexpl(mantissa, exponent));
    return 0;
}
