// Last zero, a classic of partial-order reduction: thread i adds one to what it finds at place i - 1
// and stores it at place i, while a reader looks for the last zero from the end. Place 0 is always
// zero, so it finds one. With -DBUG somebody writes there too, and the reader runs off the array.
//
// check: => verified; skip O0+reduce=none model=none
// check: -DN=2 => verified; skip O0+reduce=none
// check: -DBUG => error assertion; skip O0+reduce=none model=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int places[N + 1];

static void *reader(void *unused)
{
    int here = N;
    while (places[here] != 0) {
        here--;
        assert(0 <= here);
    }
    return unused;
}

static void *writer(void *argument)
{
    int mine = (int)(long)argument;
#ifdef BUG
    if (mine == 1)
        places[0] = 1;
#endif
    places[mine] = places[mine - 1] + 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
    pthread_create(&threads[0], NULL, reader, NULL);
    for (long i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, writer, (void *)i);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
