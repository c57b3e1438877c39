// Two threads change a balance without a lock; the sum is wrong if one change is lost.
// With "race" as its argument nothing is asserted.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Account {
    int balance = 0;
    std::mutex guard;
};

static Account account;
static int total;
static thread_local int own = 7;

static void deposit(int amount)
{
    int seen = account.balance;
    own += amount;
    account.balance = seen + amount;
    std::lock_guard<std::mutex> hold(account.guard);
    total += amount;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 1; i <= 2; i++)
        threads.emplace_back(deposit, i * 10);
    for (auto &thread : threads)
        thread.join();
    int sum = account.balance;
    assert(sum == total);
    return 0;
}
