// POSIX shared memory: a name in /dev/shm, made, mapped, opened again, removed.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    char name[64];
    snprintf(name, sizeof name, "/samovar-test-%d", (int)getpid());
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    printf("%d\n", 0 <= fd);
    struct stat info;
    printf("%d %d ", ftruncate(fd, 4096), fstat(fd, &info));
    fstat(fd, &info);
    printf("%ld %o\n", (long)info.st_size, (unsigned)info.st_mode);
    char *text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    printf("%d %d\n", text != MAP_FAILED, text[0]);
    strcpy(text, "written by the first");
    printf("%d %d\n", munmap(text, 4096), close(fd));
    printf("%d ", shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600));
    printf("%d\n", errno == EEXIST);
    fd = shm_open(name, O_RDONLY, 0);
    text = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    printf("%s\n", text);
    printf("%d\n", shm_unlink(name));
    printf("%s ", text);
    printf("%d ", shm_open(name, O_RDONLY, 0));
    printf("%d\n", errno == ENOENT);
    struct stat directory;
    stat("/dev/shm", &directory);
    printf("%o\n", (unsigned)directory.st_mode & 07777);
    return 0;
}
