// A shared library with thread-local variables and a constructor.
#include <stdio.h>

__thread int tls_counter = 100;
static __thread char tls_text[32] = "initial";
static int loads;

__attribute__((constructor)) static void loaded(void) { loads++; }

int tls_bump(int by) { return tls_counter += by; }
const char *tls_name(const char *set) {
    if (set)
        snprintf(tls_text, sizeof tls_text, "%s", set);
    return tls_text;
}
int tls_loads(void) { return loads; }
