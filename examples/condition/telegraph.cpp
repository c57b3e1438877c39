// An optical telegraph: N stations in a circle signal to the next one. A station raises its arms
// to call, and sends as soon as the next station pays attention; but a station with raised arms looks
// at its own neighbour only. When all call at the same time, nobody pays attention. With -DFIX a
// station raises its arms only when the next one is at rest.
//
// check: => error deadlock; skip reduce=none model=none
// check: -DN=5 => error deadlock; skip reduce=none model=none
// check: -DFIX => verified; skip reduce=none model=none
// check: -DFIX -DROUNDS=2 => verified; skip reduce=none model=none
#include "ivmthread.h"

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t lowered = PTHREAD_COND_INITIALIZER;
static bool calling[N];
static int received[N];

class Station : public IVMThread {
    int me = 0, next = 0;

    void wait_for_attention()
    {
        while (calling[next])
            pthread_cond_wait(&lowered, &lock);
    }

    void send()
    {
        pthread_mutex_lock(&lock);
#ifdef FIX
        wait_for_attention();
        calling[me] = true;
#else
        calling[me] = true;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        wait_for_attention();
#endif
        received[next]++;
        calling[me] = false;
        pthread_cond_broadcast(&lowered);
        pthread_mutex_unlock(&lock);
    }

public:
    void place(int number)
    {
        me = number;
        next = (number + 1) % N;
    }

    void run() override
    {
        for (int i = 0; i < ROUNDS; i++)
            send();
    }
};

int main()
{
    static Station stations[N];
    for (int i = 0; i < N; i++)
        stations[i].place(i);
    for (Station &one : stations)
        one.start();
    for (Station &one : stations)
        one.join();
    for (int messages : received)
        VASSERT(messages == ROUNDS);
    return 0;
}
