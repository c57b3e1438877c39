/* Files: everything that is written stays in the guest. Takes a directory that it may use. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char *path) {
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, compare);
    printf("%s:", path);
    for (int i = 0; i < count; i++) printf(" %s/%d", entries[i]->d_name, entries[i]->d_type);
    puts("");
}

int main(int argc, char **argv) {
    if (argc != 2 || chdir(argv[1]) != 0) return 1;
    FILE *file = fopen("text", "w+");
    for (int i = 0; i < 2000; i++) fprintf(file, "line %d\n", i);
    fseek(file, -9, SEEK_END);
    char line[100];
    if (fgets(line, sizeof line, file)) printf("last %s", line);
    printf("size %ld\n", ftell(file));
    fclose(file);
    file = fopen("text", "a");
    fputs("appended\n", file);
    fclose(file);
    struct stat facts;
    stat("text", &facts);
    printf("size %ld mode %o links %d\n", (long)facts.st_size, facts.st_mode, (int)facts.st_nlink);

    mkdir("sub", 0755);
    rename("text", "sub/moved");
    symlink("sub/moved", "link");
    link("sub/moved", "hard");
    list("."), list("sub");
    int fd = open("link", O_RDWR);
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    memcpy(map, "LINE", 4);
    pread(fd, line, 7, 0);
    printf("mapped %.6s\n", line);
    munmap(map, 4096);
    printf("seek %ld\n", (long)lseek(fd, 5, SEEK_SET));
    ftruncate(fd, 3);
    printf("rest %zd\n", read(fd, line, 10));
    close(fd);
    stat("hard", &facts);
    printf("size %ld links %d\n", (long)facts.st_size, (int)facts.st_nlink);
    printf("rmdir %d %d\n", rmdir("sub"), errno == ENOTEMPTY);
    unlink("sub/moved");
    printf("gone %d\n", access("link", F_OK));
    chmod("hard", 0400);
    lstat("link", &facts);
    printf("link %d\n", S_ISLNK(facts.st_mode));
    unlink("link"), rmdir("sub"), unlink("hard");
    list(".");
    char name[] = "tmpXXXXXX";
    fd = mkstemp(name);
    printf("temporary %d\n", fd >= 0);
    unlink(name);
    if (write(fd, "still here", 10) == 10) printf("%zd %.10s\n", pread(fd, line, 10, 0), line);
    printf("cwd %d\n", strcmp(getcwd(line, sizeof line), argv[1]) == 0);
    return 0;
}
