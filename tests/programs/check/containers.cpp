// Two threads at containers of the C++ library, in the way that the argument says.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::string text;
static std::vector<int> numbers;
static std::map<int, std::string> names;
static std::deque<std::string> queue;
static std::condition_variable filled;
static std::promise<int> promise;
static std::once_flag once;
static std::shared_ptr<std::string> shared = std::make_shared<std::string>("shared");
static const std::string greeting = "hello";
static std::atomic<int> ready;
thread_local std::string own;
struct Large {
    int parts[6];
};
static std::atomic<Large> large;

using Work = void (*)(int);

static void assigned(int number)
{
    text = number ? "one" : "other"; // nothing orders this
}

static void guarded(int number)
{
    std::lock_guard<std::mutex> guard(lock);
    text += "abc";
    numbers.push_back(number);
    names[number] = text;
}

static void promised(int number)
{
    if (number) {
        text = "kept";
        promise.set_value(1);
    } else if (promise.get_future().get() == 1 && text != "kept") {
        __builtin_trap();
    }
}

static void counted(int)
{
    std::shared_ptr<std::string> copy = shared, another = copy;
    if (another->size() != 6)
        __builtin_trap();
}

static void printed(int number)
{
    std::cout << greeting << number << '\n';
}

static void called_once(int)
{
    std::call_once(once, [] { text = "long enough to be on the heap"; });
    if (text.empty())
        __builtin_trap();
}

static void local(int number)
{
    own.assign(number + 1, 'x');
    own += text;
}

static void queued(int number)
{
    std::unique_lock<std::mutex> guard(lock);
    if (number) {
        queue.push_back("work");
        filled.notify_one();
    } else {
        filled.wait(guard, [] { return !queue.empty(); });
        queue.pop_front();
    }
}

static void released(int number)
{
    if (number) {
        text = "released";
        ready.store(1, std::memory_order_release);
    } else if (ready.load(std::memory_order_acquire) && text != "released") {
        __builtin_trap();
    }
}

static void large_atomics(int number)
{
    if (number)
        large.store(Large{{1, 1}});
    else if (Large found = large.load(); found.parts[0] != found.parts[1])
        __builtin_trap();
}

static void atomic_shared(int)
{
    std::atomic_store(&shared, std::make_shared<std::string>("other"));
    if (std::atomic_load(&shared)->empty())
        __builtin_trap();
}

static const struct {
    const char *name;
    Work work;
} ways[] = {
    {"assigned", assigned}, {"guarded", guarded}, {"promised", promised},
    {"counted", counted}, {"printed", printed}, {"called_once", called_once},
    {"local", local}, {"queued", queued}, {"released", released},
    {"large_atomics", large_atomics}, {"atomic_shared", atomic_shared},
};

int main(int, char **argv)
{
    for (const auto &way : ways) {
        if (strcmp(way.name, argv[1]))
            continue;
        std::thread one(way.work, 0), other(way.work, 1);
        one.join();
        other.join();
    }
}
