/* See statics.c. */
static int shared __attribute__((used)) = 10;
static int visible_too __attribute__((used)) = 11;
int defined_there = 12;
struct incomplete { int now; int complete; };
static struct incomplete thing = { 13, 14 };
struct incomplete *unknown_thing = &thing;

int other(void)
{
    static int local_static __attribute__((used)) = 15;
    return shared + visible_too + local_static;
}
