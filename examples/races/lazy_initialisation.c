// Created on first use: two threads find nothing there, both create it, and one creation is lost
// together with what was stored in it. With -DFIX a compare-and-swap decides who was first.
//
// check: => error assertion
// check: -DFIX => verified; skip O0+reduce=none model=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct table {
    atomic_int entries;
};

static _Atomic(struct table *) shared;

static struct table *get(void)
{
    struct table *found = shared;
    if (!found) {
        struct table *made = malloc(sizeof *made);
        atomic_init(&made->entries, 0);
#ifdef FIX
        if (atomic_compare_exchange_strong(&shared, &found, made)) {
            found = made;
        } else {
            free(made); // found is the other thread's
        }
#else
        shared = made;
        found = made;
#endif
    }
    return found;
}

static void *user(void *unused)
{
    get()->entries++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(shared->entries == 2);
    free(shared);
    return 0;
}
