//@ libs: -lm
// Floating-point conversions of printf.
#include <float.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile double zero = 0.0;
    double values[] = {0.0, -0.0, 1.0, -1.5, 3.141592653589793, 1e10, 1e-10, 123456789.123456789,
                       DBL_MAX, DBL_MIN, DBL_EPSILON, 4.9e-324, 0.1, 2.5, 3.5, 1e22, 1e23,
                       9007199254740993.0, 0.5, 99.95, 999999.5, 1.0 / 3.0};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        double v = values[i];
        printf("%f|%.0f|%.3f|%10.2f|%-12.4f|%+f|%012.3f\n", v, v, v, v, v, v, v);
        printf("%e|%.0e|%.10e|%E|%g|%.3g|%.17g|%G|%#g\n", v, v, v, v, v, v, v, v, v);
        printf("%a|%.2a|%A\n", v, v, v);
    }
    printf("%f %e %g %F\n", INFINITY, -INFINITY, 1.0 / zero, -1.0 / zero);
    printf("%f %g\n", fabs(NAN), fabs(zero / zero));
    printf("%.100f\n", 0.1);
    printf("%.50e\n", 1.0 / 7.0);
    float f = 16777217.0f;
    printf("%f %.9g %a\n", f, f, f);
    for (int i = -20; i <= 20; i++)
        printf("%g ", pow(10, i) * 1.5);
    puts("");
    return 0;
}
