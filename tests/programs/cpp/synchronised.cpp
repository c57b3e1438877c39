//@ threads: yes
//@ cflags: -std=c++20
// Timed and recursive mutexes, shared_mutex, semaphores, latch, barrier, call_once that throws,
// futures, stop tokens.
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::timed_mutex timed;
static std::recursive_timed_mutex nested;
static std::shared_timed_mutex shared;
static std::counting_semaphore<4> pool(2);
static std::binary_semaphore turn(1);
static long total, owned, turns, reads;

static void work(int me, std::latch &begin, std::barrier<> &phase) {
    begin.arrive_and_wait();
    for (int i = 0; i < 10; i++) {
        pool.acquire();
        if (!timed.try_lock_for(0ms))
            timed.lock();
        total += me;
        timed.unlock();
        pool.release();
        {
            std::unique_lock outer(nested);
            std::unique_lock inner(nested, 1s);
            owned += inner.owns_lock();
        }
        if (i % 5 == me % 5) {
            std::unique_lock exclusive(shared);
            reads++;
        } else {
            std::shared_lock together(shared);
        }
        turn.acquire();
        turns++;
        turn.release();
    }
    phase.arrive_and_wait();
}

int main() {
    std::latch begin(4);
    std::barrier<> phase(4);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back(work, i, std::ref(begin), std::ref(phase));
    }
    std::printf("%ld %ld\n", total + owned + turns, reads);

    timed.lock();
    std::thread([] {
        std::printf("%d %d\n", timed.try_lock(), timed.try_lock_for(2ms));
        std::printf("%d\n", timed.try_lock_until(std::chrono::steady_clock::now() + 2ms));
    }).join();
    timed.unlock();
    std::printf("%d %d\n", pool.try_acquire_for(1ms), turn.try_acquire());

    std::once_flag once;
    int tries = 0;
    for (int i = 0; i < 3; i++)
        try {
            std::call_once(once, [&] {
                if (++tries < 2)
                    throw std::runtime_error("not yet");
            });
        } catch (const std::exception &error) {
            std::printf("%s\n", error.what());
        }
    std::printf("%d\n", tries);

    std::promise<int> promise;
    auto future = promise.get_future();
    std::printf("%d\n", future.wait_for(1ms) == std::future_status::timeout);
    auto lazy = std::async(std::launch::async, [&] { promise.set_value(7); });
    std::printf("%d\n", future.get());
    lazy.wait();

    std::mutex lock;
    std::condition_variable_any woken;
    bool stopped = false;
    std::jthread waiter([&](std::stop_token token) {
        std::unique_lock hold(lock);
        woken.wait(hold, token, [] { return false; });
        stopped = true;
    });
    waiter.request_stop();
    waiter.join();
    std::printf("%d\n", stopped);
    return 0;
}
