//@ libs: -lm
// Loops that compilers turn into SSE code, with every element type and odd lengths.
#include <stdint.h>
#include <stdio.h>

#define N 203
#define KERNELS(name, type)                                                                      \
    static type name##_a[N], name##_b[N], name##_c[N];                                           \
    __attribute__((noinline)) static void name##_run(int n) {                                    \
        for (int i = 0; i < n; i++)                                                              \
            name##_a[i] = (type)(i * 37 - 1000), name##_b[i] = (type)(i * i + 3);                \
        for (int i = 0; i < n; i++)                                                              \
            name##_c[i] = (type)(name##_a[i] * name##_b[i] + name##_a[i]);                       \
        for (int i = 0; i < n; i++)                                                              \
            name##_a[i] = name##_a[i] > name##_b[i] ? name##_a[i] : name##_c[i];                 \
        for (int i = 0; i < n; i++)                                                              \
            name##_b[i] = (type)(name##_b[i] - name##_a[n - 1 - i]);                             \
    }                                                                                            \
    static double name##_sum(int n) {                                                            \
        double s = 0;                                                                            \
        type t = 0;                                                                              \
        for (int i = 0; i < n; i++)                                                              \
            t = (type)(t + name##_b[i]), s += (double)name##_c[i] * (i % 5);                     \
        return s + (double)t;                                                                    \
    }

KERNELS(s8, int8_t) KERNELS(u8, uint8_t) KERNELS(s16, int16_t) KERNELS(u16, uint16_t)
KERNELS(s32, int32_t) KERNELS(u32, uint32_t) KERNELS(s64, int64_t) KERNELS(u64, uint64_t)
KERNELS(f32, float) KERNELS(f64, double)

#define SHOW(name, n) name##_run(n), printf(#name " %d %.17g\n", n, name##_sum(n))

__attribute__((noinline)) static void convert(float *f, double *d, int *i, short *s, int n) {
    for (int k = 0; k < n; k++) f[k] = (float)i[k] * 0.5f;
    for (int k = 0; k < n; k++) d[k] = (double)f[k] + (double)s[k];
    for (int k = 0; k < n; k++) i[k] = (int)d[k];
    for (int k = 0; k < n; k++) s[k] = (short)(i[k] >> 3);
    for (int k = 0; k < n; k++) i[k] = (i[k] << 5) ^ (int)((unsigned)i[k] >> 7);
    for (int k = 0; k < n; k++) d[k] = __builtin_sqrt(d[k] * d[k]);
}

int main(void) {
    int lengths[] = {1, 7, 16, 64, 100, N};
    for (int i = 0; i < 6; i++) {
        int n = lengths[i];
        SHOW(s8, n); SHOW(u8, n); SHOW(s16, n); SHOW(u16, n); SHOW(s32, n);
        SHOW(u32, n); SHOW(s64, n); SHOW(u64, n); SHOW(f32, n); SHOW(f64, n);
    }
    static float f[N]; static double d[N]; static int v[N]; static short s[N];
    for (int i = 0; i < N; i++)
        v[i] = i * 7919 - 500000, s[i] = (short)(i * 300);
    convert(f, d, v, s, N);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += f[i] + d[i] * 3 + v[i] + s[i];
    printf("%.17g\n", sum);
    return 0;
}
