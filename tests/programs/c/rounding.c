//@ libs: -lm
//@ cflags: -frounding-math
//@ not: musl
// The floating-point environment: rounding modes, exceptions, SSE and x87 alike.
#include <fenv.h>
#include <math.h>
#include <stdio.h>

static volatile double one = 1, three = 3, ten = 10, half = 2.5, big = 1e308, zero = 0;
static volatile float onef = 1, threef = 3;
static volatile long double onel = 1, threel = 3;

static void flags(const char *what) {
    int f = fetestexcept(FE_ALL_EXCEPT);
    printf("%s:%s%s%s%s%s\n", what, f & FE_INVALID ? " invalid" : "",
           f & FE_DIVBYZERO ? " divide" : "", f & FE_OVERFLOW ? " overflow" : "",
           f & FE_UNDERFLOW ? " underflow" : "", f & FE_INEXACT ? " inexact" : "");
    feclearexcept(FE_ALL_EXCEPT);
}

int main(void) {
    int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (int i = 0; i < 4; i++) {
        printf("%d %d\n", fesetround(modes[i]), fegetround() == modes[i]);
        printf("%a %a %La\n", one / three, onef / threef, onel / threel);
        printf("%a %a\n", -one / three, ten * 0.1);
        printf("%g %g %ld %ld\n", rint(half), rint(-half), lrint(half + 1), lrintf(2.5f * onef));
        printf("%a %a\n", sqrt(three), (double)(float)(one / three));
        printf("%.3f %.0f\n", one / three, half);
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double sink = one / three;
    flags("inexact");
    sink = one / zero, flags("divide");
    sink = zero / zero, flags("invalid");
    sink = big * ten, flags("overflow");
    sink = 1e-308 / ten / big, flags("underflow");
    sink = sqrt(-one), flags("root");
    volatile long double sinkl = threel / (threel - 3);
    flags("x87 divide");
    sinkl = onel / threel, flags("x87 inexact");
    volatile int whole = (int)half;
    flags("convert");
    sink = one + one, flags("exact");
    fenv_t saved;
    feholdexcept(&saved);
    sink = one / zero;
    feupdateenv(&saved);
    flags("updated");
    return 0;
}
