// Memory from the kernel: anonymous and file mappings, protection, unmapping, brk, mremap.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    size_t page = 4096;
    char *a = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int dirty = 0;
    for (size_t i = 0; i < 16 * page; i++)
        dirty |= a[i];
    memset(a, 7, 16 * page);
    printf("%d %d\n", a != MAP_FAILED, dirty);
    printf("%d ", mprotect(a + page, page, PROT_READ));
    printf("%d\n", a[page]);
    printf("%d\n", munmap(a + 4 * page, 2 * page));
    char *hole = mmap(a + 4 * page, page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    printf("%d %d %d\n", hole == a + 4 * page, hole[0], a[3 * page]);
    char *b = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    strcpy(b, "moves along");
    b = mremap(b, page, 64 * page, MREMAP_MAYMOVE);
    printf("%s %d\n", b, b[63 * page]);
    b = mremap(b, 64 * page, 2 * page, 0);
    printf("%s %d\n", b, madvise(b, page, MADV_DONTNEED) == 0 ? b[0] : -1);
    int fd = open("/usr/include/stdio.h", O_RDONLY);
    struct stat info;
    fstat(fd, &info);
    char *text = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    unsigned sum = 0;
    for (long i = 0; i < info.st_size; i++)
        sum = sum * 31 + (unsigned char)text[i];
    text[0] = '!';
    printf("%u %c\n", sum, text[0]);
    char *second = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, (off_t)page);
    printf("%d\n", memcmp(second, text + page, page) == 0);
    close(fd);
    char *start = sbrk(0), *grown = sbrk(10000);
    if (grown != (char *)-1) { // musl does not move the break
        memset(grown, 1, 10000);
        printf("%d %d\n", grown == start, (char *)sbrk(0) - grown == 10000);
    }
    int result = munmap(a + 1, page);
    printf("%d %d\n", result, errno == EINVAL);
    printf("%d\n", mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    return 0;
}
