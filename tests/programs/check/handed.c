/* A lock that goes from hand to hand, and a mistake at the end. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    while (turn == 0)
        pthread_cond_wait(&changed, &lock);
    turn = 2;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, second, 0);
    pthread_mutex_lock(&lock);
    turn = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    pthread_mutex_lock(&lock);
    assert(turn == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
