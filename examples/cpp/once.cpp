// Something that must happen once. A hand-made flag lets two threads in; with -DFIX std::call_once does
// not; with -DSTATIC the compiler takes care, since a local static variable is initialised once.
//
// check: => error assertion; skip model=none
// check: -DFIX => verified; skip reduce=none model=none
// check: -DSTATIC => verified; skip reduce=none model=none
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::atomic<int> times, done;
static std::once_flag flag;

static int happen()
{
    return ++times;
}

static void at_least_once()
{
#if defined(FIX)
    std::call_once(flag, happen);
#elif defined(STATIC)
    static int number = happen();
    assert(number == 1);
#else
    if (!done) {
        happen();
        done = 1;
    }
#endif
}

int main()
{
    std::thread first(at_least_once), second(at_least_once);
    first.join();
    second.join();
    assert(times == 1);
    (void)flag, (void)done;
}
