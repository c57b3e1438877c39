// POSIX regular expressions, glob-like matching.
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>

static void match(const char *pattern, const char *text, int flags) {
    regex_t r;
    char message[80];
    int error = regcomp(&r, pattern, flags);
    if (error) {
        printf("%s: error %d\n", pattern, error != 0);
        return;
    }
    regmatch_t m[4];
    if (regexec(&r, text, 4, m, 0))
        printf("%s ~ %s: no\n", pattern, text);
    else {
        printf("%s ~ %s:", pattern, text);
        for (int i = 0; i < 4 && m[i].rm_so >= 0; i++)
            printf(" [%.*s]", (int)(m[i].rm_eo - m[i].rm_so), text + m[i].rm_so);
        puts("");
    }
    regfree(&r);
}

int main(void) {
    match("a(b*)c", "xxabbbcyy", REG_EXTENDED);
    match("^[0-9]{3}-([a-z]+)$", "123-abc", REG_EXTENDED);
    match("^[0-9]{3}-([a-z]+)$", "12-abc", REG_EXTENDED);
    match("(foo|bar)+(baz)?", "foobarfoobaz", REG_EXTENDED);
    match("\\(a.\\)\\1", "xabab", 0);
    match("HELLO", "say hello", REG_ICASE);
    match("[[:upper:]][[:digit:]]*", "abC123", REG_EXTENDED);
    match("(unclosed", "x", REG_EXTENDED);
    match("(a*)*b", "aaaaaaaaaaaaaaaaaaaac", REG_EXTENDED);
    printf("%d %d %d\n", fnmatch("*.c", "main.c", 0), fnmatch("[a-m]?x", "bqx", 0),
           fnmatch("*.h", "main.c", 0) != 0);
    return 0;
}
