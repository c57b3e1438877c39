// Patterns of allocation: growth, holes, alignment, large blocks, a random mix with checksums.
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t seed = 12345;
static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u; }

static void churn(void) {
    enum { SLOTS = 200 };
    unsigned char *slot[SLOTS] = {0};
    size_t size[SLOTS] = {0};
    uint64_t sum = 0;
    for (int round = 0; round < 20000; round++) {
        unsigned i = next() >> 8, which = i % SLOTS;
        if (slot[which]) {
            for (size_t k = 0; k < size[which]; k += 13)
                sum += slot[which][k] == (unsigned char)(which + k);
        }
        size_t wanted = (next() >> 10) % (round % 50 == 0 ? 50000 : 600);
        if (i & 1024) {
            free(slot[which]);
            slot[which] = malloc(wanted);
        } else {
            slot[which] = realloc(slot[which], wanted + 1);
        }
        size[which] = wanted;
        for (size_t k = 0; k < wanted; k++)
            slot[which][k] = (unsigned char)(which + k);
    }
    for (int i = 0; i < SLOTS; i++)
        free(slot[i]);
    printf("churn %llu\n", (unsigned long long)sum);
}

int main(void) {
    churn();
    int *zeros = calloc(1000, sizeof *zeros), dirty = 0;
    for (int i = 0; i < 1000; i++)
        dirty |= zeros[i];
    printf("calloc %d\n", dirty);
    free(zeros);
    void *aligned = NULL;
    for (size_t alignment = 16; alignment <= 65536; alignment *= 4) {
        int bad = posix_memalign(&aligned, alignment, 100);
        printf("%zu %d %d\n", alignment, bad, (int)((uintptr_t)aligned % alignment));
        free(aligned);
        aligned = aligned_alloc(alignment, alignment * 2);
        printf("%d\n", (int)((uintptr_t)aligned % alignment));
        free(aligned);
    }
    char *big = malloc(64 << 20);
    big[0] = 1, big[(64 << 20) - 1] = 2;
    big = realloc(big, 100 << 20);
    printf("big %d %d\n", big[0], big[(64 << 20) - 1]);
    free(big);
    printf("impossible %d\n", malloc((size_t)1 << 62) == NULL);
    printf("overflow %d\n", calloc((size_t)1 << 33, (size_t)1 << 33) == NULL);
    char *copy = strdup("duplicate"), *part = strndup("partial", 4);
    printf("%s %s %d\n", copy, part, malloc_usable_size(copy) >= 10);
    free(copy), free(part), free(NULL);
    char *text = malloc(1);
    size_t length = 0;
    for (int i = 0; i < 5000; i++) {
        text = realloc(text, length + 2);
        text[length++] = (char)('a' + i % 26), text[length] = 0;
    }
    printf("%zu %.30s\n", strlen(text), text + 4970);
    free(text);
    return 0;
}
