// Threads with locals of the same name in different functions.
#include <pthread.h>

__thread int own;
int inside, done, twofold;

__attribute__((noinline)) static int inner(int depth, long number) {
    int i = depth * 10;
    if (depth < 3) {
        int deeper = inner(depth + 1, number + 1);
        return deeper + i;
    }
    inside++;
    __asm__ volatile("" ::: "memory");
    return i + (int)number;
}

static void *worker(void *argument) {
    long number = (long)argument;
    struct {
        int x;
        int list[3];
    } pair = {(int)number * 100, {7, 8, 9}};
    own = (int)number + 1;
    if (number > 1) {
        char unlike = 'x';
        twofold += unlike;
    } else {
        short unlike = 5;
        twofold += unlike;
    }
    int result = inner(1, number);
    done += pair.x + pair.list[1] + result;
    return 0;
}

int main(void) {
    pthread_t threads[2];
    double ratio = 2.5;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, (void *)(i + 1));
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], 0);
    return done == 0 && ratio > 1;
}
