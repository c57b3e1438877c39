// A reader that locks again while a writer waits: fine by default, a deadlock with -DPREFER, where
// the waiting writer keeps new readers out.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock;

static void *writes(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_rwlockattr_t attr;
    pthread_t thread;
    pthread_rwlockattr_init(&attr);
#ifdef PREFER
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock, &attr);
    pthread_create(&thread, NULL, writes, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
