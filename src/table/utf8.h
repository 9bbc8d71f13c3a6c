/* Checks of texts from files that go into headers, messages and JSON. */
#ifndef HB_TABLE_UTF8_H
#define HB_TABLE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether a text is UTF-8 (RFC 3629: shortest forms, no surrogates, up to U+10FFFF). */
bool hb_is_utf8(const char *text);
/* Returns how many bytes of a text are shown where there is room for `most`: those of whole characters. */
static inline size_t hb_utf8_shown(const char *text, size_t length, size_t most)
{
    size_t bytes = length < most ? length : most;
    while (bytes > 0 && bytes < length && ((unsigned char)text[bytes] & 0xc0) == 0x80) {
        bytes--;
    }
    return bytes;
}
/* Returns whether one of the bytes is a control character of ASCII. */
bool hb_has_control(const char *text, size_t length);
/* Writes a character of Unicode as UTF-8; returns the end. */
static inline char *hb_utf8_put(char *to, uint32_t c)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    const int more = (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    *to++ = (char)(lead[more] | c >> 6 * more);
    for (int i = more - 1; i >= 0; i--) {
        *to++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    }
    return to;
}

/* The state of a look at bytes that may be UTF-8, in pieces. */
typedef struct hb_utf8_look {
    bool any, other;         /* a character beyond ASCII; bytes that are no UTF-8 */
    int left;                /* bytes that the character still has ... */
    unsigned char low, high; /* ... and of which the next one is in this range */
} hb_utf8_look;

/* Looks at further bytes: shortest forms, no surrogates, up to U+10FFFF (RFC 3629). */
static inline void hb_utf8_look_at(hb_utf8_look *look, const unsigned char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = from[i];
        if (look->left > 0) {
            look->other = look->other || c < look->low || c > look->high;
            look->left--;
            look->low = 0x80;
            look->high = 0xbf;
        } else if (c >= 0x80) {
            look->any = true;
            look->other = look->other || c < 0xc2 || c > 0xf4;
            look->left = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
            look->low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
            look->high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        }
    }
}
/* Returns whether all bytes, which have ended, are UTF-8, and some are beyond ASCII: text in an encoding of one byte
 * for each character is not by chance. */
static inline bool hb_utf8_is_likely(const hb_utf8_look *look)
{
    return look->any && !look->other && look->left == 0;
}

#endif
