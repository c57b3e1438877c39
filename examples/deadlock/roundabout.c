// Four cars enter a roundabout from four roads. Each occupies the quarter in front of its road and
// needs the next one to get out. When all four are in, nobody moves. With -DFIX a traffic light
// lets at most three in at a time.
//
// check: => error deadlock; skip reduce=none model=none
// check: -DFIX => verified; skip reduce=none model=none
#include <pthread.h>

enum { CARS = 4 };

static pthread_mutex_t quarter[CARS];
static pthread_mutex_t light = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t green = PTHREAD_COND_INITIALIZER;
static int inside;

static void enter(void)
{
#ifdef FIX
    pthread_mutex_lock(&light);
    while (inside == CARS - 1)
        pthread_cond_wait(&green, &light);
    inside++;
    pthread_mutex_unlock(&light);
#endif
}

static void leave(void)
{
#ifdef FIX
    pthread_mutex_lock(&light);
    inside--;
    pthread_cond_signal(&green);
    pthread_mutex_unlock(&light);
#endif
}

static void *car(void *argument)
{
    long mine = (long)argument, next = (mine + 1) % CARS;
    enter();
    pthread_mutex_lock(&quarter[mine]);
    pthread_mutex_lock(&quarter[next]);
    pthread_mutex_unlock(&quarter[mine]);
    pthread_mutex_unlock(&quarter[next]);
    leave();
    return NULL;
}

int main(void)
{
    pthread_t cars[CARS];
    for (int i = 0; i < CARS; i++)
        pthread_mutex_init(&quarter[i], NULL);
    for (long i = 0; i < CARS; i++)
        pthread_create(&cars[i], NULL, car, (void *)i);
    for (int i = 0; i < CARS; i++)
        pthread_join(cars[i], NULL);
    (void)light, (void)green, (void)inside, (void)enter, (void)leave;
    return 0;
}
