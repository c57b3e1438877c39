//@ threads: yes
// std::thread, mutex, condition_variable, atomic, call_once, thread_local.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

template <class T> class Channel {
    std::deque<T> items;
    std::mutex lock;
    std::condition_variable changed;
    bool closed = false;

public:
    void send(T item) {
        std::lock_guard<std::mutex> hold(lock);
        items.push_back(std::move(item));
        changed.notify_one();
    }
    void close() {
        std::lock_guard<std::mutex> hold(lock);
        closed = true;
        changed.notify_all();
    }
    bool receive(T &into) {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [&] { return closed || !items.empty(); });
        if (items.empty())
            return false;
        into = std::move(items.front());
        items.pop_front();
        return true;
    }
};

struct Loud {
    static std::atomic<int> alive, made;
    Loud() { alive++, made++; }
    ~Loud() { alive--; }
    int value = 3;
};
std::atomic<int> Loud::alive{0}, Loud::made{0};
thread_local Loud per_thread;

int main() {
    Channel<std::string> channel;
    std::atomic<long> length{0}, received{0};
    std::vector<std::thread> consumers;
    for (int i = 0; i < 3; i++)
        consumers.emplace_back([&] {
            std::string item;
            while (channel.receive(item)) {
                length += static_cast<long>(item.size());
                received++;
                per_thread.value++;
            }
        });
    std::vector<std::thread> producers;
    for (int id = 0; id < 2; id++)
        producers.emplace_back([&channel, id] {
            for (int i = 0; i < 100; i++)
                channel.send("message " + std::to_string(id * 1000 + i));
        });
    for (auto &t : producers)
        t.join();
    channel.close();
    for (auto &t : consumers)
        t.join();
    std::printf("%ld %ld\n", received.load(), length.load());

    std::once_flag once;
    int ran = 0;
    std::shared_mutex shared;
    long table = 0;
    {
        std::vector<std::thread> all;
        for (int i = 0; i < 8; i++)
            all.emplace_back([&, i] {
                std::call_once(once, [&] { ran++; });
                for (int k = 0; k < 50; k++) {
                    if (k % 5 == 0) {
                        std::unique_lock<std::shared_mutex> hold(shared);
                        table += i;
                    } else {
                        std::shared_lock<std::shared_mutex> hold(shared);
                        if (table < 0)
                            ran = -1000;
                    }
                }
            });
        for (auto &t : all)
            t.join();
    }
    std::printf("%d %ld\n", ran, table);
    std::mutex a, b;
    int both = 0;
    auto locker = [&](std::mutex &x, std::mutex &y) {
        for (int i = 0; i < 50; i++) {
            std::scoped_lock hold(x, y);
            both++;
        }
    };
    std::thread one(locker, std::ref(a), std::ref(b)), two(locker, std::ref(b), std::ref(a));
    one.join(), two.join();
    std::printf("%d %d\n", both, Loud::alive.load() == 0 || Loud::alive.load() == 1);
}
