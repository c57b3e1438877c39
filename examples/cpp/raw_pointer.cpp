// A thread works with the raw pointer out of a shared_ptr whose last owner may let it go at any time:
// use after free. With -DFIX the thread has a shared_ptr of its own.
//
// check: => error memory use-after-free; skip model=none
// check: -DFIX => verified; skip O0+reduce=none
#include <atomic>
#include <memory>
#include <thread>

struct job {
    std::atomic<int> steps{0};
};

int main()
{
    auto owner = std::make_shared<job>();
#ifdef FIX
    std::thread worker([mine = owner] { mine->steps++; });
#else
    std::thread worker([mine = owner.get()] { mine->steps++; });
#endif
    owner.reset();
    worker.join();
}
