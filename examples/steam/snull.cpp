// StEAM's null write: one thread makes a place for the result, the other one writes there, and
// nothing says that the first one comes first. With -DFIX the writer starts when the place is there.
//
// check: => error memory null
// check: -DFIX => verified
#include "ivmthread.h"
#include <atomic>

static int result;
static std::atomic<int *> place;

class Maker : public IVMThread {
    void run() override { place = &result; }
};

class Writer : public IVMThread {
    void run() override { *place = 42; }
};

int main()
{
    static Maker maker;
    static Writer writer;
    maker.start();
#ifdef FIX
    maker.join();
#endif
    writer.start();
    maker.join();
    writer.join();
    VASSERT(result == 42);
    return 0;
}
