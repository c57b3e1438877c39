// Two threads that each wait for the other's result before they give their own. With -DFIX the second
// one gives first.
//
// check: => error deadlock; tiny
// check: -DFIX => verified; skip reduce=none model=none
#include <cassert>
#include <future>
#include <thread>

int main()
{
    std::promise<int> left, right;
    std::future<int> from_left = left.get_future(), from_right = right.get_future();
    std::thread first([&] { left.set_value(from_right.get() + 1); });
    std::thread second([&] {
#ifdef FIX
        right.set_value(1);
        assert(from_left.get() == 2);
#else
        right.set_value(from_left.get() + 1);
#endif
    });
    first.join();
    second.join();
}
