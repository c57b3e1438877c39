// Double-checked locking: a second look under the lock makes sure that only one thread creates the
// object. Here the object is published before it is complete, and the quick look without the lock
// finds it half made. With -DFIX it is made first. (The pointer and its fields are atomic: this is
// wrong in every memory model.) With -DONCE the library does it.
//
// check: => error assertion
// check: -DFIX => verified
// check: -DONCE => verified; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct object {
    atomic_int value;
};

static struct object only;
static _Atomic(struct object *) published;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void create(void)
{
#if defined(FIX) || defined(ONCE)
    only.value = 42;
    published = &only;
#else
    published = &only;
    only.value = 42;
#endif
}

static struct object *get(void)
{
#ifdef ONCE
    pthread_once(&once, create);
#else
    if (!published) {
        pthread_mutex_lock(&lock);
        if (!published)
            create();
        pthread_mutex_unlock(&lock);
    }
#endif
    return published;
}

static void *user(void *unused)
{
    assert(get()->value == 42);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    (void)lock, (void)once;
    return 0;
}
