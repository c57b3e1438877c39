// N threads lock, increment and unlock K times each. There are (N*K)!/(K!)^N orders of taking the
// lock (63 million for 4 threads of 4), which all lead to the same few states: a stateful search
// has nothing to do here, a stateless one has everything.
//
// check: => verified; skip model=none
// check: -DN=2 => verified
// check: -DN=4 -DK=4 => verified; skip reduce=none model=none
// check: -DN=6 -DK=6 => verified; slow; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
    for (int i = 0; i < K; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N * K);
    return 0;
}
