/* Known answers as hexadecimal text. */
#ifndef HB_TESTS_HEX_H
#define HB_TESTS_HEX_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline void assert_hex(const uint8_t *bytes, size_t count, const char *expected)
{
    assert_int_equal(strlen(expected), 2 * count);
    for (size_t i = 0; i < count; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", bytes[i]);
        assert_memory_equal(digits, expected + 2 * i, 2);
    }
}

#endif
