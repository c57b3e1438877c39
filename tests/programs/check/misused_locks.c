// Misuse of locks, one sort for each word, and what only looks like it: words that begin with
// "fine-". Each is done by a second thread, so that it is found by exploring.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int go, ready;

static pthread_mutex_t *special(int type, int robust) {
    static pthread_mutex_t made;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    if (robust)
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&made, &attr);
    return &made;
}

static void *waits(void *lock) {
    pthread_mutex_lock(lock);
    ready = 1;
    while (!go)
        pthread_cond_wait(&cond, lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void *leaves_locked(void *lock) {
    pthread_mutex_lock(lock);
    return NULL;
}

static void *arrives(void *unused) { return pthread_barrier_wait(&barrier), unused; }
static void *locks_spin(void *unused) {
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    return unused;
}

static void *reads(void *unused) { return pthread_rwlock_rdlock(&rwlock), unused; }

static void *detaches(void *lock) { return pthread_detach(pthread_self()), waits(lock); }

static pthread_t start(void *(*body)(void *), void *argument) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, argument);
    return thread;
}

static void wrong(const char *word) {
#define is(name) (!strcmp(word, name))
    if (is("unlock-free")) pthread_mutex_unlock(&mutex);
    if (is("unlock-other")) pthread_join(start(leaves_locked, &mutex), NULL), pthread_mutex_unlock(&mutex);
    if (is("relock")) pthread_mutex_lock(&mutex), pthread_mutex_lock(&mutex);
    if (is("relock-adaptive")) {
        pthread_mutex_t *lock = special(PTHREAD_MUTEX_ADAPTIVE_NP, 0);
        pthread_mutex_lock(lock), pthread_mutex_lock(lock);
    }
    if (is("relock-robust")) {
        pthread_mutex_t *lock = special(PTHREAD_MUTEX_NORMAL, 1);
        pthread_mutex_lock(lock), pthread_mutex_lock(lock);
    }
    if (is("destroy-locked")) pthread_mutex_lock(&mutex), pthread_mutex_destroy(&mutex);
    if (is("destroyed")) pthread_mutex_destroy(&mutex), pthread_mutex_lock(&mutex);
    if (is("garbage")) memset(&mutex, 0xa5, sizeof mutex), pthread_mutex_lock(&mutex);
    if (is("wait-without")) pthread_cond_wait(&cond, &mutex);
    if (is("two-mutexes")) {
        pthread_t thread = start(waits, &mutex);
        waits(&other);
        pthread_join(thread, NULL);
    }
    if (is("destroy-waited")) {
        start(waits, &mutex);
        pthread_mutex_lock(&mutex);
        if (ready)
            pthread_cond_destroy(&cond);
        exit(0);
    }
    if (is("cond-destroyed")) pthread_cond_destroy(&cond), pthread_cond_signal(&cond);
    if (is("c11-unlock")) {
        static mtx_t plain;
        mtx_init(&plain, mtx_plain);
        mtx_unlock(&plain);
    }
    if (is("rw-unlock-free")) pthread_rwlock_unlock(&rwlock);
    if (is("rw-unlock-other")) pthread_join(start(reads, NULL), NULL), pthread_rwlock_unlock(&rwlock);
    if (is("rw-relock")) pthread_rwlock_wrlock(&rwlock), pthread_rwlock_wrlock(&rwlock);
    if (is("rw-read-own")) pthread_rwlock_wrlock(&rwlock), pthread_rwlock_rdlock(&rwlock);
    if (is("rw-upgrade")) pthread_rwlock_rdlock(&rwlock), pthread_rwlock_wrlock(&rwlock);
    if (is("rw-destroy")) pthread_rwlock_rdlock(&rwlock), pthread_rwlock_destroy(&rwlock);
    if (is("rw-destroyed")) pthread_rwlock_destroy(&rwlock), pthread_rwlock_rdlock(&rwlock);
    if (is("spin-relock")) pthread_spin_init(&spin, 0), pthread_spin_lock(&spin), pthread_spin_lock(&spin);
    if (is("spin-other")) {
        pthread_spin_init(&spin, 0);
        pthread_t thread = start(locks_spin, NULL);
        while (pthread_spin_trylock(&spin) == 0)
            pthread_spin_unlock(&spin);
        pthread_spin_unlock(&spin);
        pthread_join(thread, NULL);
    }
    if (is("spin-destroy")) pthread_spin_init(&spin, 0), pthread_spin_lock(&spin), pthread_spin_destroy(&spin);
    if (is("spin-none")) pthread_spin_lock(&spin);
    if (is("barrier-none")) pthread_barrier_wait(&barrier);
    if (is("barrier-destroy")) {
        pthread_barrier_init(&barrier, NULL, 2);
        start(arrives, NULL);
        // glibc counts those inside in the first word.
        if (*(volatile int *)&barrier == 1)
            pthread_barrier_destroy(&barrier);
        exit(0);
    }
    if (is("join-detached")) pthread_join(start(detaches, &mutex), NULL);
    if (is("sem-destroyed")) sem_init(&semaphore, 0, 1), sem_destroy(&semaphore), sem_wait(&semaphore);
}

