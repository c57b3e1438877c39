// A warehouse with two floors and one lift. Robots carry boxes from their floor to the other one.
// In front of the lift there is room for one robot on each floor. A robot that waits for the lift in
// the only place where the one in the lift could get out is a deadlock, and samovar check finds it;
// samovar plan finds an order in which all boxes are delivered. With FIX a robot first reserves the
// place where it will get out, and nothing can go wrong.
//
//   samovar check warehouse.c
//   samovar plan --goal 'delivered == 2' warehouse.c
//
// check: --check=deadlock => error deadlock
// check: -DFIX => verified
// plan: --goal=delivered==2 => 6
// plan: -DFIX --goal=delivered==2 => 6
// plan: --goal=delivered==3 => no plan
#include <pthread.h>
#include <samovar.h>
#include <stdint.h>

enum { ROBOTS = 2, FLOORS = 2 };

static pthread_mutex_t landing[FLOORS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t lift = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIX
static pthread_mutex_t passage = PTHREAD_MUTEX_INITIALIZER;
#endif
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
int delivered;

static void *robot(void *argument)
{
    int from = (int)(intptr_t)argument, to = 1 - from;
    samovar_thread_name(from ? "upper" : "lower");
#ifdef FIX
    pthread_mutex_lock(&passage);
#endif
    pthread_mutex_lock(&landing[from]);
    samovar_action("drive to the lift on floor", from);
    pthread_mutex_lock(&lift);
    samovar_action("ride to floor", to);
    pthread_mutex_unlock(&landing[from]);
    pthread_mutex_lock(&landing[to]);
    pthread_mutex_unlock(&lift);
    samovar_action("unload on floor", to);
    pthread_mutex_unlock(&landing[to]);
#ifdef FIX
    pthread_mutex_unlock(&passage);
#endif
    pthread_mutex_lock(&count_lock);
    delivered++;
    pthread_mutex_unlock(&count_lock);
    return 0;
}

int main(void)
{
    pthread_t robots[ROBOTS];
    for (intptr_t floor = 0; floor < ROBOTS; floor++)
        pthread_create(&robots[floor], 0, robot, (void *)floor);
    for (int floor = 0; floor < ROBOTS; floor++)
        pthread_join(robots[floor], 0);
    return 0;
}
