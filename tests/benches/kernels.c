// Integer and pointer kernels for the speed comparison: kernels NAME UNITS repeats one unit of the
// named kernel and prints a checksum. A unit is one to a few milliseconds of a present-day CPU.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t lcg(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

static uint64_t sieve(void) {
    static uint8_t composite[200000];
    memset(composite, 0, sizeof composite);
    uint64_t count = 0;
    for (uint32_t i = 2; i < sizeof composite; i++) {
        if (composite[i])
            continue;
        count++;
        for (uint32_t k = i * 2; k < sizeof composite; k += i)
            composite[k] = 1;
    }
    return count;
}

static uint64_t xorshift(void) {
    static uint64_t state = 88172645463325252ULL;
    uint64_t sum = 0;
    for (int i = 0; i < 500000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        sum += state & 1 ? state : ~state;
    }
    return sum;
}

static uint64_t collatz(void) {
    uint64_t longest = 0;
    for (uint64_t start = 1; start < 8000; start++) {
        uint64_t steps = 0;
        for (uint64_t n = start; n != 1; steps++)
            n = n & 1 ? 3 * n + 1 : n >> 1;
        longest = steps > longest ? steps : longest;
    }
    return longest;
}

static uint64_t matrix(void) {
    enum { N = 90 };
    static int a[N][N], b[N][N], c[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i * j + 1, b[i][j] = i - j + c[i][j] % 3;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    return (uint64_t)c[N / 2][N / 3];
}

static uint64_t crc32(void) {
    static uint32_t table[256];
    static uint8_t data[300000];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            table[i] = i;
            for (int bit = 0; bit < 8; bit++)
                table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
        }
    uint32_t crc = ~0u;
    for (uint32_t i = 0; i < sizeof data; i++)
        crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
    data[crc % sizeof data]++;
    return crc;
}

static void quick(int *low, int *high) {
    while (low < high) {
        int pivot = low[(high - low) / 2], *i = low, *j = high;
        while (i <= j) {
            while (*i < pivot)
                i++;
            while (*j > pivot)
                j--;
            if (i <= j) {
                int t = *i;
                *i++ = *j, *j-- = t;
            }
        }
        quick(low, j);
        low = i;
    }
}
static uint64_t quicksort(void) {
    static int numbers[20000];
    static uint32_t state = 7;
    for (int i = 0; i < 20000; i++)
        numbers[i] = (int)(lcg(&state) >> 4);
    quick(numbers, numbers + 19999);
    return (uint64_t)numbers[10000];
}

static int place(int row, unsigned columns, unsigned left, unsigned right) {
    enum { N = 8 };
    if (row == N)
        return 1;
    int count = 0;
    for (unsigned free = ~(columns | left | right) & ((1u << N) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        count += place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}
static uint64_t queens(void) {
    uint64_t count = 0;
    for (int i = 0; i < 20; i++)
        count += (uint64_t)place(0, 0, 0, 0);
    return count;
}

struct link { struct link *next; uint64_t value, pad[6]; };
static uint64_t list(void) {
    enum { N = 4000 };
    static struct link *first;
    if (!first) { // a random cycle through all links
        struct link *all = calloc(N, sizeof *all);
        uint32_t state = 3, order[N];
        for (uint32_t i = 0; i < N; i++)
            order[i] = i, all[i].value = i;
        for (uint32_t i = N - 1; i > 0; i--) {
            uint32_t k = lcg(&state) % i, t = order[i];
            order[i] = order[k], order[k] = t;
        }
        for (uint32_t i = 0; i < N; i++)
            all[order[i]].next = &all[order[(i + 1) % N]];
        first = all;
    }
    uint64_t sum = 0;
    struct link *at = first;
    for (int i = 0; i < 300000; i++)
        sum += at->value, at = at->next;
    return sum;
}

struct tree { struct tree *left, *right; uint32_t key; };
static uint64_t tree(void) {
    static struct tree pool[8000];
    static uint32_t state = 11;
    struct tree *root = NULL;
    uint32_t used = 0, hits = 0;
    for (uint32_t i = 0; i < 8000; i++) {
        uint32_t key = lcg(&state) >> 12;
        struct tree **at = &root;
        while (*at && (*at)->key != key)
            at = key < (*at)->key ? &(*at)->left : &(*at)->right;
        if (!*at)
            *at = &pool[used], pool[used++] = (struct tree){NULL, NULL, key};
    }
    for (uint32_t i = 0; i < 8000; i++) {
        struct tree *at = root;
        uint32_t key = lcg(&state) >> 12;
        while (at && at->key != key)
            at = key < at->key ? at->left : at->right;
        hits += at != NULL;
    }
    return hits + used;
}

struct entry { struct entry *next; uint32_t key, count; };
static uint64_t hash(void) {
    enum { BUCKETS = 4096, ENTRIES = 8000 };
    static struct entry *bucket[BUCKETS], pool[ENTRIES];
    static uint32_t state = 5;
    uint32_t used = 0;
    uint64_t sum = 0;
    memset(bucket, 0, sizeof bucket);
    for (int i = 0; i < 60000; i++) {
        uint32_t key = (lcg(&state) >> 8) % ENTRIES, h = key * 2654435761u >> 20;
        struct entry *e = bucket[h];
        while (e && e->key != key)
            e = e->next;
        if (!e)
            e = &pool[used++], *e = (struct entry){bucket[h], key, 0}, bucket[h] = e;
        sum += ++e->count;
    }
    return sum;
}

int main(int argc, char **argv) {
    static const struct { const char *name; uint64_t (*run)(void); } all[] = {
        {"sieve", sieve}, {"xorshift", xorshift}, {"collatz", collatz}, {"matrix", matrix},
        {"crc32", crc32}, {"quicksort", quicksort}, {"queens", queens}, {"list", list},
        {"tree", tree}, {"hash", hash},
    };
    uint64_t sum = 0;
    long units = argc > 2 ? atol(argv[2]) : 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (argc > 1 && !strcmp(all[i].name, argv[1]))
            for (long u = 0; u < units; u++)
                sum = sum * 31 + all[i].run();
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}
