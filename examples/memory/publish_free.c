// A thread frees what another one still uses: the request is answered, so it can go, thinks the owner;
// but the answer is given before the answering thread has finished with the request. With -DFIX the
// answer is the last thing that it does with it.
//
// check: => error memory use-after-free; skip model=none
// check: -DFIX => verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct request {
    atomic_int answered, log;
};

static void *server(void *argument)
{
    struct request *request = argument;
#ifdef FIX
    request->log = 1;
    request->answered = 1;
#else
    request->answered = 1;
    request->log = 1;
#endif
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct request *request = calloc(1, sizeof *request);
    pthread_create(&thread, NULL, server, request);
    while (!request->answered)
        ;
    free(request);
    pthread_join(thread, NULL);
    return 0;
}
