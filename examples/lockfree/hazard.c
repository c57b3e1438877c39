// A hazard pointer: the reader announces which object it is about to use, and the writer does not free
// an announced object. Between reading the pointer and announcing it the object may already be gone, so
// the reader has to look a second time. Without that (the bug) it uses freed memory; -DFIX looks again.
//
// check: => error memory use-after-free; skip model=none
// check: -DFIX => verified; skip model=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    int value;
};

static _Atomic(struct object *) current, hazard;

static struct object *make(int value)
{
    struct object *object = malloc(sizeof *object);
    object->value = value;
    return object;
}

static struct object *protect(void)
{
    struct object *seen = current;
    hazard = seen;
#ifdef FIX
    while (seen != current) {
        seen = current;
        hazard = seen;
    }
#endif
    return seen;
}

static void *reader(void *unused)
{
    int value = protect()->value;
    assert(value == 1 || value == 2);
    hazard = NULL;
    return unused;
}

static void *writer(void *unused)
{
    struct object *old = atomic_exchange(&current, make(2));
    (void)unused;
    if (hazard == old)
        return old; // somebody else frees it later
    free(old);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    void *left;
    current = make(1);
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], &left);
    free(left);
    free(current);
    return 0;
}
