// StEAM's leader election: N processes in a ring send their numbers round. A process passes greater
// numbers on, swallows smaller ones, and is the leader when its own number comes back; the leader
// then sends a farewell round. An observer claims that there is never more than one leader. That
// holds as long as the numbers are different: with -DDUPLICATE two processes have the greatest one,
// and each takes the other's for its own.
//
// check: -DDUPLICATE => error assertion; tiny
// check: -DDUPLICATE -DN=3 => error assertion; tiny
// check: => verified; skip reduce=none model=none
// check: -DN=3 => verified; skip reduce=none model=none
#include "ivmthread.h"

#ifndef N
#define N 2
#endif

enum { FAREWELL = -1, PLACES = N + 1 };

// What is on its way to a process, first come, first served.
struct Mailbox {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int messages[PLACES] = {}, count = 0;

    void send(int message)
    {
        pthread_mutex_lock(&lock);
        VASSERT(count < PLACES);
        messages[count++] = message;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }

    int receive()
    {
        pthread_mutex_lock(&lock);
        while (count == 0)
            pthread_cond_wait(&filled, &lock);
        int message = messages[0];
        count--;
        for (int i = 0; i < count; i++)
            messages[i] = messages[i + 1];
        messages[count] = 0;
        pthread_mutex_unlock(&lock);
        return message;
    }
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int leaders;

class Process : public IVMThread {
    int number = 0;
    Mailbox box, *neighbour = nullptr;

public:
    void set(int who, Process &next)
    {
        number = who;
        neighbour = &next.box;
        pthread_mutex_init(&box.lock, nullptr);
        pthread_cond_init(&box.filled, nullptr);
    }

    void run() override
    {
        neighbour->send(number);
        for (;;) {
            int message = box.receive();
            if (message == number) {
                pthread_mutex_lock(&lock);
                leaders++;
                pthread_mutex_unlock(&lock);
                neighbour->send(FAREWELL);
            } else if (message == FAREWELL || number < message) {
                neighbour->send(message);
            }
            if (message == FAREWELL)
                return;
        }
    }
};

class Observer : public IVMThread {
    void run() override
    {
        pthread_mutex_lock(&lock);
        VASSERT(leaders <= 1);
        pthread_mutex_unlock(&lock);
    }
};

int main()
{
    Process *processes = new Process[N];
    Observer *observer = new Observer;
    for (int i = 0; i < N; i++)
        processes[i].set(i + 1, processes[(i + 1) % N]);
#ifdef DUPLICATE
    processes[0].set(N, processes[1 % N]);
#endif
    for (int i = 0; i < N; i++)
        processes[i].start();
    observer->start();
    for (int i = 0; i < N; i++)
        processes[i].join();
    observer->join();
    delete observer;
    delete[] processes;
    VASSERT(leaders == 1);
    return 0;
}
