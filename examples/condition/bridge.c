// A bridge with one lane: cars of one direction may follow each other, the other direction waits.
//   BUG=1: a car looks whether the bridge is clear and drives on in two steps: two cars meet.
//   BUG=2: a car that leaves looks whether it is the last one, then leaves, in two steps: of two cars
//          that leave together each takes the other for the last one, and nobody wakes who waits.
//
// check: -DBUG=1 => error assertion; skip reduce=none model=none
// check: -DBUG=2 => error deadlock; skip reduce=none model=none
// check: => verified; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t clear = PTHREAD_COND_INITIALIZER;
static int cars[2]; // on the bridge, by direction

static void enter(int direction)
{
    pthread_mutex_lock(&lock);
    while (cars[1 - direction])
        pthread_cond_wait(&clear, &lock);
    if (BUG == 1) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    cars[direction]++;
    assert(cars[1 - direction] == 0);
    pthread_mutex_unlock(&lock);
}

static void leave(int direction)
{
    pthread_mutex_lock(&lock);
    int last = cars[direction] == 1;
    if (BUG == 2) {
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
    }
    cars[direction]--;
    if (last)
        pthread_cond_broadcast(&clear);
    pthread_mutex_unlock(&lock);
}

static void *car(void *argument)
{
    int direction = (int)(long)argument;
    enter(direction);
    leave(direction);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, car, (void *)(i < 2 ? i : 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
