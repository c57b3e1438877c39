// Deferred cancellation of a thread that waits, whatever it waits for, and whenever it comes.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static pthread_t first;
static int cleaned, passed;
static const char *word = "condition";

static void clean(void *lock) {
    cleaned++;
    if (lock)
        pthread_mutex_unlock(lock);
}

static void *waits(void *unused) {
    if (!strcmp(word, "condition")) {
        pthread_mutex_lock(&mutex);
        pthread_cleanup_push(clean, &mutex);
        for (;;)
            pthread_cond_wait(&never, &mutex);
        pthread_cleanup_pop(0);
    }
    pthread_cleanup_push(clean, NULL);
    if (!strcmp(word, "disabled")) {
        int old;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
        sem_post(&semaphore);
        sem_wait(&semaphore);
        passed = 1;
        pthread_setcancelstate(old, NULL);
        pthread_testcancel();
    }
    if (!strcmp(word, "semaphore"))
        sem_wait(&semaphore);
    if (!strcmp(word, "given")) {
        sem_post(&semaphore);
        sem_wait(&semaphore);
        passed = 1;
    }
    if (!strcmp(word, "asynchronous") || !strcmp(word, "spared") || !strcmp(word, "back"))
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    if (!strcmp(word, "back")) {
        pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
        sem_post(&semaphore);
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return unused;
}

int main(int argc, char **argv) {
    if (argc > 1)
        word = argv[1];
    void *result;
    sem_init(&semaphore, 0, 0);
    pthread_create(&first, NULL, waits, NULL);
    if (!strcmp(word, "back"))
        sem_wait(&semaphore);
    if (strcmp(word, "spared"))
        pthread_cancel(first);
    pthread_join(first, &result);
    if (!strcmp(word, "condition") || !strcmp(word, "semaphore"))
        assert(result == PTHREAD_CANCELED && cleaned == 1);
    if (!strcmp(word, "given"))
        assert((result == PTHREAD_CANCELED) == (cleaned == 1));
#ifdef ALWAYS
    assert(passed);
#endif
#ifdef NEVER
    assert(!passed);
#endif
    assert(pthread_mutex_trylock(&mutex) == 0);
    return 0;
}
