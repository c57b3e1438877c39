/* One thing that is wrong, named by the first argument; with a second argument it happens in a
 * second thread. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const int constant = 7;
static const char *deed;
static volatile int zero;
static volatile int number;

static int is(const char *name) { return strcmp(deed, name) == 0; }

static int deep(volatile int n) { volatile char room[4096]; room[0] = 1; return deep(n + 1) + room[0]; }

static void act(void) {
    volatile char *block = malloc(10);
    if (is("null")) *(volatile int *)0 = 1;
    if (is("member")) number = ((volatile int *)0)[5];
    if (is("wild")) number = *(volatile int *)0x123456789;
    if (is("behind")) block[10] = 1;
    if (is("before")) block[-1] = 1;
    if (is("freed")) { free((void *)block); number = block[3]; }
    if (is("twice")) { free((void *)block); free((void *)block); }
    if (is("inside")) free((void *)(block + 1));
    if (is("constant")) *(volatile int *)&constant = 8;
    if (is("stack")) number = deep(0);
    if (is("divide")) number = number / zero;
    if (is("trap")) __builtin_trap();
    if (is("jump")) ((void (*)(void))&number)();
    if (is("abort")) { fprintf(stderr, "giving up\n"); abort(); }
    if (is("assert")) assert(zero == 1);
    if (is("exit")) exit(3);
    if (is("loop")) for (;;) {}
    if (is("busy")) for (;;) number = !number;
    if (is("fork")) fork();
    if (is("socket")) socket(AF_INET, SOCK_STREAM, 0);
    if (is("lock")) { pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m); }
    if (is("string")) { char *text = strdup("a string of some length"); number = strlen(text); free(text); }
    if (is("input")) assert(getchar() == 'x');
}

static void *thread(void *unused) { act(); return unused; }

int main(int argc, char **argv) {
    deed = argc > 1 ? argv[1] : "nothing";
    if (argc > 2) {
        pthread_t other;
        pthread_create(&other, 0, thread, 0);
        pthread_join(other, 0);
    } else {
        act();
    }
    return 0;
}
