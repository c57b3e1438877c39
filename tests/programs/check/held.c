// A data race of two threads that hold locks, each its own, of the kind that the argument says.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct account {
    long number;
    pthread_mutex_t lock;
};

static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER, yours = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER, writers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin, turn;
static struct account first = {1, PTHREAD_MUTEX_INITIALIZER};
static int value;
static const char *how;

static __attribute__((noinline)) void change(void)
{
    value++; // nothing orders this
}

static void *one(void *arg)
{
    if (!strcmp(how, "mutex"))
        pthread_mutex_lock(&mine);
    else if (!strcmp(how, "member"))
        pthread_mutex_lock(&first.lock);
    else if (!strcmp(how, "rwlock"))
        pthread_rwlock_rdlock(&readers);
    else if (!strcmp(how, "spin"))
        pthread_spin_lock(&spin);
    change();
    return arg;
}

static void *other(void *arg)
{
    if (!strcmp(how, "mutex"))
        pthread_mutex_lock(&yours);
    else if (!strcmp(how, "rwlock"))
        pthread_rwlock_wrlock(&writers);
    else if (!strcmp(how, "spin"))
        pthread_spin_lock(&turn);
    change();
    return arg;
}

int main(int argc, char **argv)
{
    how = argv[argc - 1];
    pthread_spin_init(&spin, 0);
    pthread_spin_init(&turn, 0);
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
