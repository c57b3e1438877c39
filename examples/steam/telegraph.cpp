// StEAM's optical telegraph: N stations in a circle pass messages on. To send one, a station turns
// its attention to its own arms and raises them; then it requests the attention of the next
// station, which raises its arms to repeat what it sees. When all have raised their arms, each one
// waits for the attention of the next. With -DFIX stations are taken in the order of their numbers;
// with -DENDLESS messages are sent again and again.
//
// check: => error deadlock; skip reduce=none model=none
// check: -DN=5 => error deadlock; skip reduce=none model=none
// check: -DFIX => verified; skip reduce=none model=none
// check: -DFIX -DROUNDS=2 => verified; skip reduce=none model=none
// check: -DENDLESS => error deadlock; skip reduce=none model=none
// check: -DENDLESS -DFIX => verified; skip reduce=none model=none
#include "ivmthread.h"

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static int attention[N];
static int arms[N];
static int received[N];

static void engage(int station)
{
    VLOCK(&attention[station]);
    VLOCK(&arms[station]);
    arms[station] = 1;
}

static void release(int station)
{
    arms[station] = 0;
    VUNLOCK(&arms[station]);
    VUNLOCK(&attention[station]);
}

class Station : public IVMThread {
    int me = 0, next = 0;

    void send()
    {
        int first = me, second = next;
#ifdef FIX
        if (second < first) {
            first = next;
            second = me;
        }
#endif
        engage(first);
        engage(second);
#ifndef ENDLESS
        received[next]++;
#endif
        release(second);
        release(first);
    }

public:
    void place(int number)
    {
        me = number;
        next = (number + 1) % N;
    }

    void run() override
    {
#ifdef ENDLESS
        for (;;)
#else
        for (int i = 0; i < ROUNDS; i++)
#endif
            send();
    }
};

int main()
{
    Station *stations = new Station[N];
    for (int i = 0; i < N; i++)
        stations[i].place(i);
    for (int i = 0; i < N; i++)
        stations[i].start();
    for (int i = 0; i < N; i++)
        stations[i].join();
    delete[] stations;
    for (int messages : received)
        VASSERT(messages == ROUNDS);
    return 0;
}
