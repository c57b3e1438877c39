//@ threads: yes
// Cancellation of a thread that waits on a condition variable, with a clean-up handler.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile int ready, cleaned;

static void unlock(void *mutex) { cleaned++, pthread_mutex_unlock(mutex); }
static void *waits(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    ready = 1;
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return NULL;
}

static void cancel(void *(*body)(void *)) {
    pthread_t thread;
    void *result;
    ready = 0;
    pthread_create(&thread, NULL, body, NULL);
    while (!ready)
        usleep(1000);
    int sent = pthread_cancel(thread);
    ready = 2;
    pthread_join(thread, &result);
    printf("%d %d %d\n", sent, result == PTHREAD_CANCELED, cleaned);
}

int main(void) {
    cancel(waits);
    printf("%d\n", pthread_mutex_trylock(&lock));
    return 0;
}
