//@ threads: yes
//@ not: musl
// Named semaphores, keys with destructors that run more than once, spin locks, once with a flag.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char name[64];
static pthread_key_t first, second;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static long counter, gone, again, begun;

static void bye(void *value) {
    __atomic_fetch_add(&gone, 1, __ATOMIC_SEQ_CST);
    if (value == &first)
        pthread_setspecific(first, &second);
}
static void later(void *value) { __atomic_fetch_add(&again, *(long *)value, __ATOMIC_SEQ_CST), free(value); }
static void begin(void) { begun++; }

static void *works(void *unused) {
    pthread_once(&once, begin);
    pthread_setspecific(first, &first);
    long *block = malloc(sizeof *block);
    *block = 5;
    pthread_setspecific(second, block);
    sem_t *turn = sem_open(name, 0);
    for (int i = 0; i < 20; i++) {
        sem_wait(turn);
        counter += i;
        sem_post(turn);
        pthread_spin_lock(&spin);
        counter++;
        pthread_spin_unlock(&spin);
    }
    sem_close(turn);
    return pthread_getspecific(first) == &first ? unused : NULL;
}

int main(void) {
    snprintf(name, sizeof name, "/samovar-test-%d", getpid());
    sem_t *turn = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    if (turn == SEM_FAILED)
        return perror("sem_open"), 1;
    sem_t *same = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    printf("%d %d\n", same == SEM_FAILED, errno == EEXIST);
    pthread_key_create(&first, bye), pthread_key_create(&second, later);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, works, &counter);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    int value;
    sem_getvalue(turn, &value);
    printf("%ld %ld %ld %ld %d\n", counter, gone, again, begun, value);
    printf("%d %d\n", sem_unlink(name), sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
    printf("%d %d\n", sem_close(turn), pthread_key_delete(first));
    printf("%d\n", pthread_spin_destroy(&spin));
    return 0;
}
