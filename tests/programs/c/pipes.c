// A pipe inside one process, poll and select on it, fcntl, dup2.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    printf("%d\n", pipe(ends));
    printf("%zd\n", write(ends[1], "through the pipe", 16));
    struct pollfd p = {ends[0], POLLIN, 0};
    int polled = poll(&p, 1, 0);
    printf("%d %d\n", polled, p.revents == POLLIN);
    char buffer[32] = {0};
    ssize_t n = read(ends[0], buffer, 32);
    printf("%zd %s\n", n, buffer);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    n = read(ends[0], buffer, 1);
    printf("%zd %d\n", n, errno == EAGAIN);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[1], &set);
    printf("%d\n", select(ends[1] + 1, NULL, &set, NULL, &(struct timeval){0, 0}));
    close(ends[1]);
    printf("%zd\n", read(ends[0], buffer, 1));
    fflush(stdout);
    int saved = dup(1);
    dup2(2, 1);
    printf("to stderr now\n");
    fflush(stdout);
    dup2(saved, 1);
    printf("and back %d\n", fcntl(1, F_GETFD));
    return 0;
}
