// Two threads multiply bytes, each under the lock: a becomes a*b*c*e and b becomes b*d*e, modulo 256,
// for any a, b and e of BITS bits (of 8 in the original: 2^24 inputs). Can both become zero, although
// none of them was? They can: the factors of two add up. With -DODD all are odd, and they cannot.
//
// check: => error assertion; skip reduce=none model=none
// check: -DODD => verified; skip reduce=none model=none
#include <pthread.h>
#include "samovar.h"

#ifndef BITS
#define BITS 5
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char a, b, e;
static const unsigned char c = 3, d = 5;

// A number other than zero; natively 1.
static unsigned char any(void)
{
#ifdef ODD
    return (unsigned char)(2 * samovar_choose(4) + 1);
#else
    return (unsigned char)(1u << samovar_choose(BITS));
#endif
}

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    a = (unsigned char)(a * b * c * e);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&lock);
    b = (unsigned char)(b * d * e);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    a = any();
    b = any();
    e = any();
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    VASSERT(a != 0 || b != 0);
    return 0;
}
