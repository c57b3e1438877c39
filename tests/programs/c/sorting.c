// qsort, bsearch, lfind, tsearch, hsearch: library code that calls back into the program.
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person { char name[24]; int age; double weight; };

static int calls;
static int by_int(const void *a, const void *b) {
    calls++;
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}
static int by_age(const void *a, const void *b) {
    return ((const struct person *)a)->age - ((const struct person *)b)->age;
}
static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }
static int by_text(const void *a, const void *b) { return strcmp(a, b); }
static void visit(const void *node, VISIT order, int depth) {
    if (order == postorder || order == leaf)
        printf("%s ", *(char *const *)node);
}

int main(void) {
    static int numbers[10000];
    unsigned seed = 1;
    for (int i = 0; i < 10000; i++)
        numbers[i] = (int)(seed = seed * 1103515245u + 12345u) >> 8;
    qsort(numbers, 10000, sizeof *numbers, by_int);
    int ordered = 1;
    for (int i = 1; i < 10000; i++)
        ordered &= numbers[i - 1] <= numbers[i];
    printf("%d %d %d %d %d\n", ordered, numbers[0], numbers[5000], numbers[9999], calls > 9999);
    int *hit = bsearch(&numbers[1234], numbers, 10000, sizeof *numbers, by_int);
    int absent = 7;
    printf("%d %d\n", *hit == numbers[1234], !bsearch(&absent, numbers, 10000, 4, by_int));

    struct person people[] = {{"Ada", 36, 55.5}, {"Grace", 85, 50}, {"Alan", 41, 70},
                              {"Edsger", 72, 75.25}, {"Barbara", 84, 60}};
    qsort(people, 5, sizeof *people, by_age);
    for (int i = 0; i < 5; i++)
        printf("%s %d %.2f\n", people[i].name, people[i].age, people[i].weight);

    char *words[] = {"pear", "apple", "fig", "plum", "kiwi", "date"};
    qsort(words, 6, sizeof *words, by_name);
    for (int i = 0; i < 6; i++)
        printf("%s ", words[i]);
    void *root = NULL;
    for (int i = 0; i < 6; i++)
        tsearch(words[(i * 5) % 6], &root, by_text);
    twalk(root, visit);
    printf("\n%d\n", tfind("fig", &root, by_text) != NULL);
    hcreate(32);
    for (int i = 0; i < 6; i++)
        hsearch((ENTRY){words[i], words[5 - i]}, ENTER);
    ENTRY *found = hsearch((ENTRY){"kiwi", NULL}, FIND);
    printf("%s\n", found ? (char *)found->data : "none");
    return 0;
}
