// Main sleeps until a thread has said that it is ready.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int ready;

static void *prepare(void *unused) {
    ready = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, prepare, NULL);
    while (!ready)
        usleep(10);
    pthread_join(thread, NULL);
}
