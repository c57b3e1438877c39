// Somebody pays in, somebody draws out.
//   MODE=0: plain accesses without a lock: a data race, and money is lost.
//   MODE=1: atomic load and atomic store: no data race, but another thread may come in between.
//   MODE=2: every access under the lock, but reading and writing in two critical sections: no tool
//           that looks for races has anything to say, and money is lost all the same.
//   MODE=3: correct.
//   MODE=4: correct without a lock, by an atomic addition.
//
// check: -DMODE=0 --check=assertion => error assertion
// check: -DMODE=1 => error assertion
// check: -DMODE=2 => error assertion
// check: -DMODE=3 => verified
// check: -DMODE=4 => verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef MODE
#define MODE 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#if MODE == 1 || MODE == 4
static atomic_int balance = 100;
#else
static int balance = 100;
#endif

static void add(int amount)
{
    int seen;
    switch (MODE) {
    case 0:
    case 1:
        seen = balance;
        balance = seen + amount;
        break;
    case 2:
        pthread_mutex_lock(&lock);
        seen = balance;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        balance = seen + amount;
        pthread_mutex_unlock(&lock);
        break;
    case 3:
        pthread_mutex_lock(&lock);
        balance += amount;
        pthread_mutex_unlock(&lock);
        break;
    case 4:
        balance += amount; // of an atomic variable: one read-modify-write
        break;
    }
}

static void *pay_in(void *unused)
{
    add(50);
    return unused;
}

static void *draw_out(void *unused)
{
    add(-30);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, pay_in, NULL);
    pthread_create(&second, NULL, draw_out, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(balance == 120);
    return 0;
}
