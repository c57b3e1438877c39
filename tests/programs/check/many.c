// One thread after the other, as many as the argument says; the last one waits busily for main.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int go;

static void *end(void *argument)
{
    return argument;
}

static void *spin(void *argument)
{
    while (!go) {
    }
    return argument;
}

int main(int count, char **words)
{
    pthread_t thread;
    for (int left = count > 1 ? atoi(words[1]) : 1; left > 1; left--) {
        pthread_create(&thread, NULL, end, NULL);
        pthread_join(thread, NULL);
    }
    pthread_create(&thread, NULL, spin, NULL);
    go = 1;
    pthread_join(thread, NULL);
    return 0;
}
