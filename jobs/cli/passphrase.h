/* Passphrases of secret keys, from where the user says: never in an argument, the environment or a log. Rank-local. */
#ifndef HB_CLI_PASSPHRASE_H
#define HB_CLI_PASSPHRASE_H

#include "io/keys/key_seal.h"

/* Says where the passphrase of a key is, as option --passphrase: "fd:N", a descriptor that is open; "file:PATH", a file
 * that nobody else can read; "command:CMD", what a shell's command writes; the first line of each. NULL: it is asked
 * for on the terminal. Borrowed. HB_EUSAGE for anything else, which no message repeats: it may be a passphrase. */
hb_status hb_passphrase_set_source(const char *where);

/* Reads a passphrase: of the key `name` from the source that was set, or from `where`, if that is not NULL. fresh: a
 * new one; on the terminal it is asked for twice. The caller wipes *out. HB_ENOINPUT where nothing can be asked or
 * read; HB_EPERM for a file that others can read; HB_EUSAGE for an empty or too long one, and for two that differ;
 * HB_ESTOPPED. */
hb_status hb_passphrase_read(hb_passphrase *out, const char *name, const char *where, bool fresh);
/* Returns whether it comes from the terminal, so that another try makes sense. */
bool hb_passphrase_is_asked(const char *where);

#endif
