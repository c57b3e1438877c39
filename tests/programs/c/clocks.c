// Time goes forward and sleeping takes it forward; the amount is nobody's business.
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
    time_t a = time(NULL);
    double m = now(CLOCK_MONOTONIC), backwards = 0;
    for (int i = 0; i < 1000; i++) {
        double n = now(CLOCK_MONOTONIC);
        backwards += n < m;
        m = n;
    }
    printf("backwards %g\n", backwards);
    double before = now(CLOCK_MONOTONIC);
    usleep(20000);
    nanosleep(&(struct timespec){0, 30000000}, NULL);
    double slept = now(CLOCK_MONOTONIC) - before;
    printf("slept %d\n", slept >= 0.05);
    struct timeval tv;
    gettimeofday(&tv, NULL);
    printf("%d %d\n", time(NULL) >= a, tv.tv_sec >= a && tv.tv_usec >= 0 && tv.tv_usec < 1000000);
    struct timespec goal;
    clock_gettime(CLOCK_MONOTONIC, &goal);
    goal.tv_nsec += 10000000;
    if (goal.tv_nsec >= 1000000000)
        goal.tv_sec++, goal.tv_nsec -= 1000000000;
    printf("%d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &goal, NULL));
    printf("%d %d\n", clock() >= 0, now(CLOCK_REALTIME) >= 0);
    struct timespec resolution;
    printf("%d\n", clock_getres(CLOCK_MONOTONIC, &resolution));
    return 0;
}
