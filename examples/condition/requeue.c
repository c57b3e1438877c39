// A thread sleeps on one futex and is sent on to another one, on which it is woken: the way C
// libraries move those who wait for a condition to the mutex. The thread itself never names the
// second futex. It is woken before the value is there; with -DFIX after that.
//
// check: => error assertion
// check: -DFIX => verified; skip reduce=none
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

// Far apart, so that nothing but the system calls has to do with the mutex.
static _Alignas(64) atomic_int condition;
static _Alignas(64) atomic_int mutex;
static _Alignas(64) atomic_int value;

static void *wait_for_value(void *unused)
{
    if (condition == 0 && syscall(SYS_futex, &condition, FUTEX_WAIT, 0, NULL, NULL, 0) == 0)
        assert(value == 1);
    return unused;
}

int main(void)
{
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_value, NULL);
    syscall(SYS_futex, &condition, FUTEX_REQUEUE, 0, 1, &mutex, 0);
#ifdef FIX
    value = 1;
#endif
    condition = 1;
    syscall(SYS_futex, &mutex, FUTEX_WAKE, 1, NULL, NULL, 0);
    value = 1;
    syscall(SYS_futex, &condition, FUTEX_WAKE, 1, NULL, NULL, 0);
    pthread_join(waiter, NULL);
    return 0;
}
