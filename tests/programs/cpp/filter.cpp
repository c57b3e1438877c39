//@ stdin-lines: 3000
// iostream input, regular expressions, statics with destructors.
#include <iostream>
#include <map>
#include <regex>
#include <string>

struct Farewell {
    std::string text;
    explicit Farewell(const char *t) : text(t) { std::cout << "hello " << text << "\n"; }
    ~Farewell() { std::cout << "goodbye " << text << "\n"; }
};
static Farewell global("global");
static Farewell &lazy() {
    static Farewell local("local");
    return local;
}

int main() {
    std::string line;
    std::map<std::size_t, int> lengths;
    long words = 0;
    std::ios::sync_with_stdio(false);
    while (std::getline(std::cin, line)) {
        lengths[line.size() % 10]++;
        for (std::size_t i = 0; i < line.size(); i++)
            words += line[i] == ' ';
    }
    for (auto &[length, count] : lengths)
        std::cout << length << ":" << count << " ";
    std::cout << words << "\n";
    lazy();
    std::regex date(R"((\d{4})-(\d{2})-(\d{2}))");
    std::smatch match;
    std::string text = "from 2024-02-29 to 2025-12-31.";
    for (auto at = text.cbegin(); std::regex_search(at, text.cend(), match, date); at = match[0].second)
        std::cout << match[1] << "/" << match[2] << "/" << match[3] << "\n";
    std::cout << std::regex_replace(text, date, "$3.$2.$1") << "\n";
}
