// The reader checks the flag that says that the message is there, but neither the flag nor the message
// is atomic or guarded: a data race, although no interleaving shows anything wrong at this level. A
// compiler may do what it likes with it. With -DFIX the flag is atomic.
//
// check: --check=race => error race; tiny
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
#ifdef FIX
static atomic_int sent;
#else
static volatile int sent;
#endif

static void *reader(void *unused)
{
    if (sent)
        assert(message == 42);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    message = 42;
    sent = 1;
    pthread_join(thread, NULL);
    return 0;
}
