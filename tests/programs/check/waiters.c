// Which of two waiters a signal wakes is open: "signal" asserts that it is the one that came
// first, and fails only if it is not. "broadcast" wakes both and is correct; "hurried" takes a
// wake-up for a reason, which only a wake-up without a signal shows; "patient" does not.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static pthread_cond_t wakeup = PTHREAD_COND_INITIALIZER;
static int waiting, tokens, order[2], done;

static void *waiter(void *number) {
    pthread_mutex_lock(&lock);
    int place = waiting++;
    pthread_cond_signal(&arrival);
    while (tokens == 0)
        pthread_cond_wait(&wakeup, &lock);
    tokens--;
    order[done++] = place;
    pthread_mutex_unlock(&lock);
    return number;
}

static void *hurried(void *unused) {
    pthread_mutex_lock(&lock);
    if (!tokens)
        pthread_cond_wait(&wakeup, &lock);
    assert(tokens);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *patient(void *unused) {
    pthread_mutex_lock(&lock);
    while (!tokens)
        pthread_cond_wait(&wakeup, &lock);
    assert(tokens);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void one(void *(*body)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&lock);
    tokens = 1;
    pthread_cond_signal(&wakeup);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "";
    if (!strcmp(word, "hurried"))
        return one(hurried), 0;
    if (!strcmp(word, "patient"))
        return one(patient), 0;
    int together = !strcmp(word, "broadcast");
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    while (waiting < 2)
        pthread_cond_wait(&arrival, &lock);
    if (together) {
        tokens = 2;
        pthread_cond_broadcast(&wakeup);
    } else {
        tokens = 1;
        pthread_cond_signal(&wakeup);
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        while (done < 1) {
            pthread_mutex_unlock(&lock);
            pthread_mutex_lock(&lock);
        }
        assert(order[0] == 0);
        tokens = 1;
        pthread_cond_signal(&wakeup);
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(done == 2 && tokens == 0);
    return 0;
}
