/* One mistake with a heap block, chosen by the argument. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    volatile char *volatile block = malloc(24), *volatile other = malloc(24);
    int mistake = argc > 1 ? atoi(argv[1]) : 0;
    printf("mistake %d\n", mistake);
    fflush(stdout);
    switch (mistake) {
    case 1: free((char *)block), free((char *)block); break;
    case 2: free((char *)block + 8); break;
    case 3: block[24] = 1; break;
    case 4: free((char *)block), block[3] = 1; break;
    case 5: return block[-1];
    case 6: block = realloc((char *)block, 10), block[10] = 1; break;
    case 7: free(&mistake); break;
    }
    free((char *)other);
    return 0;
}
