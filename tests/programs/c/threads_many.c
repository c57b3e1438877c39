//@ threads: yes
// Two hundred threads alive at once, then a thousand one after the other.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static long sum;

static void *together(void *argument) {
    int *mine = malloc(sizeof *mine * 100);
    for (int i = 0; i < 100; i++)
        mine[i] = (int)(long)argument + i;
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 100; i++)
        sum += mine[i];
    pthread_mutex_unlock(&lock);
    free(mine);
    return NULL;
}
static void *alone(void *argument) { return (void *)((long)argument % 7); }

int main(void) {
    pthread_t threads[200];
    pthread_barrier_init(&all, NULL, 200);
    for (long i = 0; i < 200; i++)
        if (pthread_create(&threads[i], NULL, together, (void *)i))
            return 1;
    for (int i = 0; i < 200; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sum);
    for (long i = 0; i < 1000; i++) {
        void *result;
        pthread_create(&threads[0], NULL, alone, (void *)i);
        pthread_join(threads[0], &result);
        sum += (long)result;
    }
    printf("%ld\n", sum);
    return 0;
}
