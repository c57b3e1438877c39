/* ivmthread.h: threads as classes, in the manner of the model checker StEAM, on POSIX threads.
 *
 *   class Philosopher : public IVMThread {
 *       void run() override { ... }
 *   };
 *   Philosopher p;
 *   p.start();
 *
 * start() creates the thread, which calls run() and then die(). Both may be overridden; die() is
 * the last thing that the thread does. A program that returns from main() waits for all threads
 * that were started and not joined. An object must live as long as its thread: join() comes before
 * its end.
 *
 * Link with -pthread.
 */
#ifndef SAMOVAR_IVMTHREAD_H
#define SAMOVAR_IVMTHREAD_H

#include "samovar.h"

#include <pthread.h>

class IVMThread {
public:
    IVMThread() : started(false), joined(false)
    {
        pthread_mutex_lock(&list().lock);
        number = ++list().count;
        next = list().first;
        list().first = this;
        pthread_mutex_unlock(&list().lock);
    }

    virtual ~IVMThread() { leave(); }

    /* Creates the thread. */
    void start()
    {
        started = true;
        if (pthread_create(&thread, nullptr, main, this) != 0) {
            fputs("IVMThread: a thread cannot be created\n", stderr);
            abort();
        }
    }

    /* What the thread does. */
    virtual void run() = 0;

    /* What it does at last. */
    virtual void die() {}

    /* Waits for its end. */
    void join()
    {
        if (started && !joined && !pthread_equal(thread, pthread_self())) {
            joined = true;
            pthread_join(thread, nullptr);
        }
    }

    /* Threads are numbered from 1 on, in the order in which the objects are made. */
    int id() const { return number; }

private:
    /* The threads that there are. */
    struct List {
        pthread_mutex_t lock;
        IVMThread *first;
        int count;

        List() : first(nullptr), count(0) { pthread_mutex_init(&lock, nullptr); }

        ~List()
        {
            for (IVMThread *one = first; one; one = one->next)
                one->join();
        }
    };

    static List &list()
    {
        static List all;
        return all;
    }

    static void *main(void *object)
    {
        IVMThread *self = static_cast<IVMThread *>(object);
        self->run();
        self->die();
        return nullptr;
    }

    /* The object goes: so must its thread be. */
    void leave()
    {
        join();
        pthread_mutex_lock(&list().lock);
        for (IVMThread **place = &list().first; *place; place = &(*place)->next) {
            if (*place == this) {
                *place = next;
                break;
            }
        }
        pthread_mutex_unlock(&list().lock);
    }

    IVMThread(const IVMThread &);
    IVMThread &operator=(const IVMThread &);

    pthread_t thread;
    int number;
    bool started, joined;
    IVMThread *next;
};

#endif
