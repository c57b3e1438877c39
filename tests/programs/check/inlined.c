// Threads that hand a variable to a function of the file, which may be inlined.
#include <pthread.h>
#include <string.h>

static int number;

static void put(int *slot) { *slot = 3; }
static void store(int *slot) { __atomic_store_n(slot, 3, __ATOMIC_RELEASE); }

static void *one(void *arg) { put(&number); return arg; }
static void *another(void *arg) { put(&number); return arg; }
static void *stores(void *arg) { store(&number); return arg; }
static void *stores_too(void *arg) { store(&number); return arg; }

int main(int argc, char **argv)
{
    int is_atomic = !strcmp(argv[argc - 1], "atomic");
    pthread_t a, b;
    pthread_create(&a, 0, is_atomic ? stores : one, 0);
    pthread_create(&b, 0, is_atomic ? stores_too : another, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
