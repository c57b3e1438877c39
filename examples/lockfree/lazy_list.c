// A sorted list as a set, with a lock in each node. Walking takes no locks; to change something a
// thread locks the two nodes around the place. By then the first one may have been removed, and what is
// inserted behind it is lost. With -DFIX the thread checks under the locks that both are still in the
// list and next to each other, and otherwise walks again.
//
// check: => error assertion
// check: -DFIX => verified; skip O0+reduce=none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int key;
    _Atomic(struct node *) next;
    atomic_int removed;
    pthread_mutex_t lock;
};

static struct node nodes[4]; // keys 0 (first), 10, 30 (last), and 20, which is not yet in

static void find(int key, struct node **before, struct node **here)
{
    *before = &nodes[0];
    *here = (*before)->next;
    while ((*here)->key < key) {
        *before = *here;
        *here = (*here)->next;
    }
}

// Returns with both nodes locked.
static void find_and_lock(int key, struct node **before, struct node **here)
{
    for (;;) {
        find(key, before, here);
        pthread_mutex_lock(&(*before)->lock);
        pthread_mutex_lock(&(*here)->lock);
#ifdef FIX
        if ((*before)->removed || (*here)->removed || (*before)->next != *here) {
            pthread_mutex_unlock(&(*here)->lock);
            pthread_mutex_unlock(&(*before)->lock);
            continue;
        }
#endif
        return;
    }
}

static void *insert(void *argument)
{
    struct node *new = argument, *before, *here;
    find_and_lock(new->key, &before, &here);
    new->next = here;
    before->next = new;
    pthread_mutex_unlock(&here->lock);
    pthread_mutex_unlock(&before->lock);
    return NULL;
}

static void *erase(void *argument)
{
    struct node *before, *here;
    find_and_lock((int)(long)argument, &before, &here);
    here->removed = 1;
    before->next = (struct node *)here->next;
    pthread_mutex_unlock(&here->lock);
    pthread_mutex_unlock(&before->lock);
    return NULL;
}

int main(void)
{
    static const int keys[4] = {0, 10, 30, 20};
    pthread_t threads[2];
    struct node *before, *here;
    for (int i = 0; i < 4; i++) {
        nodes[i].key = keys[i];
        nodes[i].next = i < 2 ? &nodes[i + 1] : NULL;
        pthread_mutex_init(&nodes[i].lock, NULL);
    }
    pthread_create(&threads[0], NULL, insert, &nodes[3]);
    pthread_create(&threads[1], NULL, erase, (void *)10);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    find(20, &before, &here);
    assert(here->key == 20);
    return 0;
}
