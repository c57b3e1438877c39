// StEAM's snack vendor: one thread inserts coins, one presses the button, and an observer claims that
// the machine never sold more than it got coins for. The coin slot raises the credit before it counts
// the coin; the button may be quicker. With -DFIX the coin is counted first.
//
// check: => error assertion; skip O0+reduce=none
// check: -DFIX => verified; skip reduce=none model=none
// check: -DFIX -DCOINS=3 => verified; skip reduce=none model=none
#include "ivmthread.h"
#include <atomic>

#ifndef COINS
#define COINS 2
#endif

static std::atomic<int> got, credit, sold;

class Slot : public IVMThread {
    void run() override
    {
        for (int i = 0; i < COINS; i++) {
#ifdef FIX
            got++;
            credit++;
#else
            credit++;
            got++;
#endif
        }
    }
};

class Button : public IVMThread {
    void run() override
    {
        for (int i = 0; i < COINS; i++) {
            if (0 < credit) {
                credit--;
                sold++;
            }
        }
    }
};

class Observer : public IVMThread {
    void run() override
    {
        int bought = sold; // first: got may only have grown when it is read
        VASSERT(got >= bought);
    }
};

int main()
{
    static Slot slot;
    static Button button;
    static Observer observer;
    slot.start();
    button.start();
    observer.start();
    slot.join();
    button.join();
    observer.join();
    return 0;
}
