// The C++ library's ways to wait for one another, one for each word; all correct.
#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>

static int value, seen;

static void both(auto first, auto second) {
    std::thread one(first), other(second);
    one.join(), other.join();
}

int main(int argc, char **argv) {
    std::string word = argc > 1 ? argv[1] : "mutex";
    if (word == "mutex") {
        static std::mutex lock;
        auto add = [] { std::lock_guard hold(lock); value = value + 1; };
        both(add, add);
        assert(value == 2);
    }
    if (word == "recursive") {
        static std::recursive_mutex lock;
        auto add = [] { std::lock_guard hold(lock); std::lock_guard again(lock); value = value + 1; };
        both(add, add);
        assert(value == 2);
    }
    if (word == "condition") {
        static std::mutex lock;
        static std::condition_variable changed;
        both([] { std::lock_guard hold(lock); value = 1; changed.notify_one(); },
             [] { std::unique_lock hold(lock); changed.wait(hold, [] { return value; }); seen = 1; });
        assert(seen);
    }
    if (word == "shared") {
        static std::shared_mutex lock;
        both([] { std::shared_lock hold(lock); seen = value; assert(seen == 0 || seen == 2); },
             [] { std::unique_lock hold(lock); value = 1; value = 2; });
    }
    if (word == "semaphore") {
        static std::counting_semaphore<2> ready(0);
        both([] { value = 1; ready.release(); }, [] { ready.acquire(); assert(value == 1); });
    }
    if (word == "latch") {
        static std::latch ready(1);
        both([] { value = 1; ready.count_down(); }, [] { ready.wait(); assert(value == 1); });
    }
    if (word == "barrier") {
        static std::barrier<> phase(2);
        both([] { value = 1; phase.arrive_and_wait(); }, [] { phase.arrive_and_wait(); assert(value == 1); });
    }
    if (word == "future") {
        std::promise<int> promise;
        auto future = promise.get_future();
        std::thread one([&] { promise.set_value(3); });
        assert(future.get() == 3);
        one.join();
    }
    if (word == "once") {
        static std::once_flag flag;
        auto pass = [] { std::call_once(flag, [] { value++; }); assert(value == 1); };
        both(pass, pass);
    }
    return 0;
}
