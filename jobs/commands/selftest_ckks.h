/* Known answers of CKKS, for hebatch selftest. Each function returns HB_EINTERNAL with the expected and the actual
 * answer. */
#ifndef HB_COMMANDS_SELFTEST_CKKS_H
#define HB_COMMANDS_SELFTEST_CKKS_H

#include "base/status.h"

/* The slots of an encoded plaintext against evaluation of its polynomial at complex roots, and decoding. */
hb_status hb_selftest_ckks_slots(void);
/* Encryption with either key, and decryption, within the proven error. */
hb_status hb_selftest_ckks_round_trip(void);
/* A product, a rotation and numbers, against the same arithmetic of doubles. */
hb_status hb_selftest_ckks_arithmetic(void);
/* Bootstrapping in a small ring: values come back with levels. */
hb_status hb_selftest_ckks_bootstrap(void);

#endif
