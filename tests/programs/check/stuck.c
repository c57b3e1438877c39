// Every way to wait, without anybody to wait for: one for each word.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinner;
static pthread_barrier_t gate;
static pthread_once_t begun = PTHREAD_ONCE_INIT;
static sem_t items;
static mtx_t plain;
static pthread_mutex_t robust;

static void initialise(void) { pthread_mutex_lock(&mutex); }

static void *act(void *word) {
#define is(name) (!strcmp(word, name))
    if (is("mutex")) pthread_mutex_lock(&mutex);
    if (is("robust")) pthread_mutex_lock(&robust);
    if (is("condition")) {
        pthread_mutex_lock(&second);
        pthread_cond_wait(&signalled, &second);
    }
    if (is("reading")) pthread_rwlock_rdlock(&table);
    if (is("writing")) pthread_rwlock_wrlock(&table);
    if (is("spin")) pthread_spin_lock(&spinner);
    if (is("semaphore")) sem_wait(&items);
    if (is("barrier")) pthread_barrier_wait(&gate);
    if (is("once")) pthread_once(&begun, initialise);
    if (is("c11")) mtx_lock(&plain);
    return NULL;
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "mutex";
    pthread_t threads[2];
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attr);
    pthread_spin_init(&spinner, 0);
    pthread_barrier_init(&gate, NULL, 3);
    sem_init(&items, 0, 0);
    mtx_init(&plain, mtx_plain);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&robust);
    mtx_lock(&plain);
    pthread_spin_lock(&spinner);
    is("reading") ? pthread_rwlock_wrlock(&table) : pthread_rwlock_rdlock(&table);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, act, (void *)word);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
