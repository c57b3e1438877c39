// Driven by the tests, which answer its requests; the argument says what it asks for.
#include "samovar.h"

#include <pthread.h>
#include <string.h>

static int first, second;

static void *locker(void *argument)
{
    VLOCK(&first);
    first++;
    VUNLOCK(&first);
    return argument;
}

static void regions(void)
{
    samovar_progress();
    BEGINATOMIC
    first = 1;
    BEGINATOMIC
    printf("inside\n");
    second = 1;
    samovar_progress();
    ENDATOMIC
    ENDATOMIC
    samovar_progress();
    first = 2;
}

static void privileges(void)
{
    pthread_t thread;
    VLOCK(&first);
    VLOCK(&first);
    pthread_create(&thread, NULL, locker, NULL);
    while (!samovar_choose(2))
        second++;
    VUNLOCK(&first);
    pthread_join(thread, NULL);
    VUNLOCK(&first);
    printf("went on, first = %d\n", first);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "choose") == 0) {
        int value;
        unsigned number = samovar_choose(3);
        RANGE(value, -1, 1);
        printf("%u %d\n", number, value);
    } else if (strcmp(what, "assume") == 0) {
        unsigned number = samovar_choose(6);
        samovar_assume(number % 2 == 1);
        printf("%u\n", number);
    } else if (strcmp(what, "nothing") == 0) {
        int value = 0;
        RANGE(value, 1, 0);
        printf("%d\n", value);
    } else if (strcmp(what, "regions") == 0) {
        regions();
    } else if (strcmp(what, "privileges") == 0) {
        privileges();
    } else if (strcmp(what, "marks") == 0) {
        samovar_ignore(&first, sizeof first);
        samovar_thread_name("the main thread of this program");
        samovar_progress();
        samovar_progress();
        printf("%d\n", samovar_present());
    } else if (strcmp(what, "unknown") == 0) {
        SAMOVAR_TELL_(4242, 0, 0, 0);
    } else if (strcmp(what, "nop") == 0) {
        unsigned long rax = 5;
        __asm__ __volatile__(".byte 0x0f, 0x1f, 0x80, 0x53, 0x41, 0x4d, 0x4f" : "+a"(rax));
        printf("%lu\n", rax);
    }
    return 0;
}
