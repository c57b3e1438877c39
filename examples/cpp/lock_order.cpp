// Two lock_guards in opposite order: deadlock. With -DFIX std::lock takes both, in whatever order
// it can: it tries, and lets go again if the second one is taken.
//
// check: => error deadlock; skip O0+reduce=none model=none
// check: -DFIX => verified; skip reduce=none model=none
#include <cassert>
#include <mutex>
#include <thread>

struct account {
    std::mutex lock;
    int balance = 100;
};

static account one, two;

static void transfer(account &from, account &to, int amount)
{
#ifdef FIX
    std::unique_lock<std::mutex> first(from.lock, std::defer_lock), second(to.lock, std::defer_lock);
    std::lock(first, second);
#else
    std::lock_guard<std::mutex> first(from.lock);
    std::lock_guard<std::mutex> second(to.lock);
#endif
    from.balance -= amount;
    to.balance += amount;
}

int main()
{
    std::thread there([] { transfer(one, two, 30); });
    std::thread back([] { transfer(two, one, 50); });
    there.join();
    back.join();
    assert(one.balance == 120 && two.balance == 80);
}
