/* Passphrases of secret keys, from the source that the user names: never in an argument, the environment or a log.
 * Rank-local. */
#ifndef HB_CLI_PASSPHRASE_H
#define HB_CLI_PASSPHRASE_H

#include <stddef.h>

#include "io/keys/key_seal.h"

/* Sets the source of passphrases, as option --passphrase: "fd:N", an open descriptor; "file:PATH", a file that nobody
 * else can read; "command:CMD", the output of a shell command; the first line of each is used. NULL: the terminal.
 * Borrowed. HB_EUSAGE for anything else, which no message repeats: it may be a passphrase. */
hb_status hb_passphrase_set_source(const char *where);

/* Reads the passphrase of the key `name` from `where`, or, if that is NULL, from the source that was set. fresh: a new
 * passphrase, asked for twice on the terminal. The caller wipes *out. HB_ENOINPUT where nothing can be asked or read;
 * HB_EPERM for a file that others can read; HB_EUSAGE for an empty or too long passphrase, and for two that differ;
 * HB_ESTOPPED. */
hb_status hb_passphrase_read(hb_passphrase *out, const char *name, const char *where, bool fresh);
/* Returns whether the passphrase comes from the terminal, so that another try makes sense. */
bool hb_passphrase_is_asked(const char *where);
/* Returns how many bytes of a word of a command line a log may show: all, or those before a possible passphrase. A
 * passphrase may follow `command:`, and may be the argument of a passphrase option that is neither fd:N nor file:PATH.
 * before: the preceding word. */
size_t hb_passphrase_shown(const char *before, const char *word);

#endif
