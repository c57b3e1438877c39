//@ threads: yes
// Sleeping threads wake in the order of their sleep.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *sleeper(void *argument) {
    long n = (long)argument;
    usleep((useconds_t)n * 150000);
    pthread_mutex_lock(&lock);
    printf("%ld\n", n);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    long order[] = {3, 1, 4, 2, 0};
    pthread_t threads[5];
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, sleeper, (void *)order[i]);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