static void fine(const char *word) {
    struct timespec past = {1, 0};
    if (is("fine-errorcheck")) {
        pthread_mutex_t *lock = special(PTHREAD_MUTEX_ERRORCHECK, 0);
        assert(pthread_mutex_unlock(lock) == EPERM);
        assert(pthread_cond_wait(&cond, lock) == EPERM);
        assert(pthread_mutex_lock(lock) == 0 && pthread_mutex_lock(lock) == EDEADLK);
        assert(pthread_mutex_unlock(lock) == 0 && pthread_mutex_destroy(lock) == 0);
    }
    if (is("fine-recursive")) {
        pthread_mutex_t *lock = special(PTHREAD_MUTEX_RECURSIVE, 0);
        assert(pthread_mutex_unlock(lock) == EPERM);
        assert(pthread_mutex_lock(lock) == 0 && pthread_mutex_lock(lock) == 0);
        assert(pthread_mutex_unlock(lock) == 0 && pthread_mutex_unlock(lock) == 0);
        assert(pthread_mutex_unlock(lock) == EPERM);
    }
    if (is("fine-timed")) {
        assert(pthread_mutex_lock(&mutex) == 0);
        assert(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
        assert(pthread_mutex_trylock(&mutex) == EBUSY);
        assert(pthread_mutex_unlock(&mutex) == 0);
    }
    if (is("fine-again")) {
        assert(pthread_mutex_destroy(&mutex) == 0 && pthread_mutex_init(&mutex, NULL) == 0);
        assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
        assert(pthread_cond_destroy(&cond) == 0 && pthread_cond_init(&cond, NULL) == 0);
        assert(pthread_cond_signal(&cond) == 0);
        assert(pthread_rwlock_destroy(&rwlock) == 0 && pthread_rwlock_init(&rwlock, NULL) == 0);
        assert(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
        assert(sem_init(&semaphore, 0, 1) == 0 && sem_destroy(&semaphore) == 0);
        assert(sem_init(&semaphore, 0, 1) == 0 && sem_wait(&semaphore) == 0);
    }
    if (is("fine-readers")) {
        assert(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
        assert(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
        assert(pthread_rwlock_timedwrlock(&rwlock, &past) == ETIMEDOUT);
        assert(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
        assert(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
        assert(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_destroy(&rwlock) == 0);
    }
    if (is("fine-barrier")) {
        assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
        pthread_t thread = start(arrives, NULL);
        pthread_barrier_wait(&barrier);
        assert(pthread_barrier_destroy(&barrier) == 0);
        pthread_join(thread, NULL);
    }
    if (is("fine-robust")) {
        pthread_mutex_t *lock = special(PTHREAD_MUTEX_NORMAL, 1);
        pthread_t thread = start(leaves_locked, lock);
        int got = pthread_mutex_lock(lock);
        assert(got == 0 || got == EOWNERDEAD && pthread_mutex_consistent(lock) == 0);
        assert(pthread_mutex_unlock(lock) == 0);
        pthread_join(thread, NULL);
        int then = pthread_mutex_lock(lock);
        assert(then == (got == 0 ? EOWNERDEAD : 0));
    }
}

static void *act(void *word) { return wrong(word), fine(word), NULL; }

int main(int argc, char **argv) {
    if (argc > 1)
        pthread_join(start(act, argv[1]), NULL);
    return 0;
}
