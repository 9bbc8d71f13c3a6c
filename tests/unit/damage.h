/* Files damaged in every place: a flipped bit in each byte, each shorter length. Every byte where the program is built
 * as users have it; with sanitizers, which take ten times as long, every seventh: still each of the eight bits. */
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

/* Whether the reader under test refuses the file; where it does not, it has to assert that nothing changed. */
typedef bool (*damage_refused)(const char *path, void *context);

/* Flips one bit of a byte at a time, a different one from byte to byte, and asserts that at least `held` of the bytes
 * are seen to, and the file as it was is not refused. */
static inline void damage_flip(const char *path, damage_refused refused, void *context, size_t held)
{
    size_t bytes, seen = 0, tried = 0;
    uint8_t *data = slurp(path, &bytes);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    for (size_t i = 0; i < bytes; i += DAMAGE_STEP, tried++) {
        const uint8_t flipped = data[i] ^ (uint8_t)(1u << (i * 7 % 8));
        assert_int_equal(pwrite(fileno(file), &flipped, 1, (off_t)i), 1);
        seen += refused(path, context);
        assert_int_equal(pwrite(fileno(file), &data[i], 1, (off_t)i), 1);
    }
    assert_false(refused(path, context));
    const size_t parts = DAMAGE_STEP == 1 ? 0 : 16; /* pieces that the held bytes lie in, each counted one short */
    assert_true((seen + parts) * DAMAGE_STEP >= held);
    print_message("%zu of %zu bytes flipped were refused, the rest changed nothing\n", seen, tried);
    fclose(file);
    free(data);
}

/* Cuts the file, byte by byte above and below `whole`, in steps of 64 from the end down to that; all are refused. */
static inline void damage_cut(const char *path, damage_refused refused, void *context, size_t whole)
{
    size_t bytes;
    uint8_t *data = slurp(path, &bytes);
    for (size_t length = bytes; length > 0;) {
        const size_t step = length > whole && length < bytes - 64 ? 64 : DAMAGE_STEP;
        length -= length < step ? length : step;
        assert_int_equal(truncate(path, (off_t)length), 0);
        assert_true(refused(path, context));
    }
    spit(path, data, bytes);
    free(data);
}

#endif
