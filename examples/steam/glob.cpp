// StEAM's first example: two threads compute glob = (glob + 1) * factor without a lock, and the
// program claims that the result is never 8. Natively the first thread nearly always comes first,
// and the result is 9. A lock does not help: the order of the threads alone makes the difference.
// With -DFIX the first thread has ended before the second starts.
//
// check: --check=assertion => error assertion
// check: -DLOCK => error assertion
// check: -DFIX => verified
#include "ivmthread.h"

static int glob;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

class Worker : public IVMThread {
    int factor;

public:
    explicit Worker(int factor) : factor(factor) {}
    void run() override
    {
#ifdef LOCK
        pthread_mutex_lock(&mutex);
#endif
        glob = (glob + 1) * factor;
#ifdef LOCK
        pthread_mutex_unlock(&mutex);
#endif
    }
};

int main()
{
    Worker first(2), second(3);
    first.start();
#ifdef FIX
    first.join();
#endif
    second.start();
    first.join();
    second.join();
    VASSERT(glob != 8);
    (void)mutex;
    return 0;
}
