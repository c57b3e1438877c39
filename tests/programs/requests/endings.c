// The statements that end the program, one for each argument.
#include "samovar.h"

#include <string.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int number = argc;
    printf("before %s\n", what);
    if (strcmp(what, "assert") == 0)
        VASSERT(number == 1 && "text");
    if (strcmp(what, "unreachable") == 0)
        samovar_unreachable();
    if (strcmp(what, "assume") == 0)
        samovar_assume(number == 1);
    if (strcmp(what, "long") == 0)
        samovar_assert(number < 0);
    printf("after\n");
    return 0;
}
