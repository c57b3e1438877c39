//@ stdin-lines: 20000
//@ run: -> exit 0
//@ run: bytes -> exit 0
// A filter over a large standard input: by stdio, and by plain read.
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
    long lines = 0, words = 0, bytes = 0;
    uint32_t hash = 2166136261u;
    if (argc > 1) {
        static char buffer[5000];
        for (ssize_t n; (n = read(0, buffer, sizeof buffer)) > 0; bytes += n)
            for (ssize_t i = 0; i < n; i++)
                hash = (hash ^ (unsigned char)buffer[i]) * 16777619u, lines += buffer[i] == '\n';
    } else {
        int inside = 0;
        for (int c; (c = getchar()) != EOF;) {
            bytes++, lines += c == '\n', hash = (hash ^ (unsigned)c) * 16777619u;
            words += !isspace(c) && !inside, inside = !isspace(c);
        }
    }
    printf("%ld %ld %ld %u\n", lines, words, bytes, hash);
    return 0;
}
