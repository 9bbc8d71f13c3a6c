/* Known answers of BFV, for hebatch selftest. Each function returns HB_EINTERNAL with the expected and the actual
 * answer. */
#ifndef HB_COMMANDS_SELFTEST_BFV_H
#define HB_COMMANDS_SELFTEST_BFV_H

#include "base/status.h"

/* The slots of an encoded plaintext against evaluation of its polynomial, and decoding. */
hb_status hb_selftest_bfv_slots(void);
/* Encryption with either key, and decryption. */
hb_status hb_selftest_bfv_round_trip(void);

#endif
