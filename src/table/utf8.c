#include "utf8.h"

#include <stdint.h>

/* Bytes that come after the first of a UTF-8 character; 4: none begins with it. */
static size_t bytes_after(uint32_t lead)
{
    /* 0x80 to 0xbf only continue a character, and 0xc0 and 0xc1 could only begin one that is too long. */
    static const uint32_t begin[] = {0x80, 0xc2, 0xe0, 0xf0, 0xf5}; /* of the next kind of first bytes */
    static const size_t after[] = {0, 4, 1, 2, 3, 4};
    size_t kind = 0;
    while (kind < sizeof begin / sizeof begin[0] && lead >= begin[kind]) {
        kind++;
    }
    return after[kind];
}

/* Bytes of the UTF-8 character at c, 0 if there is none (RFC 3629: shortest forms, no surrogates, up to U+10FFFF). */
static size_t character_bytes(const unsigned char *c)
{
    const uint32_t lead = c[0];
    const size_t more = bytes_after(lead);
    if (more == 4) {
        return 0;
    }
    uint32_t code = more == 0 ? lead : lead & (0x3fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (c[i] & 0x3fu);
    }
    /* Smallest code of each length: a longer form of a smaller code would be a second spelling of the same name. */
    const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    /* Halves of pairs in UTF-16, which are no characters. */
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= least[more] && code <= 0x10ffff && !surrogate ? more + 1 : 0;
}

bool hb_is_utf8(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const size_t bytes = character_bytes(c);
        if (bytes == 0) {
            return false;
        }
        c += bytes;
    }
    return true;
}

bool hb_has_control(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && (unsigned char)text[i] >= 0x20 && text[i] != 0x7f) {
        i++;
    }
    return i < length;
}
