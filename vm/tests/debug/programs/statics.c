/* The same names in several units; together with statics_other.c. */
static int shared __attribute__((used)) = 1;
static int lonely __attribute__((used)) = 2;
int visible = 3;
extern int defined_there;
struct incomplete;
extern struct incomplete *unknown_thing;

int other(void);
extern char **environ;

int main(void)
{
    static int local_static __attribute__((used)) = 4;
    __asm__ volatile("int3" : : "r"(&unknown_thing) : "memory");
    return shared + lonely + visible + defined_there + other() + local_static + (environ == 0);
}
