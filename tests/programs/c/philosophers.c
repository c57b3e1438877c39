//@ threads: yes
// Dining philosophers with ordered forks; names printed in order through a token.
#include <pthread.h>
#include <stdio.h>

enum { N = 5, MEALS = 20 };
static pthread_mutex_t forks[N], table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int eaten[N], next;

static void *dine(void *argument) {
    int id = (int)(long)argument, low = id, high = (id + 1) % N;
    if (low > high)
        low = high, high = id;
    for (int i = 0; i < MEALS; i++) {
        pthread_mutex_lock(&forks[low]), pthread_mutex_lock(&forks[high]);
        eaten[id]++;
        pthread_mutex_unlock(&forks[high]), pthread_mutex_unlock(&forks[low]);
    }
    pthread_mutex_lock(&table);
    while (next != id)
        pthread_cond_wait(&turn, &table);
    printf("philosopher %d ate %d times\n", id, eaten[id]);
    next++;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&table);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = N - 1; i >= 0; i--)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
