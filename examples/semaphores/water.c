// Building water: every molecule takes one oxygen and two hydrogen atoms, which leave together. If the
// oxygen waits for "two signals" that a single hydrogen can give twice, a molecule lacks an atom
// (-DBUG=1: a hydrogen atom does not wait to be bonded before it comes again).
//
// check: -DBUG=1 => error assertion; skip reduce=none model=none
// check: => verified; slow; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif

static sem_t hydrogen_ready, bond;
static atomic_int present[2]; // whether hydrogen atom i is at the bonding place

static void *hydrogen(void *argument)
{
    int me = (int)(long)argument;
    present[me] = 1;
    sem_post(&hydrogen_ready);
    if (BUG == 1 && me == 0)
        sem_post(&hydrogen_ready);
    sem_wait(&bond);
    return NULL;
}

static void *oxygen(void *unused)
{
    sem_wait(&hydrogen_ready);
    sem_wait(&hydrogen_ready);
    assert(present[0] && present[1]);
    sem_post(&bond);
    sem_post(&bond);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&hydrogen_ready, 0, 0);
    sem_init(&bond, 0, 0);
    pthread_create(&threads[0], NULL, hydrogen, (void *)0);
    pthread_create(&threads[1], NULL, hydrogen, (void *)1);
    pthread_create(&threads[2], NULL, oxygen, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
