// The way out in case of an error destroys a std::thread that nobody joined: std::terminate. Whether
// there is an error is left open: samovar tries both. With -DFIX the thread is joined on every way.
//
// check: => error assertion
// check: -DFIX => verified
#include "samovar.h"
#include <atomic>
#include <thread>

static std::atomic<int> steps;

// Whether all went well.
static bool work()
{
    std::thread helper([] { steps++; });
    if (samovar_choose(2) == 1) {
#ifdef FIX
        helper.join();
#endif
        return false;
    }
    helper.join();
    return true;
}

int main()
{
    work();
}
