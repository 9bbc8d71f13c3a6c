/* An owner's own files: the secret party.h5, and card.h5, which goes to all others. One process. */
#ifndef HB_OWNERS_PARTY_H
#define HB_OWNERS_PARTY_H

#include "io/joint/party_file.h"

#define HB_CARD_FILE "card.h5"

/* A new party. Texts are borrowed. */
typedef struct hb_party_request {
    const char *folder, *name;
    const hb_seed *root; /* NULL: a random one */
    bool seal;           /* the secret gets a passphrase (ranks/unseal.h) ... */
    hb_seal_cost cost;   /* ... of this cost */
} hb_party_request;

/* Makes the folder, the secret file and the card, in this order. Where the secret of that name is there and the card is
 * not, as after an interrupted run, the card is made of it. Sets *card. HB_EUSAGE for a name that is none; HB_ECREATE
 * when there is a card, or another party's secret; errors of files and passphrases. */
hb_status hb_party_make(const hb_party_request *request, hb_owner_card *card);
/* Does nothing but check that it can be done. HB_EUSAGE, HB_ECREATE. */
hb_status hb_party_try(const hb_party_request *request);

/* Opens a party that was read, where it is sealed; path: its file's. HB_EPERM for a wrong passphrase; errors of
 * hb_unseal_by. */
hb_status hb_party_unseal(hb_party_file *party, const char *path);
/* Reads a party and opens it where it is sealed. HB_EPERM where others can read it, or for a wrong passphrase; else as
 * hb_party_file_read. The caller clears *party, which is zeroed after a failure. */
hb_status hb_party_open(const char *path, hb_party_file *party);

#endif
