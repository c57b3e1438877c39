//@ threads: yes
// async, future, promise, packaged_task; exceptions that cross threads.
#include <future>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

static long sum(const std::vector<int> &v, size_t from, size_t to) {
    if (to - from < 100)
        return std::accumulate(v.begin() + from, v.begin() + to, 0L);
    size_t middle = (from + to) / 2;
    auto left = std::async(std::launch::async, sum, std::cref(v), from, middle);
    long right = sum(v, middle, to);
    return left.get() + right;
}

int main() {
    std::vector<int> v(1000);
    std::iota(v.begin(), v.end(), 1);
    std::cout << sum(v, 0, v.size()) << "\n";
    auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("from afar"); });
    try {
        failing.get();
    } catch (const std::exception &e) {
        std::cout << "caught " << e.what() << "\n";
    }
    std::promise<std::string> promise;
    auto future = promise.get_future();
    std::thread giver([&] { promise.set_value("promised"); });
    std::cout << future.get() << "\n";
    giver.join();
    std::packaged_task<int(int)> task([](int x) { return x * x; });
    auto result = task.get_future();
    std::thread(std::move(task), 12).join();
    std::cout << result.get() << "\n";
    auto lazy = std::async(std::launch::deferred, [] { return 7; });
    std::cout << lazy.get() << "\n";
    std::shared_future<int> shared = std::async(std::launch::async, [] { return 5; }).share();
    std::vector<std::thread> readers;
    std::atomic<int> total{0};
    for (int i = 0; i < 4; i++)
        readers.emplace_back([&] { total += shared.get(); });
    for (auto &t : readers)
        t.join();
    std::cout << total << "\n";
    try {
        std::promise<int> broken;
        auto f = broken.get_future();
        { auto gone = std::move(broken); }
        f.get();
    } catch (const std::future_error &e) {
        std::cout << (e.code() == std::future_errc::broken_promise) << "\n";
    }
}
