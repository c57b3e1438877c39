// A program that brings some of the names itself: its own functions are executed.
#include <cstdio>
#include <cstdlib>

extern "C" {
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void reach_error(void);
void __VERIFIER_atomic_add(int *place);
}

void reach_error(void)
{
    std::printf("my own reach_error\n");
    std::exit(3);
}

__attribute__((noinline)) void __VERIFIER_atomic_add(int *place)
{
    (*place)++;
    std::printf("my own atomic function\n");
}

int main()
{
    int value = __VERIFIER_nondet_int();
    __VERIFIER_assume(value < 5);
    __VERIFIER_atomic_add(&value);
    if (value == 1)
        reach_error();
    return 0;
}
