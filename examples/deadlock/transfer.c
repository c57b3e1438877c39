// Two clerks move money between two accounts in opposite directions. Each locks the account it
// takes from, then the one it gives to: deadlock. With -DFIX both lock the lower account first.
//
// check: => error deadlock
// check: -DFIX => verified
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2] = {
    {PTHREAD_MUTEX_INITIALIZER, 100},
    {PTHREAD_MUTEX_INITIALIZER, 100},
};

static void transfer(struct account *from, struct account *to, int amount)
{
    struct account *first = from, *second = to;
#ifdef FIX
    if (to < from) {
        first = to;
        second = from;
    }
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *there(void *unused)
{
    transfer(&accounts[0], &accounts[1], 30);
    return unused;
}

static void *back(void *unused)
{
    transfer(&accounts[1], &accounts[0], 50);
    return unused;
}

int main(void)
{
    pthread_t clerks[2];
    pthread_create(&clerks[0], NULL, there, NULL);
    pthread_create(&clerks[1], NULL, back, NULL);
    pthread_join(clerks[0], NULL);
    pthread_join(clerks[1], NULL);
    assert(accounts[0].balance == 120 && accounts[1].balance == 80);
    return 0;
}
