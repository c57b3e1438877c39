// A queue between two producers and a consumer, with the standard library's threads; the consumer
// ends by an exception that crosses from its thread into main.
//   samovar run examples/queue.cpp
// The argument is the number of items; all schedules of two can be checked.
//
// check: 2 => verified; skip reduce=none model=none
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <iostream>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>

struct closed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class queue {
    std::mutex lock;
    std::condition_variable changed;
    std::queue<int> items;
    bool open = true;

public:
    void push(int item)
    {
        std::lock_guard<std::mutex> hold(lock);
        items.push(item);
        changed.notify_one();
    }

    void close()
    {
        std::lock_guard<std::mutex> hold(lock);
        open = false;
        changed.notify_all();
    }

    int pop()
    {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [this] { return !open || !items.empty(); });
        if (items.empty())
            throw closed("nothing more will come");
        int item = items.front();
        items.pop();
        return item;
    }
};

int main(int argc, char **argv)
{
    queue line;
    int sum = 0, items = argc > 1 ? std::atoi(argv[1]) : 100;
    auto consumer = std::async(std::launch::async, [&] {
        for (;;)
            sum += line.pop();
    });
    {
        std::thread odd([&] { for (int i = 1; i < items; i += 2) line.push(i); });
        std::thread even([&] { for (int i = 0; i < items; i += 2) line.push(i); });
        odd.join();
        even.join();
    }
    line.close();
    try {
        consumer.get();
    } catch (const closed &end) {
        std::cout << "sum " << sum << ", then: " << end.what() << "\n";
    }
}
