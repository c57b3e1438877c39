// The names as weak symbols that nobody defines: natively absent, here when checked.
#include <stdio.h>

extern int __VERIFIER_nondet_int(void) __attribute__((weak));
extern double __VERIFIER_nondet_double(void) __attribute__((weak));
extern void __VERIFIER_assume(int) __attribute__((weak));
extern void __VERIFIER_atomic_begin(void) __attribute__((weak));
extern void __VERIFIER_atomic_end(void) __attribute__((weak));
extern void reach_error(void) __attribute__((weak));

int main(void)
{
    if (!__VERIFIER_nondet_int) {
        printf("nobody answers\n");
        return 0;
    }
    __VERIFIER_atomic_begin();
    int value = __VERIFIER_nondet_int();
    __VERIFIER_atomic_end();
    double number = __VERIFIER_nondet_double();
    __VERIFIER_assume(value >= 0);
    printf("%d %g\n", value, number);
    if (value > 1)
        reach_error();
    printf("end\n");
    return 0;
}
