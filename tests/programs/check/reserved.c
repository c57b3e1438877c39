/* Two threads and an account: one reserves it, the other one touches it, in the way that the first
 * argument names. "reserves" and "elsewhere" are no violations. */
#include "samovar.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static struct {
    int balance, limit;
    atomic_int visits;
    pthread_mutex_t lock;
} account, other;

static const char *deed;

static int is(const char *name) { return strcmp(deed, name) == 0; }

static void *teller(void *unused)
{
    VLOCK(&account);
    account.balance += 10;
    account.balance -= 5;
    VUNLOCK(&account);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    deed = argc > 1 ? argv[1] : "reserves";
    pthread_create(&thread, 0, teller, 0);
    if (is("reads"))
        other.limit = *(volatile int *)&account.limit;
    if (is("writes"))
        *(volatile int *)&account.limit = 1;
    if (is("adds"))
        atomic_fetch_add(&account.visits, 1);
    if (is("locks"))
        pthread_mutex_lock(&account.lock);
    if (is("prints"))
        write(1, &account.limit, 1);
    if (is("elsewhere"))
        other.balance++;
    if (is("unlocks"))
        VUNLOCK(&account);
    if (is("reserves")) {
        VLOCK(&account);
        account.balance += 10;
        account.limit = 1;
        VUNLOCK(&account);
    }
    pthread_join(thread, 0);
    return 0;
}
