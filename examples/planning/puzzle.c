// The n^2-1 puzzle: the numbers on the command line, row by row, 0 is the gap; it has to come to the
// front and the others in order behind it. Nine numbers are the 8-puzzle, sixteen the 15-puzzle.
// What is moved is left open: natively the gap goes up until it cannot.
//
//   samovar plan --goal 'wrong == 0' puzzle.c 1 4 2 3 7 5 6 8 0
//   samovar plan --goal 'wrong == 0' --search astar --estimate estimate puzzle.c 5 1 3 ...
//
// check: -DMOVES=3 => verified; tiny
// check: -DMOVES=3 1 4 2 3 7 5 6 8 0 => verified
// plan: --goal=wrong==0 1 4 2 3 7 5 6 8 0 => Left Up Up Left
// plan: --goal=wrong==0 --search=astar --estimate=estimate 1 4 2 3 7 5 6 8 0 => Left Up Up Left
// plan: --goal=wrong==1 => no plan
#include <samovar.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MOVES
#define MOVES 0 /* as many as it takes */
#endif

int side = 2;
int tile[16] = {1, 0, 2, 3};
int gap;
/* Tiles that are not where they belong. */
int wrong;
/* No solution has fewer moves: every tile has its way to go, and two that stand in each other's way
 * in their own row or column have to make room. */
int estimate;

static int distance(int here, int there)
{
    return abs(here / side - there / side) + abs(here % side - there % side);
}

/* Tiles that have to leave a line, so that those that belong there can pass: the fewest whose
 * removal leaves the others in order. `first` is the line's first place. */
static int leavers(int first, int step, int is_row)
{
    int longest = 0, count = 0, length[4];
    for (int i = 0; i < side; i++) {
        int number = tile[first + i * step];
        int belongs = is_row ? number / side == first / side : number % side == first % side;
        if (number == 0 || !belongs)
            continue;
        int best = 0, at = count;
        for (int j = 0, k = 0; j < i; j++) {
            int other = tile[first + j * step];
            if (other == 0 || (is_row ? other / side != first / side : other % side != first % side))
                continue;
            if (other < number && best < length[k])
                best = length[k];
            k++;
        }
        length[count++] = best + 1;
        if (longest < length[at])
            longest = length[at];
    }
    return count - longest;
}

static int row(int place)
{
    return leavers(place - place % side, 1, 1);
}

static int column(int place)
{
    return leavers(place % side, side, 0);
}

static void show(int place)
{
    static const char *const names[16] = {"",  "1", "2",  "3",  "4",  "5",  "6",  "7",
                                          "8", "9", "10", "11", "12", "13", "14", "15"};
    samovar_place(names[tile[place]], place % side, place / side);
}

static void look(void)
{
    samovar_grid(side, side, "");
    for (int place = 0; place < side * side; place++) {
        wrong += tile[place] != place;
        if (tile[place]) {
            estimate += distance(place, tile[place]);
            show(place);
        }
    }
    for (int line = 0; line < side; line++)
        estimate += 2 * (row(line * side) + column(line));
}

static void move(const char *name, int way, int is_possible)
{
    samovar_assume(is_possible);
    samovar_action(name);
    /* Only lines across the way change: a tile that moves along a line stays in its order there. */
    int from = gap + way, to = gap, number = tile[from], is_upright = abs(way) == side;
    int conflicts = is_upright ? row(from) + row(to) : column(from) + column(to);
    wrong -= (number != from) + (to != 0);
    estimate -= distance(from, number) + 2 * conflicts;
    tile[to] = number;
    tile[from] = 0;
    gap = from;
    conflicts = is_upright ? row(from) + row(to) : column(from) + column(to);
    wrong += (number != to) + (from != 0);
    estimate += distance(to, number) + 2 * conflicts;
    show(to);
}

int main(int argc, char **argv)
{
    if (argc == 10 || argc == 17) {
        side = argc == 10 ? 3 : 4;
        for (int place = 0; place < argc - 1; place++)
            tile[place] = atoi(argv[place + 1]) & 15;
    }
    while (gap < side * side - 1 && tile[gap])
        gap++;
    look();
    for (int count = 0; wrong && (MOVES == 0 || count < MOVES); count += MOVES != 0) {
        switch (samovar_choose(4)) {
        case 0: move("Up", -side, side <= gap); break;
        case 1: move("Down", side, gap < side * (side - 1)); break;
        case 2: move("Left", -1, gap % side != 0); break;
        case 3: move("Right", 1, gap % side != side - 1); break;
        }
    }
    printf(wrong ? "given up\n" : "solved\n");
    return 0;
}
