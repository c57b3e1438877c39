/* samovar_verifier.c: the names that verification benchmarks use, on top of samovar.h.
 *
 *   cc program.c samovar_verifier.c
 *
 * `samovar check` and `samovar run` do this by themselves for a source file that mentions the
 * names. Every definition yields to one of the program's own. Values that the program leaves open
 * are zero natively.
 */
#include "samovar.h"

#include <stddef.h>

#define WEAK __attribute__((__weak__))

enum { SIGNED, UNSIGNED, BOOLEAN, FLOATING };

#define BITS(name, class, bits)                                                                    \
    samovar_or_(SAMOVAR_REQUEST_(SAMOVAR_VALUE_, name, class, bits), SAMOVAR_VALUE_, 0)

#define OPEN(type, name, class)                                                                    \
    type __VERIFIER_nondet_##name(void);                                                           \
    WEAK type __VERIFIER_nondet_##name(void)                                                       \
    {                                                                                              \
        return (type)BITS(#name, class, sizeof(type) * 8);                                         \
    }

#if '\xff' < 0
OPEN(char, char, SIGNED)
#else
OPEN(char, char, UNSIGNED)
#endif
OPEN(signed char, schar, SIGNED)
OPEN(unsigned char, uchar, UNSIGNED)
OPEN(short, short, SIGNED)
OPEN(unsigned short, ushort, UNSIGNED)
OPEN(int, int, SIGNED)
OPEN(unsigned, uint, UNSIGNED)
OPEN(unsigned, unsigned, UNSIGNED)
OPEN(long, long, SIGNED)
OPEN(unsigned long, ulong, UNSIGNED)
OPEN(long long, longlong, SIGNED)
OPEN(unsigned long long, ulonglong, UNSIGNED)
OPEN(size_t, size_t, UNSIGNED)
OPEN(long long, loff_t, SIGNED)
OPEN(unsigned char, u8, UNSIGNED)
OPEN(unsigned short, u16, UNSIGNED)
OPEN(unsigned, u32, UNSIGNED)
OPEN(unsigned long long, u64, UNSIGNED)
OPEN(_Bool, bool, BOOLEAN)
OPEN(_Bool, _Bool, BOOLEAN)
OPEN(void *, pointer, UNSIGNED)
OPEN(char *, pchar, UNSIGNED)
OPEN(char *, charp, UNSIGNED)

float __VERIFIER_nondet_float(void);
WEAK float __VERIFIER_nondet_float(void)
{
    union {
        unsigned bits;
        float value;
    } both = {(unsigned)BITS("float", FLOATING, 32)};
    return both.value;
}

double __VERIFIER_nondet_double(void);
WEAK double __VERIFIER_nondet_double(void)
{
    union {
        unsigned long long bits;
        double value;
    } both = {BITS("double", FLOATING, 64)};
    return both.value;
}

void __VERIFIER_assume(int condition);
WEAK void __VERIFIER_assume(int condition)
{
    samovar_assume(condition);
}

void __VERIFIER_atomic_begin(void);
WEAK void __VERIFIER_atomic_begin(void)
{
    samovar_begin_atomic();
}

void __VERIFIER_atomic_end(void);
WEAK void __VERIFIER_atomic_end(void)
{
    samovar_end_atomic();
}

static __attribute__((__noreturn__)) void called(const char *name)
{
    SAMOVAR_TELL_(SAMOVAR_UNREACHABLE_, name, 0, 0);
    fflush(stdout);
    fprintf(stderr, "%s was called\n", name);
    abort();
}

void __VERIFIER_error(void);
WEAK void __VERIFIER_error(void)
{
    called("__VERIFIER_error");
}

void reach_error(void);
WEAK void reach_error(void)
{
    called("reach_error");
}

void __VERIFIER_assert(int condition);
WEAK void __VERIFIER_assert(int condition)
{
    if (!condition)
        called("__VERIFIER_assert with a false condition");
}
