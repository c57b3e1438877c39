// One thread after the other, as many as the first argument says; then the second decides:
//   spin:  one more waits busily for main.
//   stuck: one more waits for ever for a lock that main holds, while another one works for ever.
//   share: three more work on two counters under two locks, and on some of their own.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int go, work;
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int counters[2], own[3];

static void *end(void *argument)
{
    return argument;
}

static void *spin(void *argument)
{
    while (!go) {
    }
    return argument;
}

static void *hang(void *argument)
{
    pthread_mutex_lock(&locks[0]);
    return argument;
}

static void *toil(void *argument)
{
    for (;;)
        work ^= 1;
    return argument;
}

static void *count(void *argument)
{
    int me = (int)(long)argument;
    own[me]++;
    for (int i = 0; i < 2; i++) {
        int which = (me + i) % 2;
        pthread_mutex_lock(&locks[which]);
        counters[which]++;
        pthread_mutex_unlock(&locks[which]);
        own[me]++;
    }
    return NULL;
}

int main(int words_count, char **words)
{
    pthread_t thread, three[3];
    const char *act = words_count > 2 ? words[2] : "spin";
    for (int left = words_count > 1 ? atoi(words[1]) : 1; left > 1; left--) {
        pthread_create(&thread, NULL, end, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(act, "stuck") == 0) {
        pthread_mutex_lock(&locks[0]);
        pthread_create(&thread, NULL, hang, NULL);
        pthread_create(&thread, NULL, toil, NULL);
    } else if (strcmp(act, "share") == 0) {
        for (long i = 0; i < 3; i++)
            pthread_create(&three[i], NULL, count, (void *)i);
        for (int i = 0; i < 3; i++)
            pthread_join(three[i], NULL);
        return 0;
    } else {
        pthread_create(&thread, NULL, spin, NULL);
        go = 1;
    }
    pthread_join(thread, NULL);
    return 0;
}
