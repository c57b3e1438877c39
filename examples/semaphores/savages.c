// Dining savages: they eat from a pot; who finds it empty wakes the cook and waits for it to be
// filled. Without the lock (-DBUG=1) two savages see the last portion. With -DBUG=2 a savage wakes the
// cook and does not wait for the pot.
//
// check: -DBUG=1 => error assertion; skip O0+reduce=none
// check: -DBUG=2 => error assertion
// check: => verified; slow; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef SAVAGES
#define SAVAGES 2
#endif
enum { POT = 1 };

static sem_t mutex, empty, filled;
static atomic_int portions;

static void *cook(void *unused)
{
    for (int i = 0; i < SAVAGES / POT; i++) {
        sem_wait(&empty);
        portions = POT;
        sem_post(&filled);
    }
    return unused;
}

static void *savage(void *unused)
{
    if (BUG != 1)
        sem_wait(&mutex);
    if (portions == 0) {
        sem_post(&empty);
        if (BUG != 2)
            sem_wait(&filled);
    }
    int left = portions - 1;
    assert(0 <= left);
    portions = left;
    if (BUG != 1)
        sem_post(&mutex);
    return unused;
}

int main(void)
{
    pthread_t savages[SAVAGES], kitchen;
    sem_init(&mutex, 0, 1);
    sem_init(&empty, 0, 0);
    sem_init(&filled, 0, 0);
    pthread_create(&kitchen, NULL, cook, NULL);
    for (int i = 0; i < SAVAGES; i++)
        pthread_create(&savages[i], NULL, savage, NULL);
    for (int i = 0; i < SAVAGES; i++)
        pthread_join(savages[i], NULL);
    pthread_join(kitchen, NULL);
    return 0;
}
