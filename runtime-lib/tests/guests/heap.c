/* The malloc family: what it promises, and what it refuses. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 300
static unsigned seed = 1;
static unsigned next(void) { return seed = seed * 1103515245u + 12345u, seed >> 8; }

static int holds(const unsigned char *block, size_t size, int value) {
    for (size_t i = 0; i < size; i++)
        if (block[i] != (unsigned char)value) return 0;
    return 1;
}

static void churn(void) {
    unsigned char *block[BLOCKS] = {0};
    size_t size[BLOCKS] = {0};
    int errors = 0;
    for (int round = 0; round < 5000; round++) {
        int i = next() % BLOCKS;
        size_t wanted = next() % 100 == 0 ? next() % 200000 : next() % 400;
        errors += !holds(block[i], size[i], i);
        if (next() % 3 == 0) {
            free(block[i]);
            block[i] = calloc(1, wanted);
            errors += !holds(block[i], wanted, 0);
        } else {
            size_t kept = size[i] < wanted ? size[i] : wanted;
            block[i] = realloc(block[i], wanted + 1);
            errors += !holds(block[i], kept, i);
        }
        size[i] = wanted;
        errors += (uintptr_t)block[i] % 16 != 0 || malloc_usable_size(block[i]) < wanted;
        memset(block[i], i, wanted);
    }
    for (int i = 0; i < BLOCKS; i++) free(block[i]);
    printf("errors %d\n", errors);
}

static void *release(void *arg) {
    void **blocks = arg;
    for (int i = 0; i < 100; i++) free(blocks[i]);
    for (int i = 0; i < 100; i++) blocks[i] = malloc(i * 100);
    return NULL;
}

int main(void) {
    void *one = malloc(0), *two = malloc(0);
    printf("empty %d %d\n", one != NULL, one != two);
    free(one), free(two), free(NULL);
    churn();
    volatile size_t huge = SIZE_MAX / 2 + 5;
    errno = 0;
    printf("huge %d %d\n", malloc(huge) == NULL, errno == ENOMEM);
    errno = 0;
    printf("product %d %d\n", calloc(huge, 3) == NULL, errno == ENOMEM);
    char *kept = strdup("kept");
    errno = 0;
    void *none = realloc(kept, huge);
    printf("grown %d %d %s\n", none == NULL, errno == ENOMEM, kept);
    errno = 0;
    none = reallocarray(kept, huge, 2);
    printf("array %d %d %s\n", none == NULL, errno == ENOMEM, kept);
    free(kept);
    for (size_t align = 32; align <= 65536; align *= 8) {
        void *a = aligned_alloc(align, align * 2), *b = NULL, *c = memalign(align, 5);
        int result = posix_memalign(&b, align, 100);
        printf("align %zu %d %d %d %d\n", align, (int)((uintptr_t)a % align),
               (int)((uintptr_t)b % align), (int)((uintptr_t)c % align), result);
        memset(a, 1, align * 2);
        free(a), free(b), free(c);
    }
    void *unset = NULL;
    printf("refused %d\n", posix_memalign(&unset, 24, 8) == EINVAL);
    void *page = valloc(10);
    printf("page %d\n", (int)((uintptr_t)page % 4096));
    free(page);
    void *blocks[100];
    for (int i = 0; i < 100; i++) blocks[i] = malloc(i * 50);
    pthread_t thread;
    pthread_create(&thread, NULL, release, blocks);
    pthread_join(thread, NULL);
    for (int i = 0; i < 100; i++) free(blocks[i]);
    puts("done");
    return 0;
}
