//@ run: /usr/include/linux/byteorder -> exit 0
// A directory of the host, read only: names, kinds, sizes, contents.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct dirent **names;
    int count = scandir(argv[1], &names, NULL, alphasort);
    chdir(argv[1]);
    for (int i = 0; i < count; i++) {
        struct stat info;
        stat(names[i]->d_name, &info);
        printf("%s %d %o", names[i]->d_name, names[i]->d_type == DT_DIR, info.st_mode);
        if (S_ISREG(info.st_mode)) {
            FILE *f = fopen(names[i]->d_name, "r");
            unsigned sum = 0;
            for (int c; (c = getc(f)) != EOF;)
                sum = sum * 31 + (unsigned)c;
            fclose(f);
            printf(" %ld %u", (long)info.st_size, sum);
        }
        puts("");
    }
    char link[256] = {0};
    printf("%d\n", (int)readlink("/proc/self/exe", link, 255) > 0);
    int result = stat("/nonexistent", &(struct stat){0});
    printf("%d %d\n", result, errno == ENOENT);
    result = open("/usr/include/stdio.h/x", O_RDONLY);
    printf("%d %d\n", result, errno == ENOTDIR);
    char *real = realpath("/usr/include/../include/./stdio.h", NULL);
    printf("%s\n", real);
    DIR *d = opendir("/nonexistent");
    printf("%d\n", d == NULL);
    return 0;
}
