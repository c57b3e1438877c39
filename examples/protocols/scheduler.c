// The process scheduler of an operating system, as threads that meet: USERS processes ask for input and
// output; the driver starts the device for one at a time and queues the others; the device interrupts;
// the scheduler resumes the next one that is ready.
//   BUG=1: the driver forgets to say that a process is ready again when its request is complete.
//   BUG=2: it forgets to start the next request then. It takes two processes to notice.
//
// check: => verified; slow; skip reduce=none model=none
// check: -DBUG=1 => error deadlock
// check: -DBUG=2 -DUSERS=2 => error deadlock; slow; skip reduce=none model=none
#include <assert.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef USERS
#define USERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define THREADS (USERS + 3)
#include "rendezvous.h"

enum { READY, RESUME, REQUEST, START, INTERRUPT };
enum { SCHEDULER = USERS, DRIVER, DEVICE };

struct queue {
    int length, items[USERS];
};

static void append(struct queue *queue, int item)
{
    assert(queue->length < USERS);
    queue->items[queue->length++] = item;
}

static int take(struct queue *queue)
{
    assert(0 < queue->length);
    int first = queue->items[0];
    queue->length--;
    for (int i = 0; i < queue->length; i++)
        queue->items[i] = queue->items[i + 1];
    queue->items[queue->length] = 0;
    return first;
}

static int equals(int value, void *what)
{
    return value == *(int *)what;
}

static void *user(void *argument)
{
    int me = (int)(long)argument;
    send_to(me, READY, me);
    receive_from(me, RESUME, equals, &me);
    for (int i = 0; i < ROUNDS; i++) {
        send_to(me, REQUEST, me);
        receive_from(me, RESUME, equals, &me);
    }
    return NULL;
}

static void *scheduler(void *unused)
{
    struct queue ready = {0, {0}};
    for (;;) {
        int process = 0, first = ready.items[0];
        struct offer offers[] = {{READY, 0, &process, NULL, NULL}, {RESUME, 1, &first, NULL, NULL}};
        if (rendezvous(SCHEDULER, offers, ready.length ? 2 : 1) == 0)
            append(&ready, process);
        else
            take(&ready);
        samovar_progress();
    }
    return unused;
}

static void *driver(void *unused)
{
    struct queue requests = {0, {0}};
    int current = -1;
    for (;;) {
        int process = 0;
        struct offer offers[] = {{REQUEST, 0, &process, NULL, NULL},
                                 {INTERRUPT, 0, &process, NULL, NULL}};
        if (rendezvous(DRIVER, offers, 2) == 0) {
            append(&requests, process);
        } else {
            if (BUG != 1)
                send_to(DRIVER, READY, current);
            current = -1;
            if (BUG == 2)
                continue;
        }
        if (current < 0 && requests.length) {
            current = take(&requests);
            send_to(DRIVER, START, current);
        }
        samovar_progress();
    }
    return unused;
}

static void *device(void *unused)
{
    for (;;)
        send_to(DEVICE, INTERRUPT, receive_from(DEVICE, START, NULL, NULL));
    return unused;
}

int main(void)
{
    pthread_t users[USERS], system;
    prepare_meetings();
    pthread_create(&system, NULL, scheduler, NULL);
    pthread_create(&system, NULL, driver, NULL);
    pthread_create(&system, NULL, device, NULL);
    for (long i = 0; i < USERS; i++)
        pthread_create(&users[i], NULL, user, (void *)i);
    for (int i = 0; i < USERS; i++)
        pthread_join(users[i], NULL);
    return 0;
}
