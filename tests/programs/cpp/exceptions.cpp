//@ run: -> exit 0
//@ run: terminate -> signal 6
//@ run: noexcept -> signal 6
// Exceptions: through many frames, rethrown, nested, in constructors, uncaught.
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static int cleaned;
struct Guard {
    ~Guard() { cleaned++; }
};
struct Custom : std::runtime_error {
    int code;
    Custom(int c) : std::runtime_error("custom " + std::to_string(c)), code(c) {}
};
static int dive(int n) {
    Guard g;
    std::string local(static_cast<size_t>(n) + 20, 'x');
    if (n == 0)
        throw Custom(42);
    return dive(n - 1) + static_cast<int>(local.size());
}
struct Member {
    Guard g;
    Member(bool fail) {
        if (fail)
            throw 3.5;
    }
};
struct Whole {
    Member first{false}, second{true};
};
static void rethrow() {
    try {
        dive(3);
    } catch (std::runtime_error &e) {
        try {
            std::throw_with_nested(std::logic_error("outer"));
        } catch (...) {
            throw;
        }
    }
}
static void promise() noexcept { throw 1; }

int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 't')
        throw Custom(1);
    if (argc > 1)
        promise();
    try {
        dive(50);
    } catch (const Custom &e) {
        std::cout << e.what() << " " << e.code << " cleaned " << cleaned << "\n";
    }
    try {
        Whole w;
    } catch (double d) {
        std::cout << d << " cleaned " << cleaned << "\n";
    }
    try {
        rethrow();
    } catch (const std::exception &e) {
        std::cout << e.what();
        try {
            std::rethrow_if_nested(e);
        } catch (const std::exception &inner) {
            std::cout << " <- " << inner.what() << "\n";
        }
    }
    try {
        std::vector<int>().at(5);
    } catch (const std::out_of_range &) {
        std::cout << "out of range\n";
    }
    try {
        std::stoi("not a number");
    } catch (const std::invalid_argument &e) {
        std::cout << e.what() << "\n";
    }
    try {
        volatile size_t huge = SIZE_MAX / 4;
        std::unique_ptr<char[]> p(new char[huge]);
    } catch (const std::bad_alloc &) {
        std::cout << "bad alloc\n";
    }
    int total = 0;
    for (int i = 0; i < 200; i++)
        try {
            if (i % 3 == 0)
                throw i;
            if (i % 3 == 1)
                throw std::to_string(i);
            throw static_cast<const char *>("c");
        } catch (int n) {
            total += n;
        } catch (const std::string &s) {
            total += static_cast<int>(s.size());
        } catch (...) {
            total += 1000;
        }
    std::exception_ptr saved;
    try {
        throw Custom(7);
    } catch (...) {
        saved = std::current_exception();
    }
    try {
        std::rethrow_exception(saved);
    } catch (const Custom &e) {
        std::cout << total << " " << e.code << " " << std::uncaught_exceptions() << "\n";
    }
}
