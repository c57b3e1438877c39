// The indexer of Flanagan and Godefroid: N threads put four messages each into a hash table without
// locks, and go on to the next slot if one is taken. In its original size (-DSIZE=128) threads do not
// meet at all up to N=11, and 8 to the power of N - 11 orders matter from there on. With -DSPLIT a slot
// is looked at and taken in two steps, and messages get lost. -DMUTEX has a lock for each slot.
//
// check: => verified; skip O0+reduce=none
// check: -DMUTEX => verified; skip O0+reduce=none
// check: -DSPLIT => error assertion
// check: -DN=3 -DSIZE=128 => verified; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef SIZE
#define SIZE 8
#endif
enum { MESSAGES = 4 };

static atomic_int table[SIZE];
static pthread_mutex_t slots[SIZE];

static int put(int slot, int message)
{
#if defined(MUTEX)
    pthread_mutex_lock(&slots[slot]);
    int mine = table[slot] == 0;
    if (mine)
        table[slot] = message;
    pthread_mutex_unlock(&slots[slot]);
    return mine;
#elif defined(SPLIT)
    if (table[slot] != 0)
        return 0;
    table[slot] = message;
    return 1;
#else
    int nothing = 0;
    return atomic_compare_exchange_strong(&table[slot], &nothing, message);
#endif
}

static void *indexer(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 1; i <= MESSAGES; i++) {
        int message = i * 11 + me, slot = message * 7 % SIZE;
        while (!put(slot, message))
            slot = (slot + 1) % SIZE;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int used = 0;
    for (int i = 0; i < SIZE; i++)
        pthread_mutex_init(&slots[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, indexer, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SIZE; i++)
        used += table[i] != 0;
    assert(used == N * MESSAGES);
    return 0;
}
