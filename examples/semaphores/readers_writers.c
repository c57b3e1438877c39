// Readers and writers with semaphores: the first reader locks the writers out, the last one lets them
// in. The count of readers is guarded by a semaphore of its own.
//   BUG=1: nothing guards the count. Two readers take themselves for the first one and the last one,
//          and let a writer in while the other still reads, or lock the room twice and never come in.
//   BUG=2: the first reader waits for the room in front of the guard, having counted itself: the second
//          walks in while a writer is still there.
// (Writers may starve while readers come and go. That is no deadlock.)
//
// check: -DBUG=1 --check=assertion => error assertion; skip reduce=none model=none
// check: -DBUG=1 --check=deadlock => error deadlock; skip reduce=none model=none
// check: -DBUG=2 => error assertion; slow; skip reduce=none model=none
// check: -DREADERS=1 => verified; skip reduce=none
// check: => verified; slow; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef READERS
#define READERS 2
#endif

static sem_t room, guard;
static atomic_int readers, reading, writing;

static void enter(void)
{
    if (BUG != 1)
        sem_wait(&guard);
    int number = readers + 1;
    readers = number;
    if (BUG == 2)
        sem_post(&guard);
    if (number == 1)
        sem_wait(&room);
    if (BUG == 0)
        sem_post(&guard);
}

static void leave(void)
{
    if (BUG != 1)
        sem_wait(&guard);
    int number = readers - 1;
    readers = number;
    if (number == 0)
        sem_post(&room);
    if (BUG != 1)
        sem_post(&guard);
}

static void *reader(void *unused)
{
    enter();
    reading++;
    assert(writing == 0);
    reading--;
    leave();
    return unused;
}

static void *writer(void *unused)
{
    sem_wait(&room);
    writing = 1;
    assert(reading == 0);
    writing = 0;
    sem_post(&room);
    return unused;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    sem_init(&room, 0, 1);
    sem_init(&guard, 0, 1);
    pthread_create(&threads[READERS], NULL, writer, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
