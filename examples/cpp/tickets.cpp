// Selling the last ticket with a std::atomic: looking and taking are two operations, and it is sold
// twice. With -DFIX a loop of compare_exchange takes it only if it is still there.
//
// check: => error assertion; skip model=none
// check: -DFIX => verified; skip reduce=none model=none
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> tickets{1}, sold{0};

static void sell()
{
#ifdef FIX
    int left = tickets;
    while (0 < left && !tickets.compare_exchange_strong(left, left - 1))
        ;
    if (0 < left)
        sold++;
#else
    if (0 < tickets) {
        tickets--;
        sold++;
    }
#endif
}

int main()
{
    std::thread first(sell), second(sell);
    first.join();
    second.join();
    assert(sold == 1);
}
