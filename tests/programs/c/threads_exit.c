//@ threads: yes
//@ run: exit -> exit 9
//@ run: return -> exit 8
//@ run: thread -> exit 7
//@ run: last -> exit 0
// The program ends while other threads spin, block or sleep; or after main has left.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static volatile int spinning, done;

static void *spin(void *unused) {
    for (;;)
        spinning++;
}
static void *block(void *unused) {
    pthread_mutex_lock(&held);
    return NULL;
}
static void *doze(void *unused) {
    sleep(100000);
    return NULL;
}
static void *leave(void *unused) { exit(7); }
static void *last(void *main_thread) {
    pthread_join(*(pthread_t *)main_thread, NULL);
    puts("last one out");
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    static pthread_t self;
    self = pthread_self();
    printf("%s\n", argv[1]);
    if (argv[1][0] == 'l') {
        pthread_create(&thread, NULL, last, &self);
        pthread_exit(NULL);
    }
    pthread_mutex_lock(&held);
    pthread_create(&thread, NULL, spin, NULL);
    pthread_create(&thread, NULL, block, NULL);
    pthread_create(&thread, NULL, doze, NULL);
    while (!spinning)
        ;
    switch (argv[1][0]) {
    case 'e': exit(9);
    case 't':
        pthread_create(&thread, NULL, leave, NULL);
        pthread_join(thread, NULL);
    }
    return 8;
}
