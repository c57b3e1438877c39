// Two megabytes of output through stdio, with all kinds of buffering; some on stderr.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char line[101];
    for (int i = 0; i < 20000; i++) {
        memset(line, 'a' + i % 26, 99), line[99] = '\n', line[100] = 0;
        fputs(line, stdout);
        if (i % 1000 == 0)
            fprintf(stderr, "%d\n", i);
    }
    fflush(stdout);
    static char big[300000];
    memset(big, 'z', sizeof big);
    big[sizeof big - 1] = '\n';
    fwrite(big, 1, sizeof big, stdout);
    fflush(stdout);
    for (size_t done = 0; done < 100000;)
        done += (size_t)write(1, big + done, 100000 - done);
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("line buffered");
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("unbuffered %d\n", 1);
    dprintf(1, "descriptor %s\n", "one");
    perror("perror says");
    return 0;
}
