// Philosophers who do not take chopsticks but ask a server for them, which hands out both or none: no
// deadlock. With -DBUG the server looks at one of the two only, and neighbours eat at the same time.
//
// check: => verified; skip reduce=none model=none
// check: -DBUG -DN=3 => error assertion; skip reduce=none model=none
// check: -DN=3 => verified; slow; skip reduce=none model=none
#include <assert.h>

#ifndef N
#define N 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define THREADS (N + 1)
#include "rendezvous.h"

enum { TAKE, PUT, SERVER = N };

static int taken[N]; // the server's, who hands them out

static int available(int seat, void *unused)
{
    (void)unused;
#ifdef BUG
    return !taken[seat];
#else
    return !taken[seat] && !taken[(seat + 1) % N];
#endif
}

static void *server(void *unused)
{
    for (;;) {
        int seat = 0;
        struct offer offers[] = {
            {TAKE, 0, &seat, available, NULL},
            {PUT, 0, &seat, NULL, NULL},
        };
        int takes = rendezvous(SERVER, offers, 2) == TAKE;
        for (int i = 0; i < 2; i++) {
            int *stick = &taken[(seat + i) % N];
            *stick += takes ? 1 : -1;
            assert(*stick == takes);
        }
        samovar_progress();
    }
    return unused;
}

static void *philosopher(void *argument)
{
    int me = (int)(long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        send_to(me, TAKE, me);
        send_to(me, PUT, me);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N], kitchen;
    prepare_meetings();
    pthread_create(&kitchen, NULL, server, NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
