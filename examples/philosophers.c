// Dining philosophers, each taking the left fork first: deadlock if all of them take one at the
// same time. `samovar run` then says who waits for what, where a native run would hang.
//   samovar run --seed 3 examples/philosophers.c 3
// The argument is the number of philosophers; with a second argument the last one is left-handed,
// and no schedule deadlocks.
//
// check: => error deadlock
// check: 2 => error deadlock
// check: 5 => error deadlock; skip reduce=none model=none
// check: 3 careful => verified; skip O0+reduce=none model=none
// check: 4 careful => verified; skip reduce=none model=none
// check: 5 careful => verified; slow; skip reduce=none model=none
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_mutex_t forks[MOST];
static int meals[MOST];
static int count = 3, careful;

static void *philosopher(void *argument)
{
    int id = (int)(long)argument;
    int left = id, right = (id + 1) % count;
    if (careful && id == count - 1) {
        left = right;
        right = id;
    }
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    meals[id]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    int total = 0;
    if (argc > 1)
        count = atoi(argv[1]);
    if (count < 2 || count > MOST)
        return 2;
    careful = argc > 2;
    for (int i = 0; i < count; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        total += meals[i];
    }
    printf("%d philosophers, %d meals\n", count, total);
    return 0;
}
