//@ cflags: -mcx16
//@ threads: yes
// Sixteen-byte compare and exchange (cmpxchg16b): a counted pointer stack between threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *next; int value; };
struct head { struct node *top; unsigned long tag; } __attribute__((aligned(16)));

static struct head stack;
static struct node pool[400];

static int swap(struct head *at, struct head *expected, struct head wanted) {
    unsigned char done;
    __asm__ volatile("lock cmpxchg16b %1; sete %0"
                     : "=q"(done), "+m"(*at), "+a"(expected->top), "+d"(expected->tag)
                     : "b"(wanted.top), "c"(wanted.tag)
                     : "memory", "cc");
    return done;
}

static void push(struct node *n) {
    struct head seen = {0, 0}, wanted;
    do
        n->next = seen.top, wanted = (struct head){n, seen.tag + 1};
    while (!swap(&stack, &seen, wanted));
}

static struct node *pop(void) {
    struct head seen = {0, 0}, wanted = {0, 0};
    while (!swap(&stack, &seen, wanted)) {
        if (!seen.top)
            return NULL;
        wanted = (struct head){seen.top->next, seen.tag + 1};
    }
    return seen.top;
}

static void *work(void *argument) {
    long id = (long)argument, sum = 0;
    for (int i = 0; i < 100; i++)
        pool[id * 100 + i].value = (int)(id * 100 + i), push(&pool[id * 100 + i]);
    for (int i = 0; i < 100; i++) {
        struct node *n = pop();
        sum += n ? n->value : 0;
        if (n && i % 3 == 0)
            push(n), sum -= n->value;
    }
    return (void *)sum;
}

int main(void) {
    pthread_t threads[4];
    long total = 0;
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++) {
        void *sum;
        pthread_join(threads[i], &sum);
        total += (long)sum;
    }
    for (struct node *n; (n = pop());)
        total += n->value;
    printf("%ld %d\n", total, stack.top == NULL);
    return 0;
}
