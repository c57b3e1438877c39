// Threads add to a counter with relaxed atomic loads and stores. No data race, no torn value, and
// additions get lost. With -DFIX it is one read-modify-write (relaxed is enough), with -DLOOP a loop
// of compare-and-swap.
//
// check: => error assertion
// check: -DFIX => verified
// check: -DLOOP => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 1
#endif

static atomic_int counter;

static void add(void)
{
#if defined(FIX)
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
#else
    int seen = atomic_load_explicit(&counter, memory_order_relaxed);
#ifdef LOOP
    while (!atomic_compare_exchange_weak_explicit(&counter, &seen, seen + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
#else
    atomic_store_explicit(&counter, seen + 1, memory_order_relaxed);
#endif
#endif
}

static void *worker(void *unused)
{
    for (int i = 0; i < K; i++)
        add();
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N * K);
    return 0;
}
