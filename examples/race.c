// Two threads add to one counter without a lock. Natively it nearly always prints 2; an unlucky
// schedule loses an addition. Try some schedules:
//   for seed in 1 2 3 4 5 6 7 8; do samovar run --seed $seed examples/race.c; done
// With -DFIX the addition is one atomic operation.
//
// check: --check=exit => error exit
// check: --check=exit -DFIX => verified; tiny
#include <pthread.h>
#include <stdio.h>

#ifdef FIX
static _Atomic int counter;
#else
static volatile int counter; // volatile: load and store stay two instructions
#endif

static void *add(void *unused)
{
#ifdef FIX
    counter++;
#else
    int seen = counter; // a switch between here ...
    counter = seen + 1; // ... and here loses the other thread's addition
#endif
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
