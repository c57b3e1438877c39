//@ threads: yes
// Thread-local variables of the executable.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static __thread int zero;
static __thread long start = 1000;
__thread double array[50] = {1.5, 2.5};
static __thread char aligned[64] __attribute__((aligned(64))) = "aligned";

static void *work(void *argument) {
    long id = (long)argument;
    for (int i = 0; i < 100; i++)
        zero += (int)id, start -= id, array[i % 50] += id;
    errno = (int)id;
    double sum = 0;
    for (int i = 0; i < 50; i++)
        sum += array[i];
    aligned[0] = (char)('A' + id);
    long misaligned = (long)aligned % 64;
    static char lines[8][100];
    snprintf(lines[id], 100, "%ld: %d %ld %g %d %s %ld", id, zero, start, sum, errno, aligned,
             misaligned);
    return lines[id];
}

int main(void) {
    pthread_t threads[8];
    zero = 7;
    for (long i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 8; i++) {
        void *line;
        pthread_join(threads[i], &line);
        puts(line);
    }
    printf("main: %d %ld %g %s\n", zero, start, array[1], aligned);
    return 0;
}
