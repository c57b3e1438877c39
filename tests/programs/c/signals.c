// Signals sent to oneself: handlers, masks, pending, siginfo, restoring defaults.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t count, last;
static sigjmp_buf back;
static void simple(int signal) { count++, last = signal; }
static void detailed(int signal, siginfo_t *info, void *context) {
    count += 10, last = info->si_signo;
    if (info->si_pid != getpid())
        count += 1000;
}
static void escape(int signal) { siglongjmp(back, signal); }
static void nested(int signal) {
    count++;
    if (signal == SIGUSR1)
        raise(SIGUSR2);
    count *= 2;
}

int main(void) {
    signal(SIGUSR1, simple);
    raise(SIGUSR1), kill(getpid(), SIGUSR1);
    printf("%d %d\n", count, last);
    struct sigaction action = {.sa_sigaction = detailed, .sa_flags = SA_SIGINFO}, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR2, &action, &old);
    printf("%d\n", old.sa_handler == SIG_DFL);
    kill(getpid(), SIGUSR2);
    printf("%d %d\n", count, last);
    sigset_t block, pending;
    sigemptyset(&block), sigaddset(&block, SIGUSR1);
    sigprocmask(SIG_BLOCK, &block, NULL);
    raise(SIGUSR1), raise(SIGUSR1);
    sigpending(&pending);
    printf("blocked %d pending %d\n", count, sigismember(&pending, SIGUSR1));
    sigprocmask(SIG_UNBLOCK, &block, NULL);
    printf("delivered %d\n", count);
    signal(SIGTERM, SIG_IGN);
    raise(SIGTERM);
    puts("ignored");
    signal(SIGSEGV, escape), signal(SIGFPE, escape);
    int caught = sigsetjmp(back, 1);
    if (!caught)
        *(volatile int *)8 = 1;
    printf("caught %d\n", caught);
    caught = sigsetjmp(back, 1);
    volatile int zero = 0;
    if (!caught)
        zero = 7 / zero;
    printf("caught %d\n", caught);
    count = 0;
    signal(SIGUSR1, nested), signal(SIGUSR2, nested);
    raise(SIGUSR1);
    printf("nested %d\n", count);
    action.sa_handler = simple, action.sa_flags = SA_RESETHAND;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &old);
    printf("reset %d\n", old.sa_handler == SIG_DFL);
    static char other[65536];
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    sigaltstack(&stack, NULL);
    action.sa_handler = simple, action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    printf("alternate %d\n", last == SIGUSR2);
    return 0;
}
