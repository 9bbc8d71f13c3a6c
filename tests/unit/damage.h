/* Damaged files: a flipped bit in each byte that a reader may look at, and in a spread of packed rows and of gaps, of
 * which any place is as good as another; lengths that are too short. With sanitizers, which take ten times as long, in
 * every seventh byte: still each of the eight bits. */
#ifndef DAMAGE_H
#define DAMAGE_H

#include <unistd.h>

#include "scratch.h"

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define DAMAGE_SANITIZED
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined DAMAGE_SANITIZED
enum { DAMAGE_STEP = 7 };
#else
enum { DAMAGE_STEP = 1 };
#endif

enum { DAMAGE_SPREAD = 61 }; /* odd, as DAMAGE_STEP is: all bits get their turn */

/* Whether the reader under test refuses the file; where it does not, it has to assert that nothing changed. */
typedef bool (*damage_refused)(const char *path, void *context);

/* Bytes that stand together in the file and are digested together: packed rows. */
typedef struct damage_rows {
    const uint8_t *data;
    size_t bytes;
} damage_rows;

/* Marks all of bytes from..to - 1 but both ends. */
static inline void damage_mark(uint8_t *spread, size_t from, size_t to)
{
    for (size_t i = from + 1; i + 1 < to; i++) {
        spread[i] = 1;
    }
}

/* Returns, byte by byte, where a spread is enough: in the rows, which have to be there, and in long runs of zeros, as
 * HDF5 leaves them in reserved space. The caller frees. */
static inline uint8_t *damage_spread(const uint8_t *data, size_t bytes, const damage_rows *rows, size_t count)
{
    enum { LONG = 48 };
    uint8_t *spread = calloc(bytes, 1);
    assert_non_null(spread);
    for (size_t r = 0; r < count; r++) {
        const uint8_t *at = memmem(data, bytes, rows[r].data, rows[r].bytes);
        assert_non_null(at);
        damage_mark(spread, (size_t)(at - data), (size_t)(at - data) + rows[r].bytes);
    }
    for (size_t i = 0, run = 0; i < bytes; i++) {
        run = data[i] == 0 ? run + 1 : 0;
        if (run >= LONG && (i + 1 == bytes || data[i + 1] != 0)) {
            damage_mark(spread, i + 1 - run, i + 1);
        }
    }
    return spread;
}

/* Flips one bit of a byte at a time, a different one from byte to byte, and asserts that at least `held` of the bytes
 * are seen to, each counted for those up to the next that is flipped, and the file as it was is not refused. rows:
 * [count], in the file. */
static inline void damage_flip(const char *path, damage_refused refused, void *context, const damage_rows *rows,
                               size_t count, size_t held)
{
    size_t bytes, seen = 0, tried = 0, there = 0, step;
    uint8_t *data = slurp(path, &bytes);
    uint8_t *spread = damage_spread(data, bytes, rows, count);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (size_t i = 0; i < bytes; i += step, tried++) {
        const size_t most = spread[i] ? DAMAGE_SPREAD : DAMAGE_STEP;
        for (step = 1; step < most && i + step < bytes && spread[i + step] == spread[i]; step++) {
        }
        const uint8_t flipped = data[i] ^ (uint8_t)(1u << (i * 7 % 8));
        assert_int_equal(pwrite(fileno(file), &flipped, 1, (off_t)i), 1);
        if (refused(path, context)) {
            seen += step;
            there++;
        }
        assert_int_equal(pwrite(fileno(file), &data[i], 1, (off_t)i), 1);
    }
    assert_false(refused(path, context));
    const size_t parts = DAMAGE_STEP == 1 ? 0 : 16; /* pieces that the held bytes lie in, each counted one short */
    assert_true(seen + parts * DAMAGE_STEP >= held);
    print_message("%zu of %zu bytes flipped were refused, the rest changed nothing\n", there, tried);
    fclose(file);
    free(spread);
    free(data);
}

/* Cuts the file, byte by byte at either end, in steps of all remainders modulo 8 between; all are refused. */
static inline void damage_cut(const char *path, damage_refused refused, void *context)
{
    enum { ENDS = 256, STEP = 13 };
    size_t bytes;
    uint8_t *data = slurp(path, &bytes);
    for (size_t length = bytes; length > 0;) {
        const size_t step = length > ENDS && length + ENDS < bytes ? STEP : DAMAGE_STEP;
        length -= length < step ? length : step;
        assert_int_equal(truncate(path, (off_t)length), 0);
        assert_true(refused(path, context));
    }
    spit(path, data, bytes);
    free(data);
}

#endif
