/* An assertion that fails for one value only, which no boundary value is. */
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int value = __VERIFIER_nondet_int();
    assert(value != 7);
    return 0;
}
