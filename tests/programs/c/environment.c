//@ env: SAMOVAR_WORD=tea and water
//@ env: EMPTY=
//@ run: one "two three" -> exit 0
// Arguments, environment, auxiliary vector, the small calls about the process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        printf("%d: %s\n", i, argv[i]);
    printf("%s|%s|%s\n", getenv("SAMOVAR_WORD"), getenv("EMPTY"), getenv("ABSENT") ? "?" : "-");
    int count = 0;
    while (environ[count])
        count++;
    setenv("NEW", "value", 1), setenv("EMPTY", "no", 0), unsetenv("SAMOVAR_WORD");
    putenv("PUT=yes");
    printf("%s %s %s %s\n", getenv("NEW"), getenv("EMPTY"), getenv("PUT"),
           getenv("SAMOVAR_WORD") ? "?" : "-");
    int after = 0;
    while (environ[after])
        after++;
    printf("%d\n", after - count);
    printf("%ld %ld\n", sysconf(_SC_PAGESIZE), (long)getauxval(AT_PAGESZ));
    printf("%d\n", getauxval(AT_RANDOM) != 0);
    struct utsname name;
    int result = uname(&name);
    printf("%d %s %s\n", result, name.sysname, name.machine);
    struct rlimit limit;
    result = getrlimit(RLIMIT_STACK, &limit);
    printf("%d %d\n", result, limit.rlim_cur >= 1 << 20);
    printf("%d %d %d\n", getpid() > 0, getppid() >= 0, getpid() == getpid());
    char where[4096];
    char *got = getcwd(where, sizeof where);
    printf("%d %d\n", got == where, where[0] == '/');
    printf("%d %d\n", isatty(0), isatty(1));
    int option;
    char *args[] = {"prog", "-a", "-b", "value", "rest", NULL};
    while ((option = getopt(5, args, "ab:c")) != -1)
        printf("option %c %s\n", option, optarg ? optarg : "");
    printf("rest %s\n", args[optind]);
    return 0;
}
