// Cigarette smokers: the agent puts two of three ingredients on the table; only the smoker with the
// third may go on. If each smoker picks up the ingredients one by one, each of the two may end up in
// the hands of another smoker. With -DFIX the agent, who knows what is missing, calls the right one.
//
// check: => error deadlock; skip reduce=none
// check: -DFIX => verified; skip reduce=none
#include <pthread.h>
#include <semaphore.h>
#include "samovar.h"

static sem_t ingredient[3], smoker[3], smoked;

// Leaves out one ingredient.
static void agent(void)
{
    int missing = (int)samovar_choose(3);
#ifdef FIX
    sem_post(&smoker[missing]);
#else
    sem_post(&ingredient[(missing + 1) % 3]);
    sem_post(&ingredient[(missing + 2) % 3]);
#endif
    sem_wait(&smoked);
}

static void *smoke(void *argument)
{
    int mine = (int)(long)argument;
#ifdef FIX
    sem_wait(&smoker[mine]);
#else
    sem_wait(&ingredient[(mine + 1) % 3]);
    sem_wait(&ingredient[(mine + 2) % 3]);
#endif
    sem_post(&smoked);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++) {
        sem_init(&ingredient[i], 0, 0);
        sem_init(&smoker[i], 0, 0);
    }
    sem_init(&smoked, 0, 0);
    for (long i = 0; i < 3; i++)
        pthread_create(&thread, NULL, smoke, (void *)i);
    agent();
    return 0; // the other smokers wait in vain: the program ends without them
}
