// One thread hands any number below LIMIT to another one, which writes it in decimal digits. All
// numbers are tried. With -DBUG a comparison is off by one.
//
// check: => verified; skip reduce=none model=none
// check: -DLIMIT=256 => verified; slow; skip reduce=none model=none
// check: -DBUG => error assertion; skip O0+reduce=none
#include <pthread.h>
#include <semaphore.h>
#include "samovar.h"

#ifndef LIMIT
#define LIMIT 16
#endif

static sem_t filled;
static int box, hundreds, tens, ones;

static void *producer(void *unused)
{
    box = (int)samovar_choose(LIMIT);
    sem_post(&filled);
    return unused;
}

static void *converter(void *unused)
{
    sem_wait(&filled);
    int rest = box, count = 0;
    for (; 100 <= rest; rest -= 100)
        count++;
    hundreds = count;
    count = 0;
#ifdef BUG
    for (; 10 < rest; rest -= 10)
#else
    for (; 10 <= rest; rest -= 10)
#endif
        count++;
    tens = count;
    ones = rest;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&filled, 0, 0);
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, converter, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    VASSERT(hundreds < 10 && tens < 10 && ones < 10);
    VASSERT(100 * hundreds + 10 * tens + ones == box);
    return 0;
}
