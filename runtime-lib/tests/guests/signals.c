/* Signals: handlers, faults, masks, alternative stacks, waiting. Ends by abort. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int got;

static void note(int sig) { got = sig; }

static void tell(int sig, siginfo_t *info, void *context) {
    (void)context;
    printf("signal %d code %d own %d value %d\n", sig, info->si_code, info->si_pid == getpid(),
           info->si_value.sival_int);
}

static void fault(int sig, siginfo_t *info, void *context) {
    ucontext_t *user = context;
    printf("fault %d code %d at %lx trap %d\n", sig, info->si_code, (long)info->si_addr & 4095,
           (int)user->uc_mcontext.gregs[REG_TRAPNO]);
    siglongjmp(back, 1);
}

static void repair(int sig, siginfo_t *info, void *context) {
    (void)sig, (void)context;
    mprotect((void *)((long)info->si_addr & ~4095L), 4096, PROT_READ | PROT_WRITE);
}

static void skip(int sig, siginfo_t *info, void *context) {
    (void)sig, (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

static void overflow(int sig) {
    (void)sig;
    siglongjmp(back, 1);
}

static int recurse(int depth) {
    volatile char room[4096];
    room[0] = (char)depth;
    return depth < 0 ? 0 : recurse(depth + 1) + room[0];
}

static void on(int sig, void (*handler)(int, siginfo_t *, void *), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(sig, &action, NULL);
}

int main(void) {
    signal(SIGUSR1, note);
    raise(SIGUSR1);
    printf("got %d\n", got);
    on(SIGUSR2, tell, 0);
    kill(getpid(), SIGUSR2);
    on(SIGRTMIN + 1, tell, 0);
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 77});

    on(SIGSEGV, fault, 0);
    if (!sigsetjmp(back, 1)) *(volatile int *)0x10 = 1;
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!sigsetjmp(back, 1)) page[5] = 1;
    on(SIGSEGV, repair, 0);
    page[7] = 42;
    printf("repaired %d\n", page[7]);
    on(SIGFPE, fault, 0);
    volatile int zero = 0;
    if (!sigsetjmp(back, 1)) printf("%d\n", 5 / zero);
    on(SIGILL, skip, 0);
    __asm__ volatile("ud2");
    puts("went on");

    double number = 1.5;
    __asm__ volatile("" : "+x"(number));
    raise(SIGUSR1);
    printf("%g %Lg\n", number, (long double)number * 2);

    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = overflow, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    if (!sigsetjmp(back, 1)) printf("%d\n", recurse(0));
    else puts("survived the overflow");

    sigset_t set, old, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &old);
    got = 0;
    raise(SIGUSR1);
    sigpending(&pending);
    printf("blocked %d pending %d\n", got, sigismember(&pending, SIGUSR1));
    sigsuspend(&old);
    printf("suspended %d %d\n", got, errno == EINTR);
    raise(SIGUSR1);
    int waited = 0;
    sigwait(&set, &waited);
    struct timespec moment = {0, 1000000};
    int late = sigtimedwait(&set, NULL, &moment);
    printf("waited %d late %d %d\n", waited, late, errno == EAGAIN);
    sigprocmask(SIG_SETMASK, &old, NULL);

    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (pipe(ends) == 0) close(ends[0]);
    printf("%zd %d\n", write(ends[1], "x", 1), errno == EPIPE);
    fflush(stdout);
    abort();
}
