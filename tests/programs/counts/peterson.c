// Peterson's lock, taken for ever by two threads. With -DTIDY no register and no flag keeps a value
// that is not needed any more.
#include <pthread.h>
#include <stdatomic.h>

static atomic_long wants[2], turn;

// The jump keeps the flags from being left out because somebody sets them again further down.
#define CLEAR "sub %%rax, %%rax\njmp 9f\n9:\n"

static void *worker(void *argument)
{
    long me = (long)argument, other = 1 - me;
#ifdef TIDY
    __asm__ volatile("1: " CLEAR
                     "mov $1, %%eax\n"
                     "xchg %%rax, %0\n"
                     "mov %3, %%rax\n"
                     "xchg %%rax, %2\n"
                     "2: " CLEAR
                     "mov %1, %%rax\n"
                     "test %%rax, %%rax\n"
                     "je 3f\n"
                     CLEAR
                     "mov %2, %%rax\n"
                     "cmp %3, %%rax\n"
                     "je 2b\n"
                     "3: " CLEAR
                     "xchg %%rax, %0\n"
                     CLEAR
                     "jmp 1b\n"
                     : "+m"(wants[me]), "+m"(wants[other]), "+m"(turn)
                     : "r"(other)
                     : "rax", "cc", "memory");
#else
    for (;;) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, other);
        while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
            ;
        atomic_store(&wants[me], 0);
    }
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
