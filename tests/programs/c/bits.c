// Shifts, rotations, bit scans, byte swaps, carries, sign extensions and divisions.
#include <stdint.h>
#include <stdio.h>

static uint64_t state = 88172645463325252ULL;
static uint64_t next(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x100000001b3ULL; }

int main(void) {
    uint64_t h = 14695981039346656037ULL;
    for (int i = 0; i < 3000; i++) {
        uint64_t v = next(), w = next();
        int n = (int)(w & 63), m = (int)(w & 31);
        h = mix(h, v << n), h = mix(h, v >> n), h = mix(h, (uint64_t)((int64_t)v >> n));
        h = mix(h, v << n | v >> ((64 - n) & 63));
        h = mix(h, (uint32_t)v << m | (uint32_t)v >> ((32 - m) & 31));
        h = mix(h, (uint16_t)((uint16_t)v << (m & 15) | (uint16_t)v >> ((16 - m) & 15)));
        h = mix(h, (uint64_t)__builtin_clzll(v | 1)), h = mix(h, (uint64_t)__builtin_ctzll(v | 1 << 9));
        h = mix(h, (uint64_t)__builtin_popcountll(v)), h = mix(h, (uint64_t)__builtin_parityll(v));
        h = mix(h, (uint64_t)__builtin_ffs((int)v)), h = mix(h, (uint64_t)__builtin_clrsbll((long long)v));
        h = mix(h, __builtin_bswap64(v)), h = mix(h, __builtin_bswap32((uint32_t)v));
        h = mix(h, __builtin_bswap16((uint16_t)v));
        h = mix(h, (uint64_t)(int8_t)v), h = mix(h, (uint64_t)(int16_t)v), h = mix(h, (uint64_t)(int32_t)v);
        int32_t d32 = (int32_t)w | 1;
        int64_t d64 = (int64_t)(w >> n) | 1;
        if (d32 != -1) h = mix(h, (uint64_t)((int32_t)v / d32)), h = mix(h, (uint64_t)((int32_t)v % d32));
        if (d64 != -1) h = mix(h, (uint64_t)((int64_t)v / d64)), h = mix(h, (uint64_t)((int64_t)v % d64));
        h = mix(h, v / (w | 1)), h = mix(h, (uint8_t)v / ((uint8_t)w | 1u)), h = mix(h, (uint16_t)v % ((uint16_t)w | 1u));
        h = mix(h, (uint64_t)((int64_t)v < (int64_t)w) | (v < w) << 1 | (v == w) << 2);
        h = mix(h, v > w ? v - w : w - v), h = mix(h, (int32_t)v < 0 ? v : w);
        uint64_t sum;
        h = mix(h, (uint64_t)__builtin_add_overflow(v, w, &sum)), h = mix(h, sum);
        int32_t product;
        h = mix(h, (uint64_t)__builtin_mul_overflow((int32_t)v, (int32_t)w >> 16, &product));
        h = mix(h, (uint64_t)(v & (1ULL << n) ? 1 : 0)), h = mix(h, v | 1ULL << n), h = mix(h, v & ~(1ULL << n));
        h = mix(h, v / 10), h = mix(h, v % 1000000007), h = mix(h, (uint64_t)((int64_t)v / 7));
        if (i % 500 == 0) printf("%d %016llx\n", i, (unsigned long long)h);
    }
    printf("%016llx\n", (unsigned long long)h);
    return 0;
}
