// The sleeping barber, with one chair to wait on. Customers who find the chair taken go away. The
// wrong barber looks at the waiting room himself, in his sleep as it were: the look and the nap are two
// steps, and a customer who comes in between finds nobody awake. With -DFIX a semaphore counts the
// customers, so none is missed.
//
// check: => error deadlock; skip reduce=none
// check: -DFIX => verified; skip reduce=none
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { CHAIRS = 1 };

static sem_t mutex, customers, cut;
static atomic_int waiting, asleep, closed;

static void *barber(void *unused)
{
    for (;;) {
#ifndef FIX
        int nobody = waiting == 0 && !closed;
        if (nobody) {
            asleep = 1;
            sem_wait(&customers);
            asleep = 0;
        }
#else
        sem_wait(&customers);
#endif
        sem_wait(&mutex);
        int served = 0 < waiting;
        if (served)
            waiting--;
        sem_post(&mutex);
        if (served)
            sem_post(&cut);
        else if (closed)
            return unused;
    }
}

static void *customer(void *unused)
{
    sem_wait(&mutex);
    if (waiting == CHAIRS) {
        sem_post(&mutex);
        return unused;
    }
    waiting++;
    sem_post(&mutex);
#ifdef FIX
    sem_post(&customers);
#else
    if (asleep)
        sem_post(&customers);
#endif
    sem_wait(&cut);
    return unused;
}

int main(void)
{
    pthread_t shop, visitor;
    sem_init(&mutex, 0, 1);
    sem_init(&customers, 0, 0);
    sem_init(&cut, 0, 0);
    pthread_create(&shop, NULL, barber, NULL);
    pthread_create(&visitor, NULL, customer, NULL);
    pthread_join(visitor, NULL);
    closed = 1;
    sem_post(&customers);
    pthread_join(shop, NULL);
    (void)asleep;
    return 0;
}
