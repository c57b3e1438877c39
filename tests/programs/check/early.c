/* A block that is freed while the other thread may still be reading it. */
#include <pthread.h>
#include <stdlib.h>

struct message { int length; char text[12]; };

static struct message *_Atomic current;
static volatile int sum;

static void *reader(void *unused) {
    struct message *mine = current;
    if (mine)
        sum += mine->length;
    return unused;
}

static void retire(void) {
    struct message *old = current;
    current = 0;
    free(old);
}

int main(void) {
    pthread_t thread;
    current = calloc(1, sizeof(struct message));
    pthread_create(&thread, 0, reader, 0);
    retire();
    pthread_join(thread, 0);
    return 0;
}
