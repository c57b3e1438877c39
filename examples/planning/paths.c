// Robots that have to pass each other in a narrow place: every robot has its corner to go to, two
// cannot be in one place, nor change places. In each round every robot goes one step or waits.
//
//   samovar plan --goal arrived paths.c
//   samovar plan --goal arrived --search astar --estimate left paths.c
//
// check: -DROUNDS=1 => verified; tiny
// plan: --goal=arrived => 14
// plan: --goal=arrived --search=astar --estimate=left => 14
// plan: --goal=arrived -DWALLED => no plan
#include <samovar.h>
#include <stdlib.h>

#ifndef ROUNDS
#define ROUNDS 0 /* as many as it takes */
#endif
enum { WIDTH = 7, HEIGHT = 3, ROBOTS = 2 };

#ifdef WALLED
static const char map[] = ".......###########.....";
#else
static const char map[] = "......."
                          "###.###"
                          ".......";
#endif

struct place {
    int x, y;
};
static const struct place goal[ROBOTS] = {{6, 0}, {0, 0}};
struct place here[ROBOTS] = {{0, 0}, {6, 0}};
/* Where everybody was before this round. */
struct place before[ROBOTS] = {{0, 0}, {6, 0}};
/* Steps that are needed at least. */
int left;
int arrived;

static int same(struct place one, struct place other)
{
    return one.x == other.x && one.y == other.y;
}

static int is_free(int robot, struct place to)
{
    if (to.x < 0 || to.y < 0 || WIDTH <= to.x || HEIGHT <= to.y || map[to.y * WIDTH + to.x] == '#')
        return 0;
    for (int other = 0; other < robot; other++)
        if (same(to, here[other]) || (same(to, before[other]) && same(before[robot], here[other])))
            return 0;
    return 1;
}

static void look(void)
{
    left = 0;
    for (int robot = 0; robot < ROBOTS; robot++)
        left += abs(here[robot].x - goal[robot].x) + abs(here[robot].y - goal[robot].y);
    arrived = left == 0;
}

static void go(int robot)
{
    static const struct place steps[5] = {{0, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    static const char *const names[5] = {"wait", "north", "east", "south", "west"};
    unsigned way = samovar_choose(5);
    struct place to = {before[robot].x + steps[way].x, before[robot].y + steps[way].y};
    samovar_assume(is_free(robot, to));
    here[robot] = to;
    if (way)
        samovar_action(names[way], robot);
    samovar_place(robot ? "B" : "A", to.x, to.y);
}

int main(void)
{
    samovar_grid(WIDTH, HEIGHT, map);
    samovar_place("A", here[0].x, here[0].y);
    samovar_place("B", here[1].x, here[1].y);
    look();
    for (int round = 0; ROUNDS == 0 || round < ROUNDS; round += ROUNDS != 0) {
        for (int robot = 0; robot < ROBOTS; robot++)
            go(robot);
        for (int robot = 0; robot < ROBOTS; robot++)
            before[robot] = here[robot];
        look();
        if (!samovar_present())
            break;
    }
    return 0;
}
