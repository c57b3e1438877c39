// Two threads add to one counter without a lock. Natively it nearly always prints 2; an unlucky
// schedule loses an addition. Try some schedules:
//   for seed in 1 2 3 4 5 6 7 8; do samovar run --seed $seed examples/race.c; done
#include <pthread.h>
#include <stdio.h>

static volatile int counter; // volatile: load and store stay two instructions

static void *add(void *unused)
{
    int seen = counter; // a switch between here ...
    counter = seen + 1; // ... and here loses the other thread's addition
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, add, NULL);
    pthread_create(&second, NULL, add, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("counter = %d\n", counter);
    return counter == 2 ? 0 : 1;
}
