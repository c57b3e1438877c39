/* Memory that nobody has written: what the first argument names decides by it, or only touches it.
 * What is done in a thread of its own comes after another thread has left its own on the heap. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char letter;
    int number;
    char last;
};

static const char *deed;
static volatile int done;
static struct padded kept[2];

static int is(const char *name) { return strcmp(deed, name) == 0; }

/* Sets nothing, but the compiler does not know. */
__attribute__((noinline)) static void set(void *start, int size)
{
    if (done > 1)
        memset(start, 1, size);
}

__attribute__((noinline)) static int decide(void)
{
    int flags[6];
    set(flags, sizeof flags);
    if (flags[3])
        done = 1;
    return done;
}

__attribute__((noinline)) static int loop(void)
{
    short limit;
    set(&limit, sizeof limit);
    for (int i = 0; i < (limit & 7); i++)
        done = 1;
    return 0;
}

__attribute__((noinline)) static void grow(void)
{
    int *values = malloc(2 * sizeof *values);
    values[0] = values[1] = 5;
    values = realloc(values, 4 * sizeof *values);
    if (values[1] == 5 && values[3] > 0)
        done = 1;
    free(values);
}

/* Reads whole words behind the end of the text, copies padding, looks and does nothing about it. */
__attribute__((noinline)) static void touch(void)
{
    char *text = malloc(64);
    strcpy(text, "abc");
    kept[0].number = (int)strlen(text) + (strchr(text, 'c') != NULL) + strcmp(text, "abd");
    struct padded here;
    here.letter = text[1];
    here.number = 4;
    here.last = text[2];
    kept[1] = here;
    memcpy(&kept[0], &here, sizeof here);
    char whole[40];
    memcpy(whole, text, sizeof whole);
    memcpy(text, whole, sizeof whole);
    printf("%s %d\n", whole, kept[0].number);
    int both[2];
    set(both, sizeof both);
    if (done && both[1])
        done = 3;
    free(text);
}

static void *act(void *argument)
{
    int local;
    (void)argument;
    if (is("stack"))
        decide();
    if (is("loop"))
        loop();
    if (is("grow"))
        grow();
    if (is("touch"))
        touch();
    if (is("print")) {
        set(&local, sizeof local);
        printf("%d\n", local);
        fflush(stdout);
    }
    if (is("address")) {
        unsigned char at;
        set(&at, sizeof at);
        ((volatile char *)kept)[at & 7] = 1;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int status;
    deed = argc > 1 ? argv[1] : "touch";
    if (is("alone"))
        return decide();
    act(is("touch") ? NULL : (deed = "", NULL));
    deed = argc > 1 ? argv[1] : "touch";
    pthread_create(&thread, NULL, act, NULL);
    pthread_join(thread, NULL);
    if (is("status")) {
        set(&status, sizeof status);
        exit(status & 1);
    }
    return 0;
}
