// River crossing: a boat for two takes two hackers or two employees, never one of each. The wrong
// ferry counts who stands on the pier with one counter for both. With -DFIX each kind is counted by
// itself, and the one who completes a pair calls the other on board.
//
// check: => error assertion; tiny
// check: -DFIX => verified; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>

enum { HACKER, EMPLOYEE, KINDS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting[KINDS], called[KINDS], on_board[KINDS], boarding;

// What is counted for a passenger of this kind.
static int counter(int kind)
{
#ifdef FIX
    return kind;
#else
    return kind * 0;
#endif
}

static void board(int kind)
{
    on_board[kind]++;
    if (on_board[HACKER] + on_board[EMPLOYEE] == 2) {
        assert(on_board[HACKER] != 1);
        on_board[HACKER] = on_board[EMPLOYEE] = 0;
    }
}

static void *passenger(void *argument)
{
    int kind = (int)(long)argument, mine = counter(kind);
    pthread_mutex_lock(&lock);
    while (boarding)
        pthread_cond_wait(&changed, &lock);
    waiting[mine]++;
    if (waiting[mine] == 2) {
        waiting[mine] = 0;
        boarding = called[mine] = 1;
        board(kind);
    } else {
        while (!called[mine])
            pthread_cond_wait(&changed, &lock);
        boarding = called[mine] = 0;
        board(kind);
    }
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, passenger, (void *)(i % KINDS));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
