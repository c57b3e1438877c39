// Two threads at static variables, one or both through functions of the library, in the way that
// the argument says. With "locked" in front of it a mutex orders them.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile size_t length = 16;
static int numbers[4], others[4];
static char text[40];
static const char *how;
static int is_locked;

static void work(void)
{
    if (!strcmp(how, "memset"))
        memset(numbers, 0, length);
    else if (!strcmp(how, "memcpy"))
        memcpy(numbers, others, length);
    else if (!strcmp(how, "address"))
        memset(&numbers, 0, length);
    else if (!strcmp(how, "strlen"))
        length = strlen(text);
    else if (!strcmp(how, "sprintf"))
        sprintf(text, "%d", 12);
}

static void *thread(void *arg)
{
    if (is_locked)
        pthread_mutex_lock(&lock);
    if (arg)
        numbers[1] = 1, text[1] = 'x'; // of its own
    else
        work(); // by the library
    if (is_locked)
        pthread_mutex_unlock(&lock);
    return 0;
}

int main(int argc, char **argv)
{
    is_locked = 2 < argc;
    how = argv[argc - 1];
    pthread_t one, other;
    pthread_create(&one, 0, thread, 0);
    pthread_create(&other, 0, thread, &other);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
