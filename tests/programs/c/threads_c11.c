//@ threads: yes
// C11 threads.h.
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static int turn, initialised, freed;
static thread_local int mine = 3;

static void gone(void *value) { freed += *(int *)value; }
static void initialise(void) { initialised++, tss_create(&slot, gone); }
static int work(void *argument) {
    int id = (int)(long)argument;
    static int values[3];
    call_once(&once, initialise);
    values[id] = id + 1, mine += id;
    mtx_lock(&lock);
    tss_set(slot, &values[id]);
    for (int i = 0; i < 4; i++) {
        while (turn % 3 != id)
            cnd_wait(&changed, &lock);
        printf("%d%s", id, turn == 11 ? "\n" : " ");
        turn++;
        cnd_broadcast(&changed);
    }
    mtx_unlock(&lock);
    return mine * 10;
}

int main(void) {
    thrd_t threads[3];
    int result, sum = 0;
    mtx_init(&lock, mtx_plain | mtx_recursive), cnd_init(&changed);
    for (long i = 0; i < 3; i++)
        thrd_create(&threads[i], work, (void *)i);
    for (int i = 0; i < 3; i++)
        thrd_join(threads[i], &result), sum += result;
    printf("%d %d %d %d\n", sum, mine, initialised, freed);
    mtx_lock(&lock);
    printf("%d\n", mtx_trylock(&lock) == thrd_success);
    mtx_unlock(&lock), mtx_unlock(&lock);
    thrd_sleep(&(struct timespec){0, 1000000}, NULL);
    thrd_yield();
    return 0;
}
