/* The ledger of an owner of joint keys: of which ciphertexts he made parts in a session, and for what (joint/part.h). A
 * part is recorded before it leaves. The same request for the same component 1 gives the same bytes, and counts once;
 * another request for it is refused, as two parts with different noise would tell the secret. No more ciphertexts are
 * recorded than the keys were made for.
 *
 * A ledger is one file in one place. A copy of the key elsewhere, or an older ledger from a backup, does not know what
 * was made. File: "HEBL1" and zeros to 32 bytes, the session's id, then records of a c1 digest and a context, 64 bytes
 * each. Any number of processes of one file system may use it at once, and any number of threads of each; nothing here
 * is collective. */
#ifndef HB_IO_JOINT_LEDGER_H
#define HB_IO_JOINT_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"
#include "io/files/file_lock.h"

typedef struct hb_ledger hb_ledger;

/* A record: H("hebatch c1"; ..) and H("hebatch part"; ..) of joint/part.h. */
typedef struct hb_ledger_record {
    uint8_t c1[HB_DIGEST_BYTES], context[HB_DIGEST_BYTES];
} hb_ledger_record;

/* Makes an empty ledger, mode 0600. HB_ECREATE when the file exists or cannot be made; HB_EIO. */
hb_status hb_ledger_create(const char *path, const uint8_t session[HB_DIGEST_BYTES]);
/* Opens the ledger of a session under whose keys `results` ciphertexts may be decrypted. HB_ENOINPUT when it is
 * missing; HB_EDATA when it is no ledger or of another session; HB_EPERM where group or others have any right to it;
 * HB_ECREATE where its file system has no locks; HB_EIO, HB_ENOMEM. From then on it asks where another process holds
 * the ledger (hb_file_lock_wait_asking), in the thread that waits: errors of `ask` besides, here and of
 * hb_ledger_add_parts. Closing takes NULL. */
hb_status hb_ledger_open_asking(const char *path, const uint8_t session[HB_DIGEST_BYTES], uint64_t results,
                                hb_file_lock_waiting waiting, hb_ledger **out);
/* Does the same, and asks nobody. */
static inline hb_status hb_ledger_open(const char *path, const uint8_t session[HB_DIGEST_BYTES], uint64_t results,
                                       hb_ledger **out)
{
    return hb_ledger_open_asking(path, session, results, (hb_file_lock_waiting){.ask = NULL}, out);
}
/* Reads how many parts a ledger has recorded, of any session, whose id it copies; takes no lock and changes nothing.
 * HB_ENOINPUT, HB_EDATA, HB_EPERM as hb_ledger_open; HB_EIO. */
hb_status hb_ledger_read_count(const char *path, uint8_t session[HB_DIGEST_BYTES], uint64_t *count);
/* Returns whether the file begins as a ledger does; false where it cannot be read. */
bool hb_ledger_is_one(const char *path);
void hb_ledger_close(hb_ledger *ledger);
/* Returns the ciphertexts that were recorded when it was last looked at. */
uint64_t hb_ledger_count(hb_ledger *ledger);
/* Looks parts up, as of the last look at the file, and records nothing: known[i] is set to whether the part of record i
 * was made. HB_EDATA naming the ciphertext, first + i, of which a part was made for another request. */
hb_status hb_ledger_look_up(hb_ledger *ledger, const hb_ledger_record *records, size_t count, uint64_t first,
                            bool *known);
/* Returns HB_EDATA, saying how many parts may still be recorded, where these are fewer than `wanted`, as of the last
 * look at the file. */
hb_status hb_ledger_check_room(hb_ledger *ledger, uint64_t wanted);
/* Records parts: those that are not there yet, all or none. No part may leave before hb_ledger_sync has returned.
 * HB_EDATA naming the ciphertext, first + i, of which a part was made for another request, or saying how many more may
 * be recorded; HB_ECREATE while another process holds the ledger for more than a minute, or where its file system has
 * no locks; HB_EIO, HB_ENOMEM. After a failure no part of them may leave. */
hb_status hb_ledger_add_parts(hb_ledger *ledger, const hb_ledger_record *records, size_t count, uint64_t first);
/* Returns when all parts that were recorded before are on the disk. Threads that wait for it at the same time share
 * one write to the disk, and others record parts meanwhile. HB_EDATA where the file has lost records, HB_EIO. After a
 * failure no part that was recorded since the last success may leave. */
hb_status hb_ledger_sync(hb_ledger *ledger);

#endif
