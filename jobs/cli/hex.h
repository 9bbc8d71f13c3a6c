/* Bytes as hexadecimal digits. */
#ifndef HB_CLI_HEX_H
#define HB_CLI_HEX_H

#include <stddef.h>
#include <stdint.h>

/* text: 2 bytes + 1 characters. */
void hb_hex(char *text, const uint8_t *data, size_t bytes);

#endif
