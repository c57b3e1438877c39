//@ threads: yes
// Threads that allocate, hand over and free each other's memory, and print into strings.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 300, SLOTS = 16 };
static _Atomic(char *) mailbox[SLOTS];
static long checks[THREADS];

static void *work(void *argument) {
    long id = (long)argument;
    unsigned seed = (unsigned)id * 77 + 1;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1664525u + 1013904223u;
        size_t size = 16 + (seed >> 8) % 2000;
        char *block = malloc(size);
        int n = snprintf(block, size, "%zu:%ld", size, id);
        memset(block + n + 1, (int)(size & 127), size - (size_t)n - 1);
        char *old = __atomic_exchange_n((char **)&mailbox[(seed >> 20) % SLOTS], block, 5);
        if (old) {
            size_t length = strtoul(old, NULL, 10);
            checks[id] += old[length - 1] != (char)(length & 127);
            old = realloc(old, length * 2);
            checks[id] += old[length - 1] != (char)(length & 127);
            free(old);
        }
        free(calloc(7, (size_t)i));
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    long wrong = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL), wrong += checks[i];
    for (int i = 0; i < SLOTS; i++)
        free(mailbox[i]);
    printf("wrong %ld\n", wrong);
    return 0;
}
