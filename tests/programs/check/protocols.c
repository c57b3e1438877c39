// Correct protocols, one for each word, and with -DBROKEN the same with one thing left out.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#ifdef BROKEN
#define guard(call) (void)0
#else
#define guard(call) call
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t empty, full;
static int buffer, sum, readers, together, writing, phase[2], serial, count;
static pthread_key_t key;
static mtx_t mtx;
static cnd_t cnd;

static void *produce(void *unused) {
    for (int i = 1; i <= 2; i++) {
        guard(sem_wait(&empty));
        buffer = i;
        sem_post(&full);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&full);
        sum += buffer;
        sem_post(&empty);
    }
    assert(sum == 3);
    return unused;
}

static void *phases(void *number) {
    int me = number != NULL;
    for (int i = 0; i < 2; i++) {
        phase[me] = i;
        int result = pthread_barrier_wait(&barrier);
        __atomic_fetch_add(&serial, result == PTHREAD_BARRIER_SERIAL_THREAD, __ATOMIC_SEQ_CST);
        assert(phase[!me] == i);
        guard(pthread_barrier_wait(&barrier));
    }
    return number;
}

static void *reads(void *unused) {
    pthread_rwlock_rdlock(&rwlock);
    int others = __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
    if (others)
        together = 1;
    assert(!writing);
    __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void *writes(void *unused) {
    guard(pthread_rwlock_wrlock(&rwlock));
    writing = 1;
    assert(readers == 0);
    writing = 0;
    guard(pthread_rwlock_unlock(&rwlock));
    return unused;
}

static void *spins(void *unused) {
    guard(pthread_spin_lock(&spin));
    count = count + 1;
    guard(pthread_spin_unlock(&spin));
    return unused;
}

static void initialise(void) { count = count + 1; }
static void *passes(void *unused) {
    pthread_once(&once, initialise);
#ifdef BROKEN
    initialise();
#endif
    assert(count == 1);
    return unused;
}

static void gone(void *value) {
    guard(pthread_mutex_lock(&mutex));
    count = count + 1;
    guard(pthread_mutex_unlock(&mutex));
}
static void *keeps(void *unused) { return pthread_setspecific(key, &key), unused; }

static void *locks(void *unused) {
    guard(mtx_lock(&mtx));
    count = count + 1;
    cnd_signal(&cnd);
    guard(mtx_unlock(&mtx));
    return unused;
}

// A wait with a limit ends by the signal or by the limit; the mutex is held after both.
static void *limited(void *unused) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    pthread_mutex_lock(&mutex);
    int result = 0;
    while (!count && result == 0)
        result = pthread_cond_timedwait(&cond, &mutex, &soon);
    assert(result == 0 || result == ETIMEDOUT);
#ifdef BROKEN
    assert(result == 0);
#endif
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void *signals(void *unused) {
    pthread_mutex_lock(&mutex);
    count = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return unused;
}

// All calls with a limit, against somebody who holds what they want for a while.
static void *holds(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_mutex_unlock(&mutex);
    sem_post(&full);
    return unused;
}
static void *tries(void *unused) {
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    int got = pthread_mutex_timedlock(&mutex, &soon);
    assert(got == 0 || got == ETIMEDOUT);
    if (got == 0)
        pthread_mutex_unlock(&mutex);
    int read = pthread_rwlock_timedrdlock(&rwlock, &soon);
    assert(read == 0 || read == ETIMEDOUT);
    if (read == 0)
        pthread_rwlock_unlock(&rwlock);
    int taken = sem_timedwait(&full, &soon);
    assert(taken == 0 || errno == ETIMEDOUT);
#ifdef BROKEN
    assert(got == 0);
#endif
    return unused;
}

static void both(void *(*first)(void *), void *(*second)(void *)) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, &threads);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "semaphores";
#define is(name) (!strcmp(word, name))
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, 0);
    pthread_key_create(&key, gone);
    mtx_init(&mtx, mtx_plain);
    cnd_init(&cnd);
    if (is("semaphores")) both(produce, consume);
    if (is("barrier")) both(phases, phases), assert(serial == 2);
    if (is("readers")) both(reads, writes);
    if (is("parallel")) both(reads, reads), assert(!together);
    if (is("spin")) both(spins, spins), assert(count == 2);
    if (is("once")) both(passes, passes);
    if (is("keys")) both(keeps, keeps), assert(count == 2);
    if (is("c11")) {
        both(locks, locks);
        mtx_lock(&mtx);
        while (count < 2)
            cnd_wait(&cnd, &mtx);
        mtx_unlock(&mtx);
    }
    if (is("limit")) both(limited, signals);
    if (is("limits")) both(holds, tries);
    return 0;
}
