// Threads without end, each new one a thread more to try in every state.
#include <pthread.h>

static void *nothing(void *arg)
{
    return arg;
}

int main(void)
{
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, 0, nothing, 0))
            return 1;
        pthread_detach(thread);
    }
}
