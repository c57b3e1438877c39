//@ threads: yes
// C11 atomics of every size, alone and between threads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#define EXERCISE(type)                                                                           \
    do {                                                                                         \
        _Atomic type x = (type)100;                                                              \
        type e = (type)7, r[8];                                                                  \
        r[0] = atomic_fetch_add(&x, (type)27), r[1] = atomic_fetch_sub(&x, (type)3);             \
        r[2] = atomic_fetch_or(&x, (type)0x80), r[3] = atomic_fetch_and(&x, (type)0xf7);         \
        r[4] = atomic_fetch_xor(&x, (type)0x55), r[5] = atomic_exchange(&x, (type)7);            \
        int won = atomic_compare_exchange_strong(&x, &e, (type)9);                               \
        int lost = atomic_compare_exchange_strong(&x, &e, (type)11);                             \
        printf(#type ":");                                                                       \
        for (int i = 0; i < 6; i++)                                                              \
            printf(" %lld", (long long)r[i]);                                                    \
        printf(" %d %d %lld %lld\n", won, lost, (long long)e, (long long)atomic_load(&x));       \
    } while (0)

static atomic_int counter;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static long plain;
static _Atomic(uint64_t) maximum;

static void *work(void *argument) {
    uint64_t id = (uint64_t)(uintptr_t)argument;
    for (int i = 0; i < 500; i++) {
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
        while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
            ;
        plain++;
        atomic_flag_clear_explicit(&flag, memory_order_release);
        uint64_t seen = atomic_load(&maximum), mine = id * 1000 + (uint64_t)i;
        while (seen < mine && !atomic_compare_exchange_weak(&maximum, &seen, mine))
            ;
    }
    atomic_thread_fence(memory_order_seq_cst);
    return NULL;
}

int main(void) {
    EXERCISE(char); EXERCISE(uint8_t); EXERCISE(int16_t); EXERCISE(uint16_t);
    EXERCISE(int); EXERCISE(uint32_t); EXERCISE(long); EXERCISE(uint64_t);
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d %ld %llu\n", counter, plain, (unsigned long long)maximum);
    int old = __sync_val_compare_and_swap(&plain, 2000, 5);
    printf("%d %ld %d\n", old, plain, atomic_is_lock_free(&maximum));
    return 0;
}
