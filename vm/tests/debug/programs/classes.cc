// Classes, namespaces, templates and library wrappers; stops once, in a method.
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

struct Base {
    int base_value = 1;
    virtual ~Base() {}
    virtual int id() const { return 1; }
};

struct Other {
    int other_value = 2;
};

struct Empty {};

namespace bank {

enum class State : uint8_t { Open = 1, Closed = 200 };

class Account : public Base, public Other, private Empty {
public:
    static int total;
    static const int limit = 99;
    explicit Account(long start) : balance(start), self(*this) {}
    int id() const override { return 2; }
    __attribute__((noinline)) long deposit(long amount, const long &fee);

private:
    long balance;
    State state = State::Open;
    Account &self;
    std::mutex lock;
};

int Account::total = 1000;
static int secret __attribute__((used)) = 5;
namespace {
int unnamed __attribute__((used)) = 6;
}

namespace inner {
int secret = 7;
}

long Account::deposit(long amount, const long &fee)
{
    static int deposits = 40;
    deposits++;
    balance += amount - fee;
    auto twice = [&](long by) __attribute__((noinline)) {
        long result = by * 2 + amount;
        __asm__ volatile("int3" : : "r"(&result) : "memory");
        return result + fee;
    };
    return twice(balance) + secret + unnamed + inner::secret;
}

} // namespace bank

template <class T> struct Box {
    T content;
    static T shared;
};
template <class T> T Box<T>::shared = T(17);

struct Shared { int shared_value = 31; virtual ~Shared() {} };
struct Left : virtual Shared { int left = 32; };
struct Right : virtual Shared { int right = 33; };
struct Diamond : Left, Right { int own = 34; };
Diamond diamond;
Left *half = &diamond;

bank::Account account(100);
bank::Account *pointer = &account;
Base *as_base = &account;
Box<int> box{3};
Box<Box<short>> nested{{4}};
int &ref = bank::Account::total;
std::atomic<int> hits{8};
std::atomic<bool> flag{true};
std::atomic_flag spin = ATOMIC_FLAG_INIT;
std::string name = "a string";
std::string long_name(200, 'x');
std::vector<int> numbers{1, 2, 3};
std::vector<std::string> words{"one", "two"};
std::mutex mutexes[2];
wchar_t wide = L'w';
char16_t sixteen = u'\u20ac';
int Base::*member = &Base::base_value;

int main()
{
    account.deposit(10, 1);
    return Box<int>::shared;
}
