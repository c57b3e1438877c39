//@ threads: yes
// Cancellation: of a sleeping thread, with a clean-up handler, disabled for a while.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int ready, cleaned;

static void unlock(void *mutex) { cleaned++, pthread_mutex_unlock(mutex); }
static void *sleeps(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, &lock);
    ready = 1;
    sleep(100000);
    pthread_cleanup_pop(1);
    return NULL;
}
static void *tests(void *unused) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    ready = 1;
    while (ready != 2)
        usleep(1000);
    cleaned += 10;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    pthread_testcancel();
    cleaned += 1000;
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
    cancel(sleeps);
    cancel(tests);
    printf("%d\n", pthread_mutex_trylock(&lock));
    return 0;
}
