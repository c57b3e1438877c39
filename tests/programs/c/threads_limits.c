//@ threads: yes
//@ not: musl
// Every wait with a limit: the limit is reached, or what is waited for comes before.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, steady;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem, go;
static mtx_t mtx;
static cnd_t cnd;
static const struct timespec bad = {1, 2000000000};

static struct timespec in(clockid_t clock, long milliseconds) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += milliseconds * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000, time.tv_nsec %= 1000000000;
    return time;
}

static void say(const char *what, int result, int expected) {
    printf("%s: %s\n", what, result == expected ? strerror(result) : "?");
}

static void *sleeps(void *unused) { return sem_wait(&go), unused; }

// What another thread holds cannot be had.
static void *fails(void *other) {
    struct timespec soon = in(CLOCK_REALTIME, 5), later = in(CLOCK_MONOTONIC, 5);
    say("mutex", pthread_mutex_timedlock(&mutex, &soon), ETIMEDOUT);
    say("mutex, clock", pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &later), ETIMEDOUT);
    say("mutex, bad", pthread_mutex_timedlock(&mutex, &bad), EINVAL);
    say("reading", pthread_rwlock_timedrdlock(&rwlock, &soon), ETIMEDOUT);
    say("writing", pthread_rwlock_timedwrlock(&rwlock, &soon), ETIMEDOUT);
    later = in(CLOCK_MONOTONIC, 5);
    say("reading, clock", pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &later), ETIMEDOUT);
    say("writing, clock", pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &later), ETIMEDOUT);
    say("writing, bad", pthread_rwlock_timedwrlock(&rwlock, &bad), EINVAL);
    say("busy", pthread_rwlock_tryrdlock(&rwlock), EBUSY);
    say("c11", mtx_timedlock(&mtx, &soon), thrd_timedout);
    soon = in(CLOCK_REALTIME, 5);
    say("semaphore", sem_timedwait(&sem, &soon) ? errno : 0, ETIMEDOUT);
    later = in(CLOCK_MONOTONIC, 5);
    say("semaphore, clock", sem_clockwait(&sem, CLOCK_MONOTONIC, &later) ? errno : 0, ETIMEDOUT);
    say("semaphore, bad", sem_timedwait(&sem, &bad) ? errno : 0, EINVAL);
    say("semaphore, try", sem_trywait(&sem) ? errno : 0, EAGAIN);
    return other;
}

int main(void) {
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&steady, &attr);
    sem_init(&sem, 0, 0), sem_init(&go, 0, 0);
    mtx_init(&mtx, mtx_timed), cnd_init(&cnd);
    pthread_t thread;

    pthread_mutex_lock(&mutex), pthread_rwlock_wrlock(&rwlock), mtx_lock(&mtx);
    pthread_create(&thread, NULL, fails, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&rwlock);

    struct timespec soon = in(CLOCK_REALTIME, 5), later = in(CLOCK_MONOTONIC, 5);
    say("condition", pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
    say("condition, past", pthread_cond_timedwait(&cond, &mutex, &soon), ETIMEDOUT);
    say("condition, steady", pthread_cond_timedwait(&steady, &mutex, &later), ETIMEDOUT);
    later = in(CLOCK_MONOTONIC, 5);
    say("condition, clock", pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &later), ETIMEDOUT);
    say("condition, bad", pthread_cond_timedwait(&cond, &mutex, &bad), EINVAL);
    soon = in(CLOCK_REALTIME, 5);
    say("c11", cnd_timedwait(&cnd, &mtx, &soon), thrd_timedout);
    say("held after", pthread_mutex_trylock(&mutex), EBUSY);
    pthread_mutex_unlock(&mutex);

    // In time.
    soon = in(CLOCK_REALTIME, 60000);
    sem_post(&sem);
    say("semaphore", sem_timedwait(&sem, &soon) ? errno : 0, 0);
    say("reading", pthread_rwlock_timedrdlock(&rwlock, &soon), 0);
    say("writing", pthread_rwlock_trywrlock(&rwlock), EBUSY);
    pthread_rwlock_unlock(&rwlock);
    pthread_create(&thread, NULL, sleeps, NULL);
    struct timespec end = in(CLOCK_REALTIME, 5), steady_end = in(CLOCK_MONOTONIC, 5);
    say("join", pthread_timedjoin_np(thread, NULL, &end), ETIMEDOUT);
    say("join, clock", pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &steady_end), ETIMEDOUT);
    say("join, try", pthread_tryjoin_np(thread, NULL), EBUSY);
    sem_post(&go);
    say("join", pthread_timedjoin_np(thread, NULL, &soon), 0);
    return 0;
}
