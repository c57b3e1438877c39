// condition_variable::wait without a predicate: if the notification comes first, it is lost. With -DFIX
// there is a predicate.
//
// check: => error deadlock; tiny
// check: -DFIX => verified; skip O0+model=none
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool ready;

int main()
{
    std::thread waiter([] {
        std::unique_lock<std::mutex> hold(lock);
#ifdef FIX
        changed.wait(hold, [] { return ready; });
#else
        changed.wait(hold);
#endif
    });
    {
        std::lock_guard<std::mutex> hold(lock);
        ready = true;
    }
    changed.notify_one();
    waiter.join();
}
