// The file system of Flanagan and Godefroid: N threads give their file a block; a lock for each file
// and for each block. In its original size (-DFILES=32 -DBLOCKS=26) threads do not meet up to N=13, and
// each further one doubles the orders that matter. With -DBUG a thread looks for a free block without
// the block's lock, and two files get the same one.
//
// check: => verified; skip reduce=none model=none
// check: -DBUG => error assertion; skip reduce=none
// check: -DFILES=32 -DBLOCKS=26 -DN=4 => verified; skip reduce=none model=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef FILES
#define FILES 4
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif

static pthread_mutex_t file_locks[FILES], block_locks[BLOCKS];
static int file[FILES]; // the number of its block plus one
static atomic_int busy[BLOCKS];

// Whether the block is the caller's now.
static int take(int block)
{
#ifdef BUG
    int is_free = !busy[block];
    pthread_mutex_lock(&block_locks[block]);
#else
    pthread_mutex_lock(&block_locks[block]);
    int is_free = !busy[block];
#endif
    if (is_free)
        busy[block]++;
    assert(busy[block] == 1);
    pthread_mutex_unlock(&block_locks[block]);
    return is_free;
}

static void *creator(void *argument)
{
    int mine = (int)(long)argument % FILES;
    pthread_mutex_lock(&file_locks[mine]);
    if (file[mine] == 0) {
        int block = mine * 2 % BLOCKS;
        while (!take(block))
            block = (block + 1) % BLOCKS;
        file[mine] = block + 1;
    }
    pthread_mutex_unlock(&file_locks[mine]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < FILES; i++)
        pthread_mutex_init(&file_locks[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_locks[i], NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, creator, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
