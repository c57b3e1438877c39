// StEAM's first example: two threads compute glob = (glob + 1) * factor without a lock, and the
// program claims that the result is never 8. Natively the first thread nearly always comes first,
// and the result is 9.
//   samovar check examples/glob.cpp
// Expected: error, assertion.
#include "ivmthread.h"

static int glob;

class Worker : public IVMThread {
    int factor;

public:
    explicit Worker(int factor) : factor(factor) {}
    void run() override { glob = (glob + 1) * factor; }
};

int main()
{
    Worker first(2), second(3);
    first.start();
    second.start();
    first.join();
    second.join();
    VASSERT(glob != 8);
    return 0;
}
