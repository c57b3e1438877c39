// Containers, algorithms, strings, streams, RTTI, virtual and multiple inheritance.
#include <algorithm>
#include <bitset>
#include <functional>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <variant>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Named {
    virtual ~Named() = default;
    virtual std::string name() const { return "named"; }
};
struct Square : Shape, Named {
    double side;
    Square(double s) : side(s) {}
    double area() const override { return side * side; }
    std::string name() const override { return "square"; }
};
struct Circle : virtual Shape {
    double area() const override { return 3.0; }
};

int main() {
    std::mt19937 random(12345);
    std::vector<int> v(2000);
    for (auto &x : v)
        x = static_cast<int>(random() % 10000);
    auto sorted = v;
    std::sort(sorted.begin(), sorted.end());
    auto stable = v;
    std::stable_sort(stable.begin(), stable.end(), std::greater<int>());
    std::nth_element(v.begin(), v.begin() + 1000, v.end());
    std::cout << std::is_sorted(sorted.begin(), sorted.end()) << " " << sorted[0] << " "
              << stable[0] << " " << (v[1000] == sorted[1000]) << "\n";
    std::map<std::string, int> counts;
    std::unordered_map<int, std::string> names;
    std::set<long> unique;
    for (int x : v) {
        counts["k" + std::to_string(x % 17)]++;
        names[x % 100] = std::to_string(x);
        unique.insert(x % 333);
    }
    for (auto &[key, count] : counts)
        std::cout << key << "=" << count << " ";
    std::cout << names.size() << " " << unique.size() << " " << names.at(42).size() << "\n";
    std::priority_queue<int, std::vector<int>, std::greater<int>> heap(v.begin(), v.begin() + 50);
    long order = 0;
    while (!heap.empty())
        order = (order * 31 + heap.top()) % 1000003, heap.pop();
    std::list<int> chain{5, 3, 9, 1};
    chain.sort(), chain.reverse();
    std::cout << order << " " << chain.front() << chain.back() << "\n";
    std::ostringstream out;
    out << std::setw(8) << std::setfill('*') << 42 << std::hex << " " << 255 << std::dec << " "
        << std::fixed << std::setprecision(3) << 3.14159 << " " << std::scientific << 12345.678
        << " " << std::boolalpha << true << " " << std::left << std::setw(6) << "ab" << "|";
    std::cout << out.str() << "\n";
    std::istringstream in("12 3.5 word 0x1f");
    int i;
    double d;
    std::string word, rest;
    in >> i >> d >> word >> rest;
    std::cout << i + d << word << rest << " " << in.eof() << "\n";
    std::vector<std::unique_ptr<Shape>> shapes;
    shapes.push_back(std::make_unique<Square>(2.5));
    shapes.push_back(std::make_unique<Circle>());
    for (auto &s : shapes) {
        auto *named = dynamic_cast<Named *>(s.get());
        std::cout << s->area() << " " << (named ? named->name() : "none") << " "
                  << (typeid(*s) == typeid(Square)) << "\n";
    }
    try {
        (void)dynamic_cast<Square &>(*shapes[1]);
    } catch (const std::bad_cast &) {
        std::cout << "bad cast\n";
    }
    std::string text = "the quick brown fox";
    text.replace(4, 5, "slow").append(" jumps").insert(0, ">> ");
    std::cout << text << " " << text.find("fox") << " " << text.substr(3, 3) << "\n";
    std::variant<int, std::string> either = std::string("variant");
    std::optional<int> maybe;
    std::function<int(int)> f = [&](int n) { return n < 2 ? n : f(n - 1) + f(n - 2); };
    std::cout << std::get<std::string>(either) << maybe.value_or(-1) << " " << f(15) << " "
              << std::bitset<12>(1234) << " " << std::gcd(84, 36) << "\n";
    std::uniform_int_distribution<int> dice(1, 6);
    std::normal_distribution<double> bell;
    std::cout << dice(random) << dice(random) << " " << bell(random) << std::endl;
    std::cerr << "to cerr " << 1 << "\n";
    std::shared_ptr<int> p = std::make_shared<int>(5);
    std::weak_ptr<int> weak = p;
    std::cout << p.use_count() << weak.expired();
    p.reset();
    std::cout << weak.expired() << "\n";
}
