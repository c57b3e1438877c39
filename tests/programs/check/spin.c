/* A thread waits busily for a word that another one writes, not at once: verified. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static atomic_int global;

static void *setter(void *flag) {
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
    atomic_store((atomic_int *)flag, 1);
    return 0;
}

int main(void) {
#ifdef LOCAL
    atomic_int local = 0, *flag = &local;
#else
    atomic_int *flag = &global;
#endif
    pthread_t other;
    pthread_create(&other, 0, setter, flag);
    while (!atomic_load(flag)) {
#ifdef YIELD
        sched_yield();
#endif
    }
    pthread_join(other, 0);
    return shared - 1;
}
