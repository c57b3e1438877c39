/* Globals of every kind of type; stops once, inside a function with parameters and locals. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE };
enum flags { F_A = 1, F_B = 2, F_C = 4 };
enum small { MINUS = -3, ZERO = 0 };

struct point { int x, y; };
typedef struct point point_t;
struct node {
    int value;
    struct node *next;
    struct point at;
};
struct bits {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 33;
    bool d : 1;
};
struct mixed {
    char name[16];
    double weight;
    union { int i; float f; } u;
    struct { short inner_a; short inner_b; };
    enum colour colour;
    int (*callback)(int, char);
    int tail[];
};
struct opaque;
struct account { int balance; pthread_mutex_t lock; };

int counter = 42;
static long hidden __attribute__((used)) = -7;
unsigned char byte = 200;
char letter = 'q';
_Bool truth = 1;
float single = 0.1f;
double number = -2.5;
long double wide = 1.25L;
uint64_t big = UINT64_C(18446744073709551615);
__int128 huge = -1;
int matrix[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
point_t points[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
struct node second = { 2, 0, { 7, 8 } };
struct node first = { 1, &second, { 9, 10 } };
struct node *head = &first;
struct bits bits = { 5, -3, 0x123456789, 1 };
struct mixed mixed = { "short", 1.5, { 3 }, { 11, 12 }, BLUE, 0, {} };
enum colour colour = GREEN;
enum colour strange = (enum colour)77;
enum flags flags = F_A | F_C;
enum small small = MINUS;
const char *text = "hello \"you\"\n";
char buffer[8] = "abc";
char full[3] = { 'x', 'y', 'z' };
int zeros[100] = { 1 };
_Atomic int hits = 9;
atomic_long ahits = 10;
volatile int vol = 3;
const int constant = 4;
int *pointer = &matrix[1][2];
int **pointer2 = &pointer;
int (*row)[3] = &matrix[1];
struct opaque *secret;
int *wild = (int *)0x12345;
struct account acct = { 100, PTHREAD_MUTEX_INITIALIZER };
pthread_mutex_t forks[3];
__thread int tls_a = 77;
static __thread int tls_b = 78;

int callee(int a, char b) { return a + b; }

__attribute__((noinline)) int work(int amount, struct point where, const char *label)
{
    static int calls = 5;
    int local = amount * 2;
    int array[3] = { amount, local, 3 };
    calls++;
    {
        int local = 1000 + amount;
        struct node here = { local, &first, where };
        __asm__ volatile("int3" : : "r"(&here), "r"(array), "r"(&local), "r"(label) : "memory");
        array[0] += here.value;
    }
    return array[0] + array[1] + local + label[0];
}

int main(void)
{
    struct point where = { 21, 22 };
    mixed.callback = callee;
    tls_b++;
    return work(10, where, "label") + (int)hidden == 0;
}
