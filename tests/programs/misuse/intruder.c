// Changes everything it can in its working directory, then says what it sees there.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(const char *name, const char *mode, const char *text) {
    FILE *f = fopen(name, mode);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
    printf("%s %s: %s\n", mode, name, f ? "done" : "refused");
}
static void show(const char *name) {
    char text[100] = {0};
    FILE *f = fopen(name, "r");
    if (f) {
        fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    printf("%s: %s\n", name, f ? text : "absent");
}

int main(void) {
    umask(022);
    put("new", "w", "made here");
    put("overwritten", "w", "other contents");
    put("appended", "a", ", and more");
    put("patched", "r+", "XX");
    printf("%d ", unlink("removed"));
    printf("%d ", rename("renamed", "moved"));
    printf("%d ", mkdir("directory", 0755));
    printf("%d ", truncate("truncated", 3));
    printf("%d\n", chmod("overwritten", 0600));
    put("directory/inside", "w", "deep");
    int fd = open("appended", O_RDWR | O_TRUNC);
    printf("%zd\n", write(fd, "short", 5));
    close(fd);
    const char *names[] = {"new", "overwritten", "appended", "patched", "removed", "renamed",
                           "moved", "truncated", "directory/inside", "untouched"};
    for (int i = 0; i < 10; i++)
        show(names[i]);
    struct dirent **entries;
    int count = scandir(".", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++)
        printf("%s ", entries[i]->d_name);
    puts("");
    return 0;
}
