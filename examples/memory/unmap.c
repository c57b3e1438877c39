// A thread reads a page that another takes away: by munmap, and with -DPROTECT, -DOVER, -DSHRINK and
// -DDROP by mprotect, by mapping something else over it, by mremap, and by dropping what it contains.
// Nobody has written to the page, so nothing but the right to read it goes away. With -DHELD the
// thread has a lock that the other one takes right after. With -DFIX it is waited for first.
//
// check: => error memory wild; tiny
// check: -DFIX => verified; tiny
// check: -DPROTECT => error memory wild; tiny
// check: -DPROTECT -DFIX => verified; tiny
// check: -DOVER => error memory wild; tiny
// check: -DOVER -DFIX => verified; tiny
// check: -DSHRINK => error memory wild; tiny
// check: -DSHRINK -DFIX => verified; tiny
// check: -DDROP => error assertion; tiny
// check: -DDROP -DFIX => verified; tiny
// check: -DHELD => error memory wild; tiny
// check: -DHELD -DFIX => verified; tiny
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#define PAGE 4096

static volatile char *pages;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef DROP
    assert(pages[PAGE + 8] == 7);
#else
    assert(pages[PAGE + 8] == 0);
#endif
    pthread_mutex_unlock(&lock);
    return unused;
}

static void take_away(void)
{
    void *second = (char *)pages + PAGE;
#if defined PROTECT
    mprotect(second, PAGE, PROT_NONE);
#elif defined OVER
    mmap(second, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#elif defined SHRINK
    mremap((void *)pages, 2 * PAGE, PAGE, 0);
#elif defined DROP
    madvise(second, PAGE, MADV_DONTNEED);
#else
    munmap(second, PAGE);
#endif
}

int main(void)
{
    pthread_t thread;
    pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef DROP
    pages[PAGE + 8] = 7;
#endif
    pthread_create(&thread, NULL, reader, NULL);
#ifdef FIX
    pthread_join(thread, NULL);
#endif
    take_away();
#ifdef HELD
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#endif
#ifndef FIX
    pthread_join(thread, NULL);
#endif
    return 0;
}
