/* Every way in which threads wait for each other. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static sem_t semaphore;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_spinlock_t spin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, special;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int sum, count, turn, ends[2];
static _Thread_local int own = 5;

static void first(void) { puts("once"); }
static void destroy(void *value) { __sync_fetch_and_add(&sum, (int)(long)value); }

static void *work(void *arg) {
    long number = (long)arg;
    pthread_once(&once, first);
    pthread_setspecific(key, (void *)(number + 1));
    own += (int)number;
    pthread_barrier_wait(&barrier);
    sem_post(&semaphore);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
    sum += 100 * own;
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    sum += 10000;
    pthread_spin_unlock(&spin);
    pthread_mutex_lock(&mutex);
    while (turn != number) pthread_cond_wait(&cond, &mutex);
    turn++;
    printf("turn of %ld\n", number);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return (void *)(number * 2);
}

static void *fill(void *arg) {
    static char bytes[100000];
    (void)arg;
    for (int i = 0; i < 3; i++)
        if (write(ends[1], bytes, sizeof bytes) != sizeof bytes) puts("short write");
    close(ends[1]);
    return NULL;
}

static void *die_holding(void *arg) { return (void *)(long)pthread_mutex_lock(arg); }

static void *add(void *arg) {
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(arg);
        int old = count;
        sched_yield();
        count = old + 1;
        pthread_mutex_unlock(arg);
    }
    return NULL;
}

static void *wait_forever(void *arg) {
    (void)arg;
    for (;;) pause();
}

static void *signal_late(void *arg) {
    (void)arg;
    usleep(5000);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static struct timespec soon(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += 2000000;
    if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
    return time;
}

static void kinds(void) {
    pthread_t threads[4];
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&special, &attr);
    pthread_create(&threads[0], NULL, die_holding, &special);
    pthread_join(threads[0], NULL);
    printf("robust %d\n", pthread_mutex_lock(&special) == EOWNERDEAD);
    pthread_mutex_consistent(&special);
    pthread_mutex_unlock(&special);

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&special, &attr);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, add, &special);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    printf("inherited %d\n", count);

    pthread_mutex_t other;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&other, &attr);
    pthread_mutex_lock(&other);
    printf("recursive %d", pthread_mutex_lock(&other));
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&other);
    printf(" %d %d\n", pthread_mutex_unlock(&other) == EPERM, pthread_mutex_destroy(&other));

    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&other, &attr);
    pthread_mutex_lock(&other);
    printf("checked %d %d\n", pthread_mutex_lock(&other) == EDEADLK,
           pthread_mutex_trylock(&other) == EBUSY);
    pthread_mutex_unlock(&other);
}

int main(void) {
    pthread_t threads[4];
    void *result;
    long results = 0;
    pthread_barrier_init(&barrier, NULL, 4);
    sem_init(&semaphore, 0, 0);
    pthread_key_create(&key, destroy);
    pthread_spin_init(&spin, 0);
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++) sem_wait(&semaphore);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], &result), results += (long)result;
    printf("sum %d results %ld\n", sum, results);

    if (pipe(ends) != 0) return 1;
    pthread_create(&threads[0], NULL, fill, NULL);
    static char bytes[7777];
    long total = 0;
    for (ssize_t len; (len = read(ends[0], bytes, sizeof bytes)) > 0;) total += len;
    pthread_join(threads[0], NULL);
    struct pollfd entry = {.fd = ends[0], .events = POLLIN};
    int ready = poll(&entry, 1, 10);
    printf("read %ld, poll %d %x\n", total, ready, entry.revents);
    int event = eventfd(0, 0);
    entry.fd = event;
    ready = poll(&entry, 1, 20);
    eventfd_t value = 0;
    eventfd_write(event, 3);
    eventfd_read(event, &value);
    printf("poll %d event %d\n", ready, (int)value);

    kinds();
    struct timespec time = soon(CLOCK_REALTIME);
    pthread_mutex_lock(&mutex);
    printf("late %d", pthread_cond_timedwait(&cond, &mutex, &time) == ETIMEDOUT);
    printf(" %d\n", pthread_mutex_timedlock(&mutex, &time) == ETIMEDOUT);
    pthread_create(&threads[0], NULL, signal_late, NULL);
    pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);

    pthread_create(&threads[0], NULL, wait_forever, NULL);
    usleep(1000);
    pthread_cancel(threads[0]);
    pthread_join(threads[0], &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);
    mtx_t lock;
    cnd_t condition;
    mtx_init(&lock, mtx_timed);
    cnd_init(&condition);
    mtx_lock(&lock);
    time = soon(CLOCK_REALTIME);
    printf("c11 %d\n", cnd_timedwait(&condition, &lock, &time) == thrd_timedout);
    mtx_unlock(&lock);
    return 3;
}
