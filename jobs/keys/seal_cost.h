/* Option --cost: the cost of one try of a passphrase (io/keys/key_seal.h). */
#ifndef HB_KEYS_SEAL_COST_H
#define HB_KEYS_SEAL_COST_H

#include "io/keys/key_seal.h"

/* The help of the option. */
#define HB_SEAL_COST_HELP                                                         \
    "memory that a try of the passphrase takes: interactive (64 MiB), moderate\n" \
    "(default, 256 MiB) or sensitive (1 GiB); also anyone who opens the key takes it"

/* Parses a word of the option. HB_EUSAGE, naming all words. */
hb_status hb_seal_cost_parse(const char *word, hb_seal_cost *cost);

#endif
