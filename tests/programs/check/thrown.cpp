// An exception that nobody catches, in a second thread; with an argument it is caught.
#include <stdexcept>
#include <thread>

int main(int argc, char **) {
    std::thread other([argc] {
        try {
            throw std::runtime_error("out of tea");
        } catch (const std::exception &) {
            if (argc < 2) throw;
        }
    });
    other.join();
    return 0;
}
