// Two threads that load a library and unload it: every byte of it is taken away in one move.
#include <dlfcn.h>
#include <pthread.h>

static void *load(void *arg)
{
    dlclose(dlopen("libm.so.6", RTLD_NOW));
    return arg;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, load, 0);
    pthread_create(&other, 0, load, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
