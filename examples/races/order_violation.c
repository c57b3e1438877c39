// The thread uses what its creator sets up after the creation. It is nearly always late enough. With
// -DFIX the set-up comes first.
//
// check: => error memory null; tiny
// check: -DFIX => verified
#include <pthread.h>
#include <stdatomic.h>

static int configuration = 7;
static _Atomic(int *) current;
static int used;

static void *worker(void *unused)
{
    used = *current;
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef FIX
    current = &configuration;
    pthread_create(&thread, NULL, worker, NULL);
#else
    pthread_create(&thread, NULL, worker, NULL);
    current = &configuration;
#endif
    pthread_join(thread, NULL);
    return used == 7 ? 0 : 1;
}
