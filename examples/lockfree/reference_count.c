// An object that its last user frees.
//   BUG=1: a thread takes its reference from a shared pointer; between reading the pointer and raising
//          the count the last reference may go, and the object with it.
//   BUG=2: giving a reference back lowers the count and looks at it in two steps: two threads see zero.
//
// check: -DBUG=1 => error memory; skip model=none
// check: -DBUG=2 => error memory; skip model=none
// check: => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

struct object {
    atomic_int references;
    int value;
};

static struct object *shared;

static void give_back(struct object *object)
{
#if BUG == 2
    object->references--;
    if (object->references == 0)
        free(object);
#else
    if (atomic_fetch_sub(&object->references, 1) == 1)
        free(object);
#endif
}

static void *user(void *unused)
{
    struct object *mine = shared;
#if BUG == 1
    mine->references++;
#endif
    assert(mine->value == 42);
    give_back(mine);
    return unused;
}

int main(void)
{
    pthread_t thread;
    shared = malloc(sizeof *shared);
    shared->value = 42;
    atomic_init(&shared->references, BUG == 1 ? 1 : 2); // the thread's reference is counted by main
    pthread_create(&thread, NULL, user, NULL);
    give_back(shared);
    pthread_join(thread, NULL);
    return 0;
}
