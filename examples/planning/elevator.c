// An elevator and its passengers: from[p] is where passenger p waits, to[p] where it wants to go.
// Going up costs more the more passengers are inside, going down costs 1. Fewest steps and least
// energy are different plans: carrying nobody upwards who first wants to go down is cheaper.
//
//   samovar plan --goal 'served == 3' elevator.c
//   samovar plan --goal 'served == 3' --minimise energy elevator.c
//
// check: -DSTEPS=2 => verified; tiny
// plan: --goal=served==3 => 12
// plan: --goal=served==3 --minimise=energy => 13
// plan: --goal=served==4 -DSTEPS=8 => no plan
#include <samovar.h>

#ifndef STEPS
#define STEPS 0 /* as many as it takes */
#endif
enum { FLOORS = 4, PASSENGERS = 3, INSIDE = -1, GONE = -2 };

static const int to[PASSENGERS] = {0, 3, 0};
int where[PASSENGERS] = {1, 1, 3};
int floor_now;
int load;
int served;
int energy;

static void ride(int way)
{
    samovar_assume(0 <= floor_now + way && floor_now + way < FLOORS);
    samovar_action(0 < way ? "up" : "down");
    energy += 0 < way ? 2 + 2 * load : 1;
    floor_now += way;
    samovar_place("car", 0, FLOORS - 1 - floor_now);
}

static void serve(int passenger)
{
    samovar_assume(where[passenger] == floor_now || where[passenger] == INSIDE);
    if (where[passenger] == floor_now) {
        samovar_action("board", passenger);
        where[passenger] = INSIDE;
        load++;
    } else {
        samovar_assume(to[passenger] == floor_now);
        samovar_action("leave", passenger);
        where[passenger] = GONE;
        load--;
        served++;
    }
}

int main(void)
{
    samovar_grid(1, FLOORS, "....");
    samovar_place("car", 0, FLOORS - 1);
    for (int step = 0; served < PASSENGERS && (STEPS == 0 || step < STEPS); step += STEPS != 0) {
        unsigned what = samovar_choose(2 + PASSENGERS);
        if (what < 2)
            ride(what ? -1 : 1);
        else
            serve((int)what - 2);
    }
    return 0;
}
