//@ libs: -lm
// The mathematical library, to the last bit.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>

#define ONE(f) printf(#f " %a\n", f(x))
#define TWO(f) printf(#f " %a\n", f(x, y))

static void at(double x, double y) {
    printf("x %a y %a\n", x, y);
    ONE(sin); ONE(cos); ONE(tan); ONE(atan); ONE(exp); ONE(exp2); ONE(expm1); ONE(sinh);
    ONE(cosh); ONE(tanh); ONE(asinh); ONE(cbrt); ONE(erf); ONE(erfc); ONE(floor); ONE(ceil);
    ONE(round); ONE(trunc); ONE(rint); ONE(nearbyint); ONE(fabs); ONE(logb);
    if (x > 0) { ONE(log); ONE(log2); ONE(log10); ONE(log1p); ONE(sqrt); ONE(tgamma); ONE(lgamma); }
    if (x >= -1 && x <= 1) { ONE(asin); ONE(acos); }
    TWO(atan2); TWO(hypot); TWO(fmod); TWO(remainder); TWO(copysign); TWO(nextafter); TWO(fdim);
    TWO(fmax); TWO(fmin);
    if (x > 0) TWO(pow);
    printf("pow %a %a fma %a\n", pow(x, 3), pow(x, -2), fma(x, y, 1.5));
    printf("%ld %lld %ld %d\n", lround(x), llrint(y), lrint(x * 10), ilogb(y));
    int e;
    double whole, m = frexp(x, &e), part = modf(y, &whole);
    printf("%a %d %a %a %a\n", m, e, part, whole, ldexp(x, 5));
}

static void floats(float x) {
    printf("%a %a %a %a %a %a %a\n", sinf(x), cosf(x), expf(x), logf(x + 2), powf(x + 2, 1.5f),
           sqrtf(x + 2), tanf(x));
}

int main(void) {
    double xs[] = {0.0, 0.5, 1.0, -1.0, 1.5, 2.0, 3.141592653589793, -7.25, 1e-8, 1e8, 123.456};
    double ys[] = {1.0, -2.5, 0.3, 1e3};
    for (unsigned i = 0; i < sizeof xs / sizeof *xs; i++)
        at(xs[i], ys[i % 4]);
    for (int i = -4; i < 5; i++)
        floats((float)i * 0.37f);
    uint64_t hash = 0;
    for (int i = 0; i < 2000; i++) {
        double r = sin(i * 0.01) * exp(i * 0.001) + pow(i + 1, 0.3) + log(i + 1), bits[1] = {r};
        uint64_t u;
        memcpy(&u, bits, 8);
        hash = hash * 1099511628211u + u;
    }
    printf("%llx\n", (unsigned long long)hash);
    double complex z = cexp(I * 1.0) * csqrt(-2.0 + I);
    printf("%.15g %.15g %.15g\n", creal(z), cimag(z), cabs(z));
    printf("%d %d %d %d\n", isnan(sqrt(-1)), isinf(exp(1000)), fpclassify(1e-310), signbit(-0.0));
    return 0;
}
