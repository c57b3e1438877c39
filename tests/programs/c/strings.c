//@ not: musl
// string.h over many lengths and alignments, against simple loops.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static unsigned char a[400], b[400], c[400];
static int wrong;
static void expect(int good, const char *what, int x, int y) {
    if (!good && wrong++ < 10)
        printf("wrong: %s %d %d\n", what, x, y);
}

static void blocks(void) {
    for (int length = 0; length < 150; length += 1 + length / 40) {
        for (int offset = 0; offset < 17; offset++) {
            for (int i = 0; i < 400; i++)
                a[i] = (unsigned char)(i * 7 + 1), b[i] = c[i] = 0xee;
            memcpy(b + offset, a + 3, (size_t)length);
            for (int i = 0; i < length; i++)
                c[offset + i] = a[3 + i];
            expect(!memcmp(b, c, 400), "memcpy", length, offset);
            memmove(a + offset, a + offset / 2, (size_t)length);
            expect(a[offset + length] == (unsigned char)((offset + length) * 7 + 1), "memmove",
                   length, offset);
            memset(b + offset, 5, (size_t)length);
            for (int i = 0; i < 400; i++)
                expect(b[i] == (i >= offset && i < offset + length ? 5 : 0xee), "memset", i, offset);
            b[offset + length] = 9;
            unsigned char *hit = memchr(b + offset, 9, 200);
            expect(hit == b + offset + length, "memchr", length, offset);
        }
    }
}

static void texts(void) {
    char s[200], t[200];
    for (int length = 0; length < 100; length++) {
        for (int offset = 0; offset < 9; offset++) {
            memset(s, 'x', sizeof s), memset(t, 'x', sizeof t);
            s[offset + length] = 0, t[length] = 0;
            expect((int)strlen(s + offset) == length, "strlen", length, offset);
            expect(strcmp(s + offset, t) == 0, "strcmp", length, offset);
            expect(strchr(s + offset, 'y') == NULL, "strchr", length, offset);
            if (length) {
                t[length - 1] = 'y';
                expect(strcmp(s + offset, t) < 0 && strcmp(t, s + offset) > 0, "order", length, 0);
                expect(strncmp(s + offset, t, (size_t)length - 1) == 0, "strncmp", length, 0);
                expect(strrchr(t, 'y') == t + length - 1, "strrchr", length, 0);
                expect(strcspn(t, "yz") == (size_t)length - 1, "strcspn", length, 0);
                expect(strspn(t, "x") == (size_t)length - 1, "strspn", length, 0);
            }
        }
    }
}

int main(void) {
    blocks();
    texts();
    printf("wrong %d\n", wrong);
    char line[] = "  one,two;;three four ", *save, big[64] = "start";
    for (char *w = strtok_r(line, " ,;", &save); w; w = strtok_r(NULL, " ,;", &save))
        printf("[%s]", w);
    strcat(big, "-cat"), strncat(big, "-ncat-long", 5), strcpy(big + 40, "tail");
    printf("\n%s %s %s\n", big, big + 40, stpcpy(big + 50, "end") - 3);
    printf("%s %s %s\n", strstr("a needle here", "needle"), strpbrk("key=value", "=:"),
           strcasestr("MiXeD Case", "CASE"));
    printf("%d %d %d\n", strcasecmp("HeLLo", "hEllO"), strncasecmp("abX", "ABy", 2),
           strverscmp("file10", "file9") > 0);
    printf("%s %zu %zu\n", strerror(2), strnlen("abcdef", 3), strlen(strsignal(11)));
    char *parts = strdupa("a:b::c"), *field;
    while ((field = strsep(&parts, ":")))
        printf("<%s>", field);
    printf("\n%s %s\n", basename("/usr/lib/x.so"), (char *)memmem("hay needle", 10, "need", 4));
    char swapped[] = "abcdef";
    memfrob(swapped, 6), memfrob(swapped, 6), strfry(strdupa("x"));
    printf("%s %s\n", swapped, (char *)mempcpy(big, "done", 5) - 5);
    return 0;
}
