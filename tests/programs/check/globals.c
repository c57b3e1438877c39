/* Static variables, and an access just behind one of them, in the way that the first argument
 * names. "inside" touches first and last bytes only. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Ten bytes, so that the next variable, whichever it is, does not follow at once. */
static char zeros[10] __attribute__((aligned(32)));
static char text[10] __attribute__((aligned(32))) = "123456789";
static char more[10] __attribute__((aligned(32))) = "987654321";
char shared[13] __attribute__((aligned(32)));
static struct { int count; char letters[]; } flexible = { 5, "abcd" };
static volatile int index_;
static volatile int sum;

static int is(const char *deed, const char *name) { return strcmp(deed, name) == 0; }

static void fill(volatile char *start, int count)
{
    for (int i = 0; i < count; i++)
        start[i] = 1;
}

int main(int argc, char **argv)
{
    const char *deed = argc > 1 ? argv[1] : "inside";
    int ten = 10 + index_;
    if (is(deed, "inside")) {
        fill(zeros, ten);
        fill(text, ten);
        fill(more, ten);
        fill(shared, ten + 3);
        for (int i = 0; i < flexible.count; i++)
            sum += flexible.letters[i];
        flexible.letters[4] = 'x';
    }
    if (is(deed, "read"))
        sum = ((volatile char *)zeros)[ten];
    if (is(deed, "write"))
        ((volatile char *)zeros)[ten] = 1;
    /* What lies behind the last variable of a section is not known to be padding. */
    if (is(deed, "data"))
        ((volatile char *)((uintptr_t)text < (uintptr_t)more ? text : more))[ten] = 1;
    if (is(deed, "loop"))
        fill(shared, ten + 4);
    if (is(deed, "copy"))
        memset(zeros, 7, ten + 1);
    return 0;
}
