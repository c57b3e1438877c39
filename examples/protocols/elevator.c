// An elevator: PERSONS people call it, get in, choose another floor and get off there. The controller
// takes the calls and sends the cabin. With -DBUG it notes a call but, while the cabin is at rest, sends
// it nowhere: everybody waits.
//
// check: => verified; skip reduce=none model=none
// check: -DBUG => error deadlock; tiny
// check: -DBUG -DPERSONS=2 => error deadlock; tiny
#include <assert.h>

#ifndef FLOORS
#define FLOORS 2
#endif
#ifndef PERSONS
#define PERSONS 1
#endif
#define THREADS (PERSONS + 2)
#include "rendezvous.h"

enum { CALL, OPEN, GO_TO, GET_OFF, MOVE, ARRIVED };
enum { CONTROLLER = PERSONS, CABIN };

static int equals(int value, void *what)
{
    return value == *(int *)what;
}

static void *person(void *argument)
{
    int me = (int)(long)argument, here = me % FLOORS;
    int there = (here + 1 + (FLOORS == 2 ? 0 : (int)samovar_choose(FLOORS - 1))) % FLOORS;
    send_to(me, CALL, here);
    receive_from(me, OPEN, equals, &here);
    send_to(me, GO_TO, there);
    receive_from(me, GET_OFF, equals, &there);
    return NULL;
}

static void *cabin(void *unused)
{
    int here = 0;
    for (;;) {
        int there = receive_from(CABIN, MOVE, NULL, NULL);
        while (here != there)
            here += here < there ? 1 : -1;
        send_to(CABIN, ARRIVED, here);
        samovar_progress();
    }
    return unused;
}

// A floor where somebody waits or wants to go, or -1.
static int next_floor(const int *calls, const int *riders)
{
    for (int floor = 0; floor < FLOORS; floor++)
        if (calls[floor] || riders[floor])
            return floor;
    return -1;
}

static void serve(int floor, int *calls, int *riders)
{
    for (; riders[floor]; riders[floor]--)
        send_to(CONTROLLER, GET_OFF, floor);
    if (calls[floor]) {
        calls[floor] = 0;
        send_to(CONTROLLER, OPEN, floor);
        riders[receive_from(CONTROLLER, GO_TO, NULL, NULL)]++;
    }
}

static void *controller(void *unused)
{
    int calls[FLOORS] = {0}, riders[FLOORS] = {0}, moving = 0;
    for (;;) {
        int floor = next_floor(calls, riders);
#ifdef BUG
        floor = -1;
#endif
        if (!moving && 0 <= floor) {
            send_to(CONTROLLER, MOVE, floor);
            moving = 1;
        }
        struct offer offers[] = {{CALL, 0, &floor, NULL, NULL}, {ARRIVED, 0, &floor, NULL, NULL}};
        if (rendezvous(CONTROLLER, offers, 2) == 0) {
            calls[floor] = 1;
        } else {
            moving = 0;
            serve(floor, calls, riders);
        }
        samovar_progress();
    }
    return unused;
}

int main(void)
{
    pthread_t persons[PERSONS], machine;
    prepare_meetings();
    pthread_create(&machine, NULL, controller, NULL);
    pthread_create(&machine, NULL, cabin, NULL);
    for (long i = 0; i < PERSONS; i++)
        pthread_create(&persons[i], NULL, person, (void *)i);
    for (int i = 0; i < PERSONS; i++)
        pthread_join(persons[i], NULL);
    return 0;
}
