// Threads as classes, as in StEAM's examples.
#include "ivmthread.h"

static int total;

class Adder : public IVMThread {
    int amount;

public:
    explicit Adder(int amount) : amount(amount) {}
    void run() override
    {
        VLOCK(&total);
        total += amount;
        VUNLOCK(&total);
    }
    void die() override
    {
        if (amount == 100)
            samovar_thread_name("the last");
    }
};

int main()
{
    {
        Adder local(1), never(5);
        local.start();
        local.join();
        printf("%d, thread %d\n", total, local.id());
    }
    Adder *many[3];
    for (int i = 0; i < 3; i++) {
        many[i] = new Adder(10);
        many[i]->start();
    }
    for (Adder *one : many) {
        one->join();
        delete one;
    }
    printf("%d\n", total);
    Adder *last = new Adder(100);
    last->start();
    return total >= 31 ? 0 : 1;
}
