//@ run: abort -> signal 6
//@ run: segv -> signal 11
//@ run: null -> signal 11
//@ run: text -> signal 11
//@ run: fpe -> signal 8
//@ run: ill -> signal 4
//@ run: trap -> signal 5
//@ run: term -> signal 15
//@ run: kill -> signal 9
//@ run: assert -> signal 6
//@ run: stack -> signal 11
//@ run: handler -> exit 77
//@ run: jump -> signal 11
// Death by signal, of every common kind; what was written before must have come out.
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int deeper(volatile char *p) {
    volatile char frame[4096];
    frame[0] = *p;
    return deeper(frame) + frame[1];
}
static void handler(int signal) { _exit(77); }

int main(int argc, char **argv) {
    const char *how = argv[1];
    printf("about to: %s\n", how);
    fflush(stdout);
    volatile int zero = 0;
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "segv")) *(volatile char *)0x123456789000 = 1;
    if (!strcmp(how, "null")) return *(volatile int *)(long)zero;
    if (!strcmp(how, "text")) *(volatile char *)main = 0;
    if (!strcmp(how, "fpe")) return 7 / zero;
    if (!strcmp(how, "ill")) __asm__ volatile("ud2");
    if (!strcmp(how, "trap")) __asm__ volatile("int3");
    if (!strcmp(how, "term")) raise(SIGTERM);
    if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    if (!strcmp(how, "assert")) assert(zero == 1);
    if (!strcmp(how, "stack")) return deeper((char *)how);
    if (!strcmp(how, "handler")) signal(SIGABRT, handler), abort();
    if (!strcmp(how, "jump")) ((void (*)(void))(long)(zero + 64))();
    return 1;
}
