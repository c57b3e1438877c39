// setjmp and longjmp: out of deep calls, in loops, with the signal mask.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf out;
static sigjmp_buf masked;

static void deep(int n) {
    volatile char pad[100];
    pad[0] = (char)n;
    if (n == 0)
        longjmp(out, 42);
    deep(n - 1);
    pad[1] = pad[0];
}

int main(void) {
    int value = setjmp(out);
    if (value == 0)
        deep(100);
    printf("%d\n", value);
    volatile int round = 0;
    jmp_buf loop;
    int got = setjmp(loop);
    printf("round %d got %d\n", round, got);
    if (round < 5) {
        round++;
        longjmp(loop, round == 3 ? 0 : round);
    }
    volatile double kept = 2.5;
    if (!sigsetjmp(masked, 1)) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        kept *= 2;
        siglongjmp(masked, 1);
    }
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("%g %d\n", kept, sigismember(&now, SIGUSR1));
    return 0;
}
