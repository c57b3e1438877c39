// A machine that changes money, as state machines in threads: the main interface takes the deposit and
// pays a bill for every request while the balance lasts; the return controller guards the slot until
// the bill is taken; the customer presses buttons. When the balance is used up the main interface goes
// back to rest, but announces a bill all the same (the design error): the controller then guards an
// empty slot while nobody is being served. With -DFIX only a bill is announced.
//
// check: => error assertion; tiny
// check: -DFIX => verified; skip O0+reduce=none model=none
#include <pthread.h>
#include "samovar.h"

#ifndef DEPOSIT
#define DEPOSIT 1 // bills
#endif

enum { IDLE, OPERATING, WAIT_TAKEN };
enum { NOTHING, START, REQUEST, TAKE };

static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int state = IDLE, guarding, balance, bill_ready, bill_taken, pressed, finished;

static void check(void)
{
    VASSERT(!guarding || state == WAIT_TAKEN);
    VASSERT(0 <= balance);
    pthread_cond_broadcast(&changed);
}

static void serve_request(void)
{
    if (0 < balance) {
        balance--;
        bill_ready = 1;
        state = WAIT_TAKEN;
    } else {
#ifndef FIX
        bill_ready = 1;
#endif
        state = IDLE;
    }
}

static void *main_interface(void *unused)
{
    pthread_mutex_lock(&world);
    while (!finished || pressed || bill_taken) {
        if (state == IDLE && pressed == START) {
            pressed = NOTHING;
            balance += DEPOSIT;
            state = OPERATING;
        } else if (state == OPERATING && pressed == REQUEST) {
            pressed = NOTHING;
            serve_request();
        } else if (state == WAIT_TAKEN && bill_taken) {
            bill_taken = 0;
            state = OPERATING;
        } else {
            pthread_cond_wait(&changed, &world);
            continue;
        }
        check();
    }
    pthread_mutex_unlock(&world);
    return unused;
}

static void *return_controller(void *unused)
{
    pthread_mutex_lock(&world);
    while (!finished || bill_ready || guarding) {
        if (!guarding && bill_ready) {
            bill_ready = 0;
            guarding = 1;
        } else if (guarding && pressed == TAKE) {
            pressed = NOTHING;
            guarding = 0;
            bill_taken = 1;
        } else {
            pthread_cond_wait(&changed, &world);
            continue;
        }
        check();
    }
    pthread_mutex_unlock(&world);
    return unused;
}

static void press(int button)
{
    pthread_mutex_lock(&world);
    pressed = button;
    pthread_cond_broadcast(&changed);
    while (pressed)
        pthread_cond_wait(&changed, &world);
    pthread_mutex_unlock(&world);
}

static void *customer(void *unused)
{
    press(START);
    for (int i = 0; i < DEPOSIT; i++) {
        press(REQUEST);
        press(TAKE);
    }
    press(REQUEST); // one more than the deposit pays for
    pthread_mutex_lock(&world);
    finished = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&world);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, main_interface, NULL);
    pthread_create(&threads[1], NULL, return_controller, NULL);
    pthread_create(&threads[2], NULL, customer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
