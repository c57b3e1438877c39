// Data of every shape that formulas can name. `ready` says that everything has its value.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum colour { RED, GREEN = 5, BLUE };
enum { SMALL = -3, LARGE = 0x7fffffff } sized = SMALL;
typedef unsigned short port;

struct node {
    int value;
    struct node *next;
    signed char tag;
    unsigned low : 3;
    int high : 5;
    _Bool flag : 1;
    unsigned whole : 32;
    port ports[4];
    union {
        int as_int;
        float as_float;
    };
};

struct node first, second = {.value = 22, .tag = -2};
struct node *head, *nowhere, *freed, *wild = (struct node *)0x123456789000;
struct node table[3];
int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
int index_of = 1, sum, zero;
double half = 0.5;
float third = 1.0f / 3.0f;
long double big = 1.25L;
enum colour paint = GREEN;
_Atomic long count = 7;
atomic_int atomic_count = 8;
_Atomic(struct node *) atomic_head;
const int limit = 12;
char letter = 'q';
bool truth = true;
unsigned long all = ~0ul;
static volatile int hidden = 31;
volatile int ready;
__thread int own = 3;
void (*handler)(void);
int *inside, **twice = &inside;
__int128 huge;

static void act(void) { sum++; }

static int calls(void) {
    static volatile int times = 40;
    return ++times;
}

int main(void) {
    first.next = &second;
    first.value = 11;
    first.low = 5;
    first.high = -7;
    first.flag = 1;
    first.whole = 0xfffffff0u;
    first.ports[2] = 65535;
    first.as_int = -9;
    table[1].value = 100;
    table[2].next = &table[1];
    head = &first;
    atomic_head = &second;
    handler = act;
    inside = &matrix[1][1];
    own = 4;
    freed = malloc(sizeof *freed);
    freed->value = 5;
    free(freed);
    calls();
    ready = 1 + (sum & zero) + (hidden & zero) + (limit & zero);
    exit(0);
}
