/* Known answers of BFV, for hebatch selftest. Each returns HB_EINTERNAL with what was expected and what came. */
#ifndef HB_COMMANDS_SELFTEST_BFV_H
#define HB_COMMANDS_SELFTEST_BFV_H

#include "base/status.h"

/* The slots of an encoded plaintext against evaluation of its polynomial, and decoding. */
hb_status hb_selftest_bfv_slots(void);
/* Encryption with either key, and decryption. */
hb_status hb_selftest_bfv_round_trip(void);

#endif
