/* Programs that never come to an end, in the main thread or in another, by taking more and more of
 * something or by doing the same for ever. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *word;

static int is(const char *other) { return strcmp(word, other) == 0; }

static void keep(void *memory) { __asm__ volatile("" : : "r"(memory) : "memory"); }

static long recurse(volatile long *above)
{
    volatile long own[8];
    own[0] = *above + 1;
    return recurse(own) + own[0];
}

static void take(void)
{
    while (is("malloc"))
        keep(malloc(4096));
    while (is("fill"))
        keep(memset(malloc(1 << 16), 1, 1 << 16));
    while (is("free")) {
        void *block = malloc(100);
        keep(block);
        free(block);
    }
    while (is("map")) {
        void *pages = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            exit(1);
        memset(pages, 1, 1 << 20);
    }
    while (is("open"))
        keep((void *)(long)open("/dev/null", O_RDONLY));
    while (is("print"))
        puts("and on");
}

static void *work(void *unused)
{
    volatile unsigned long count = 0;
    take();
    while (is("count"))
        count++;
    while (is("nothing"))
        __asm__ volatile("");
    if (is("recurse"))
        return (void *)recurse((volatile long *)&count);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 3)
        return 2;
    word = argv[1];
    if (strcmp(argv[2], "main") == 0)
        work(0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}
