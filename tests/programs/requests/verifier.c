// The names of verification benchmarks; natively open values are zero.
#include <stdio.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void *__VERIFIER_nondet_pointer(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_error(void);
extern void __VERIFIER_assert(int);
extern void reach_error(void);

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    printf("%d", __VERIFIER_nondet_int());
    printf(" %u\n", __VERIFIER_nondet_uint());
    printf("%d", __VERIFIER_nondet_char());
    printf(" %d\n", __VERIFIER_nondet_uchar());
    printf("%d", __VERIFIER_nondet_short());
    printf(" %d\n", __VERIFIER_nondet_ushort());
    printf("%ld", __VERIFIER_nondet_long());
    printf(" %lu\n", __VERIFIER_nondet_ulong());
    printf("%d", __VERIFIER_nondet_bool());
    printf(" %d\n", __VERIFIER_nondet_pointer() != NULL);
    printf("%g", __VERIFIER_nondet_float());
    printf(" %g\n", __VERIFIER_nondet_double());
    __VERIFIER_atomic_begin();
    printf("inside\n");
    __VERIFIER_atomic_end();
    __VERIFIER_assert(1);
    __VERIFIER_assume(strcmp(what, "assume") != 0);
    if (strcmp(what, "error") == 0)
        __VERIFIER_error();
    if (strcmp(what, "reach") == 0)
        reach_error();
    __VERIFIER_assert(strcmp(what, "assert") != 0);
    printf("end\n");
    return 0;
}
