// Blocks that are lost, and blocks that only look lost; the argument says which.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    char data[20];
};

static struct node *list;
static char *volatile kept, *volatile shared;
static __thread char *volatile own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void *push(void *argument)
{
    struct node *node = malloc(sizeof *node);
    pthread_mutex_lock(&mutex);
    node->next = list;
    list = node;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *make_once(void *argument)
{
    if (!shared)
        shared = malloc(10);
    return argument;
}

static void *use(void *argument)
{
    *(int *)argument = 7;
    return NULL;
}

static void *fill_own(void *argument)
{
    own = malloc(12);
    own[0] = 1;
    return argument;
}

static void *set_key(void *argument)
{
    pthread_setspecific(key, malloc(14));
    return argument;
}

static void two(void *(*function)(void *), void *argument)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, function, argument);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void at_end(void)
{
    free(kept);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "nothing") == 0) {
        printf("output has a buffer\n");
    } else if (strcmp(what, "list") == 0) {
        two(push, NULL);
    } else if (strcmp(what, "race") == 0) {
        two(make_once, NULL);
    } else if (strcmp(what, "argument") == 0) {
        two(use, malloc(4));
    } else if (strcmp(what, "thread-local") == 0) {
        two(fill_own, NULL);
    } else if (strcmp(what, "key") == 0) {
        pthread_key_create(&key, free);
        two(set_key, NULL);
    } else if (strcmp(what, "local") == 0) {
        char *volatile block = malloc(33);
        block[0] = 1;
    } else if (strcmp(what, "live-local") == 0) {
        char *volatile block = malloc(33);
        block[0] = 1;
        exit(0);
    } else if (strcmp(what, "cycle") == 0) {
        struct node *volatile first = malloc(sizeof *first);
        first->next = malloc(sizeof *first);
        first->next->next = first;
    } else if (strcmp(what, "chain") == 0) {
        struct node *volatile first = malloc(100);
        first->next = malloc(50);
        first->next->next = NULL;
    } else if (strcmp(what, "inside") == 0) {
        kept = (char *)malloc(64) + 40;
    } else if (strcmp(what, "behind") == 0) {
        kept = (char *)malloc(64) + 64;
    } else if (strcmp(what, "mapped") == 0) {
        struct node **far = malloc(1 << 20);
        kept = (char *)far;
        far[100000] = malloc(24);
    } else if (strcmp(what, "handler") == 0) {
        kept = malloc(70);
        atexit(at_end);
    } else if (strcmp(what, "overwritten") == 0) {
        kept = malloc(80);
        kept = realloc(malloc(16), 90);
    }
    return 0;
}
