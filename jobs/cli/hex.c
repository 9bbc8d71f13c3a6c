#include "hex.h"

#include <stdio.h>

void hb_hex(char *text, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        snprintf(text + 2 * i, 3, "%02x", data[i]);
    }
}
