// A thread that cannot go on inside an atomic region has not begun it: nobody sees `inside`.
// Whatever it waits for: "condition", "semaphore", "mutex", "barrier" with nobody else at it.
#include <assert.h>
#include <pthread.h>
#include <samovar.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static volatile int inside, go;
static const char *word = "condition";

static void *enters(void *unused) {
    BEGINATOMIC;
    inside = 1;
    if (!strcmp(word, "condition")) {
        pthread_mutex_lock(&mutex);
        while (!go)
            pthread_cond_wait(&cond, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (!strcmp(word, "semaphore"))
        sem_wait(&semaphore);
    if (!strcmp(word, "mutex")) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (!strcmp(word, "barrier"))
        pthread_barrier_wait(&barrier);
    inside = 0;
    ENDATOMIC;
    return unused;
}

int main(int argc, char **argv) {
    if (argc > 1)
        word = argv[1];
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, enters, NULL);
    assert(!inside);
    go = 1;
    assert(!inside);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    sem_post(&semaphore);
    assert(!inside);
    pthread_join(thread, NULL);
    return 0;
}
