/* Slots and coefficients of CKKS, stage by stage in the plainest way, and by the definition. */
#ifndef HB_TESTS_SLOTS_H
#define HB_TESTS_SLOTS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference/slow.h"

static inline uint32_t slots_reversed(uint32_t i, uint32_t count)
{
    uint32_t r = 0;
    for (; count > 1; count /= 2, i /= 2) {
        r = 2 * r + i % 2;
    }
    return r;
}

/* Root k of m: of a table re[m], im[m]. */
typedef struct slots_roots {
    const double *re, *im;
    uint32_t m;
} slots_roots;

/* Twiddle j of the stage that joins halves of h values. */
static inline uint32_t slots_twiddle(const slots_roots *t, uint32_t h, uint32_t j)
{
    uint32_t g = 1;
    for (uint32_t i = 0; i < j; i++) {
        g = g * 5 % (8 * h);
    }
    return g * (t->m / (8 * h));
}

/* In place; each operation is stored before the next, so that nothing is fused. */
static inline void slots_inverse(double *re, double *im, uint32_t n, const slots_roots *t)
{
    volatile double ur, ui, dr, di, p, q;
    for (uint32_t h = n / 2; h > 0; h /= 2) {
        for (uint32_t j = 0; j < h; j++) {
            const uint32_t k = slots_twiddle(t, h, j);
            for (uint32_t a = j; a < n; a += 2 * h) {
                ur = re[a] + re[a + h], ui = im[a] + im[a + h];
                dr = re[a] - re[a + h], di = im[a] - im[a + h];
                re[a] = ur, im[a] = ui;
                p = dr * t->re[k], q = di * -t->im[k];
                re[a + h] = p - q;
                p = dr * -t->im[k], q = di * t->re[k];
                im[a + h] = p + q;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = slots_reversed(i, n);
        if (i < j) {
            const double x = re[i], y = im[i];
            re[i] = re[j], im[i] = im[j];
            re[j] = x, im[j] = y;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        re[i] /= n, im[i] /= n;
    }
}

static inline void slots_forward(double *re, double *im, uint32_t n, const slots_roots *t)
{
    volatile double vr, vi, p, q;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = slots_reversed(i, n);
        if (i < j) {
            const double x = re[i], y = im[i];
            re[i] = re[j], im[i] = im[j];
            re[j] = x, im[j] = y;
        }
    }
    for (uint32_t h = 1; h < n; h *= 2) {
        for (uint32_t j = 0; j < h; j++) {
            const uint32_t k = slots_twiddle(t, h, j);
            for (uint32_t a = j; a < n; a += 2 * h) {
                p = re[a + h] * t->re[k], q = im[a + h] * t->im[k];
                vr = p - q;
                p = re[a + h] * t->im[k], q = im[a + h] * t->re[k];
                vi = p + q;
                re[a + h] = re[a] - vr, im[a + h] = im[a] - vi;
                re[a] = re[a] + vr, im[a] = im[a] + vi;
            }
        }
    }
}

/* Slot j of a polynomial of 2n real coefficients, slots in powers of a generator, straight from the definition. */
static inline void slots_value(const double *coefficients, uint32_t n, uint32_t generator, uint32_t j, double *re,
                               double *im)
{
    uint32_t g = 1;
    for (uint32_t i = 0; i < j; i++) {
        g = g * generator % (4 * n);
    }
    long double x = 0, y = 0;
    for (uint32_t k = 0; k < 2 * n; k++) {
        const uint32_t e = (uint32_t)((uint64_t)g * k % (4 * n));
        const long double angle = 2 * 3.14159265358979323846264338327950288L * e / (4 * n);
        x += coefficients[k] * cosl(angle);
        y += coefficients[k] * sinl(angle);
    }
    *re = (double)x;
    *im = (double)y;
}

/* A real in [-1, 1]. */
static inline double slots_random(uint64_t *state)
{
    return (double)(int64_t)slow_random(state) * 0x1p-63;
}

/* A file of the vectors, which has just so many bytes. */
static inline void slots_vector(const char *folder, const char *name, void *to, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/ckks/encode/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL || fread(to, 1, bytes, f) != bytes || fgetc(f) != EOF) {
        fail_msg("%s: not %zu bytes", path, bytes);
    }
    fclose(f);
}

#endif
