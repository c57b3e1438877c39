// A plug-in: state, a callback into the host program's table, a destructor.
#include <stdio.h>

static int state = 5;
__thread long plugin_tls = 77;
int plugin_version = 3;

__attribute__((constructor)) static void begin(void) { puts("plugin begins"); }
__attribute__((destructor)) static void end(void) { printf("plugin ends %d\n", state); }

int plugin_apply(int (*f)(int), int n) {
    for (int i = 0; i < n; i++)
        state = f(state);
    plugin_tls += state;
    return state;
}
long plugin_local(void) { return plugin_tls; }
