// Two threads add to one counter under a lock, a thousand times each: prints 2000, whatever the
// schedule. The argument is another number; every schedule of a small one can be checked.
//   samovar run examples/counter.c
//   samovar check examples/counter.c 5
//
// check: 5 => verified
// check: 5 -DNO_LOCK --check=assertion => error assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int counter, times = 1000;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
    for (int i = 0; i < times; i++) {
#ifdef NO_LOCK
        counter++;
#else
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
#endif
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t first, second;
    if (1 < argc)
        times = atoi(argv[1]);
    pthread_create(&first, NULL, add, NULL);
    pthread_create(&second, NULL, add, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    (void)lock;
    assert(counter == 2 * times);
    printf("counter = %d\n", counter);
    return 0;
}
