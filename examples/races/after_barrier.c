// Two threads meet at a barrier, and then both add to the sum in two steps. The barrier makes the
// collision likely; it does not prevent it. With -DFIX the addition is one step.
//
// check: => error assertion
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t start;
static atomic_int sum;

static void *adder(void *unused)
{
    pthread_barrier_wait(&start);
#ifdef FIX
    sum += 1;
#else
    int seen = sum;
    sum = seen + 1;
#endif
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adder, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(sum == 2);
    return 0;
}
