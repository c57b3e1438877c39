// Files in the program's own world: make, write, seek, read, rename, remove.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void streams(const char *path) {
    FILE *f = fopen(path, "w+");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "line %d\n", i);
    printf("%ld\n", ftell(f));
    fseek(f, 500, SEEK_SET);
    char line[64];
    printf("%s", fgets(line, sizeof line, f));
    printf("%s", fgets(line, sizeof line, f));
    fseek(f, -9, SEEK_END);
    printf("%s", fgets(line, sizeof line, f));
    int end = fgetc(f);
    printf("%d %d\n", end == EOF, feof(f) != 0);
    rewind(f);
    char block[3000];
    size_t got = fread(block, 1, sizeof block, f);
    printf("%zu %.6s\n", got, block);
    fclose(f);
    f = fopen(path, "a");
    fputs("appended\n", f);
    fclose(f);
    f = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    int lines = 0;
    ssize_t n, last = 0;
    while ((n = getline(&text, &size, f)) > 0)
        lines++, last = n;
    printf("%d %zd %s", lines, last, text);
    ungetc('u', f);
    printf("%c\n", getc(f));
    fclose(f), free(text);
}

static void descriptors(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0640);
    struct iovec parts[] = {{"vec", 3}, {"tor", 3}};
    printf("%zd ", write(fd, "0123456789", 10));
    printf("%zd\n", writev(fd, parts, 2));
    char buffer[32] = {0};
    printf("%ld ", (long)lseek(fd, 3, SEEK_SET));
    printf("%zd ", read(fd, buffer, 4));
    printf("%s\n", buffer);
    ssize_t n = pread(fd, buffer, 3, 10);
    printf("%zd %.3s\n", n, buffer);
    printf("%zd\n", pwrite(fd, "XY", 2, 1));
    struct stat info;
    fstat(fd, &info);
    printf("%ld %o %d\n", (long)info.st_size, info.st_mode & 0777, S_ISREG(info.st_mode));
    printf("%d\n", ftruncate(fd, 5));
    int copy = dup(fd);
    lseek(copy, 0, SEEK_SET);
    memset(buffer, 0, sizeof buffer);
    n = read(fd, buffer, 32);
    printf("%zd %s\n", n, buffer);
    printf("%d %d\n", close(fd), close(copy));
    n = read(fd, buffer, 1);
    printf("%zd %d\n", n, errno == EBADF);
}

int main(void) {
    umask(022);
    char path[] = "/tmp/samovar-file-XXXXXX", moved[64];
    int fd = mkstemp(path);
    printf("%d\n", fd >= 0);
    close(fd);
    streams(path);
    descriptors(path);
    snprintf(moved, sizeof moved, "%s.moved", path);
    printf("%d ", rename(path, moved));
    printf("%d %d\n", access(path, F_OK), access(moved, R_OK));
    printf("%d ", unlink(moved));
    printf("%d\n", access(moved, F_OK));
    fd = open("/nonexistent/file", O_RDONLY);
    printf("%d %d\n", fd, errno == ENOENT);
    char dir[] = "/tmp/samovar-dir-XXXXXX";
    printf("%d\n", mkdtemp(dir) == dir);
    snprintf(moved, sizeof moved, "%s/inner", dir);
    FILE *f = fopen(moved, "wx");
    fputs("x", f), fclose(f);
    f = fopen(moved, "wx");
    printf("%d %d\n", f == NULL, errno == EEXIST);
    int result = rmdir(dir);
    printf("%d %d\n", result, errno == ENOTEMPTY);
    printf("%d ", remove(moved));
    printf("%d\n", remove(dir));
    f = tmpfile();
    fputs("temporary", f), rewind(f);
    printf("%s\n", fgets(moved, 20, f));
    char *memory;
    size_t length;
    FILE *stream = open_memstream(&memory, &length);
    fprintf(stream, "in %s", "memory");
    fclose(stream);
    printf("%zu %s\n", length, memory);
    return 0;
}
