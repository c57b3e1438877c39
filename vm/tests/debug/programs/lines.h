/* A function that lives in a header, always inlined. */
static inline __attribute__((always_inline)) int square(int x)
{
    int result = x * x;
    return result + 1;
}
