// Pseudo-random numbers of the library, with fixed seeds.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    srand(42);
    for (int i = 0; i < 8; i++)
        printf("%d ", rand());
    srandom(7);
    for (int i = 0; i < 8; i++)
        printf("%ld ", random());
    srand48(99);
    printf("\n%.15f ", drand48());
    printf("%ld ", lrand48());
    printf("%ld\n", mrand48());
    unsigned seed = 3;
    printf("%d %d\n", rand_r(&seed), rand_r(&seed));
    unsigned short state[3] = {1, 2, 3};
    printf("%.15f %ld\n", erand48(state), nrand48(state));
    div_t d = div(-17, 5);
    ldiv_t l = ldiv(1000000007L, -12345);
    printf("%d %d %ld %ld %d %ld\n", d.quot, d.rem, l.quot, l.rem, abs(-5), labs(-6L));
    return 0;
}
