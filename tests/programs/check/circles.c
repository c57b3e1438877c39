// Threads that never get anywhere, or seem not to; the argument says how.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *waits_for_second(void *argument)
{
    while (!second)
        ;
    first = 1;
    return argument;
}

static void *waits_for_first(void *argument)
{
    while (!first)
        ;
    second = 1;
    return argument;
}

static void *sets_first(void *argument)
{
    first = 1;
    return argument;
}

static void *works_for_ever(void *argument)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        turns ^= 1;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *keeps_the_lock(void *argument)
{
    pthread_mutex_lock(&other);
    return argument;
}

static void *wants_the_lock(void *argument)
{
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    return argument;
}

static void both(void *(*one)(void *), void *(*two)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "livelock") == 0)
        both(waits_for_second, waits_for_first);
    if (strcmp(what, "spin") == 0)
        both(sets_first, waits_for_first);
    if (strcmp(what, "servers") == 0)
        both(works_for_ever, works_for_ever);
    if (strcmp(what, "stuck") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, works_for_ever, NULL);
        both(keeps_the_lock, wants_the_lock);
    }
    return 0;
}
