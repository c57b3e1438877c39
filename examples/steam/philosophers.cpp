// StEAM's dining philosophers: forks are memory that VLOCK reserves for one thread. Everybody takes
// the left fork first; when all N hold one, all wait. With -DFIX forks are taken in the order of
// their numbers; with -DENDLESS everybody eats again and again.
//
// check: => error deadlock; skip O0+reduce=none
// check: -DN=2 => error deadlock
// check: -DN=5 => error deadlock; slow; skip reduce=none model=none
// check: -DFIX => verified; skip reduce=none model=none
// check: -DFIX -DN=4 => verified; skip reduce=none model=none
// check: -DENDLESS => error deadlock; skip reduce=none model=none
// check: -DENDLESS -DFIX => verified; skip reduce=none model=none
#include "ivmthread.h"

#ifndef N
#define N 3
#endif

static int forks[N];

class Philosopher : public IVMThread {
    int first = 0, second = 0;

public:
    void sit(int seat)
    {
        first = seat;
        second = (seat + 1) % N;
#ifdef FIX
        if (second < first) {
            first = second;
            second = seat;
        }
#endif
    }

    void eat()
    {
        VLOCK(&forks[first]);
        VLOCK(&forks[second]);
#ifndef ENDLESS
        forks[first]++;
        forks[second]++;
#endif
        VUNLOCK(&forks[second]);
        VUNLOCK(&forks[first]);
    }

    void run() override
    {
#ifdef ENDLESS
        for (;;)
#endif
            eat();
    }
};

int main()
{
    Philosopher *philosophers = new Philosopher[N];
    for (int i = 0; i < N; i++)
        philosophers[i].sit(i);
    for (int i = 0; i < N; i++)
        philosophers[i].start();
    for (int i = 0; i < N; i++)
        philosophers[i].join();
    delete[] philosophers;
    for (int uses : forks)
        VASSERT(uses == 2);
    return 0;
}
