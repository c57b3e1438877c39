//@ threads: yes
// Creation, arguments, results, pthread_exit, equality, attributes, joining in any order.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *square(void *n) { return (void *)((long)n * (long)n); }
static void *leave(void *n) { pthread_exit((void *)((long)n + 1)); }
static void *identity(void *expected) {
    return (void *)(long)pthread_equal(pthread_self(), *(pthread_t *)expected);
}
static void *spawn(void *n) {
    if ((long)n == 0)
        return (void *)1;
    pthread_t child;
    void *result;
    pthread_create(&child, NULL, spawn, (void *)((long)n - 1));
    pthread_join(child, &result);
    return (void *)((long)result * 2);
}
static void *wide(void *unused) {
    char big[500000];
    memset(big, 1, sizeof big);
    long sum = 0;
    for (size_t i = 0; i < sizeof big; i += 1000)
        sum += big[i];
    return (void *)sum;
}

int main(void) {
    pthread_t threads[10];
    void *result;
    for (long i = 0; i < 10; i++)
        pthread_create(&threads[i], NULL, i % 2 ? leave : square, (void *)i);
    for (int i = 9; i >= 0; i--) {
        pthread_join(threads[i], &result);
        printf("%ld ", (long)result);
    }
    pthread_t nested, self = pthread_self();
    pthread_create(&nested, NULL, spawn, (void *)8L);
    pthread_join(nested, &result);
    printf("\nnested %ld\n", (long)result);
    pthread_create(&nested, NULL, identity, &self);
    pthread_join(nested, &result);
    printf("same %ld %d\n", (long)result, pthread_equal(self, pthread_self()) != 0);
    pthread_attr_t attributes;
    size_t size;
    pthread_attr_init(&attributes);
    printf("%d ", pthread_attr_setstacksize(&attributes, 1 << 20));
    pthread_attr_getstacksize(&attributes, &size);
    pthread_create(&nested, &attributes, wide, NULL);
    pthread_join(nested, &result);
    printf("%zu %ld\n", size, (long)result);
    pthread_attr_destroy(&attributes);
    return 0;
}
