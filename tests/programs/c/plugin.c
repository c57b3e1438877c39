//@ plugin: plugin.c
//@ not: static static-pie musl
//@ libs: -ldl -rdynamic
// dlopen, dlsym, dlclose of a library of our own and of libm; dl_iterate_phdr.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int triple(int x) { return x * 3 % 1000; }
static int count(struct dl_phdr_info *info, size_t size, void *data) {
    // The kernel's own object is there natively and need not be elsewhere.
    *(int *)data += !strstr(info->dlpi_name, "vdso");
    return 0;
}

int main(void) {
    void *handle = dlopen(getenv("PLUGIN"), RTLD_NOW);
    if (!handle)
        return puts(dlerror()), 1;
    int (*apply)(int (*)(int), int) = (int (*)(int (*)(int), int))dlsym(handle, "plugin_apply");
    long (*local)(void) = (long (*)(void))dlsym(handle, "plugin_local");
    int *version = dlsym(handle, "plugin_version");
    printf("%d %d ", *version, apply(triple, 3));
    printf("%d ", apply(triple, 4));
    printf("%ld\n", local());
    printf("%s\n", dlsym(handle, "no_such_symbol") ? "found" : "not found");
    printf("%d\n", strstr(dlerror(), "no_such_symbol") != NULL);
    Dl_info info;
    int known = dladdr((void *)apply, &info);
    printf("%d %s\n", known != 0, info.dli_sname);
    printf("%d\n", dlclose(handle));
    void *math = dlopen("libm.so.6", RTLD_LAZY);
    double (*cosine)(double) = (double (*)(double))dlsym(math, "cos");
    printf("%.10f\n", cosine(1.0));
    void *nowhere = dlopen("libnowhere.so.9", RTLD_NOW);
    printf("%d %s\n", nowhere == NULL, dlerror());
    int objects = 0;
    dl_iterate_phdr(count, &objects);
    printf("%d\n", objects);
    return 0;
}
