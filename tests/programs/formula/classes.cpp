// What C++ adds to the data that formulas can name.
#include <atomic>
#include <cstdlib>

namespace bank {
enum class Kind { Closed = 1, Open = 4 };
enum Loud { QUIET, LOUD = 9 };
struct Base {
    int id = 70;
};
class Account : public Base {
  public:
    static int count;
    static constexpr int limit = 99;
    int balance = 50;
    Kind kind = Kind::Open;
    std::atomic<int> users{3};
};
int Account::count = 2;
Account account;
Loud loud = QUIET;
namespace {
int secret = 17;
}
} // namespace bank

template <typename T> struct Box {
    static T value;
};
template <> int Box<int>::value = 6;

std::atomic<long> total{-5};
std::atomic<bool> open_now{true};
std::atomic<bank::Account *> current{&bank::account};
int &alias = bank::account.balance;
volatile int ready;

int main() {
    ready = 1 + (bank::secret & 0) + (bank::account.id & 0);
    std::exit(Box<int>::value & 0);
}
