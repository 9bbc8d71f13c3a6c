#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "io/files/pending.h"

static const char magic[HB_DIGEST_BYTES] = "HEBL1";

/* The head of a file: as long as a record. */
typedef struct head {
    uint8_t magic[HB_DIGEST_BYTES], session[HB_DIGEST_BYTES];
} head;
_Static_assert(sizeof(head) == sizeof(hb_ledger_record) && sizeof(head) == 64, "all of a ledger is of 64 bytes");

struct hb_ledger {
    char *path;
    head head;
    uint64_t results;
    hb_file_lock_waiting waiting;
    pthread_mutex_t syncing; /* held by the thread that waits for the disk */
    /* With it: the first records, which this process knows to be on the disk. A process that was killed between writing
     * and syncing may have left others, so it begins at 0. */
    size_t synced;
    pthread_mutex_t guard;    /* of all that follows; never held while the disk is waited for */
    hb_ledger_record *record; /* [room], of which `count` are there, in the order of the file */
    size_t count, room;
    uint32_t *slot; /* [slots], a power of two at least twice as many as records: 1 + a record's number; 0: empty */
    size_t slots;
};

static head head_of(const uint8_t session[HB_DIGEST_BYTES])
{
    head h;
    memcpy(h.magic, magic, sizeof h.magic);
    memcpy(h.session, session, sizeof h.session);
    return h;
}

hb_status hb_ledger_create(const char *path, const uint8_t session[HB_DIGEST_BYTES])
{
    const head h = head_of(session);
    return hb_pending_write(path, &h, sizeof h, 0600);
}

/* --- records in memory */

/* Returns where the record of a digest is, or where it would be. */
static size_t place_of(const hb_ledger *ledger, const uint8_t c1[HB_DIGEST_BYTES])
{
    uint64_t hash;
    memcpy(&hash, c1, sizeof hash); /* any bytes of a digest will do */
    size_t at = hash & (ledger->slots - 1);
    while (ledger->slot[at] != 0 && memcmp(ledger->record[ledger->slot[at] - 1].c1, c1, HB_DIGEST_BYTES) != 0) {
        at = (at + 1) & (ledger->slots - 1);
    }
    return at;
}

/* Returns the record of a digest; NULL: there is none. */
static const hb_ledger_record *find(const hb_ledger *ledger, const uint8_t c1[HB_DIGEST_BYTES])
{
    const uint32_t slot = ledger->slots > 0 ? ledger->slot[place_of(ledger, c1)] : 0;
    return slot != 0 ? &ledger->record[slot - 1] : NULL;
}

/* Makes room for `more` records. */
static hb_status reserve(hb_ledger *ledger, size_t more)
{
    const size_t wanted = ledger->count + more;
    if (wanted > UINT32_MAX / 4) {
        return HB_FAIL(HB_EDATA, "%s: has more records than any keys are made for", ledger->path);
    }
    if (wanted <= ledger->room) {
        return HB_OK;
    }
    size_t room = ledger->room > 0 ? ledger->room : 1024; /* 2^10 */
    while (room < wanted) {
        room *= 2;
    }
    uint32_t *slot = calloc(2 * room, sizeof *slot);
    hb_ledger_record *record = realloc(ledger->record, room * sizeof *record);
    ledger->record = record != NULL ? record : ledger->record;
    if (slot == NULL || record == NULL) {
        free(slot);
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %zu records", ledger->path, room);
    }
    free(ledger->slot);
    ledger->slot = slot;
    ledger->slots = 2 * room;
    ledger->room = room;
    for (size_t i = 0; i < ledger->count; i++) {
        const size_t at = place_of(ledger, record[i].c1);
        slot[at] = slot[at] != 0 ? slot[at] : (uint32_t)(i + 1);
    }
    return HB_OK;
}

/* Takes up records that stand behind those that are known. The first of a digest counts. */
static void take(hb_ledger *ledger, size_t more)
{
    for (size_t i = ledger->count; i < ledger->count + more; i++) {
        const size_t at = place_of(ledger, ledger->record[i].c1);
        ledger->slot[at] = ledger->slot[at] != 0 ? ledger->slot[at] : (uint32_t)(i + 1);
    }
    ledger->count += more;
}

/* --- the file, under its lock */

/* Reads the head of a ledger that nobody else may read. */
static hb_status read_head(const char *path, int fd, head *h, uint64_t *bytes)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || (info.st_mode & 077) != 0) {
        return HB_FAIL(HB_EPERM, "%s: others can read or write it: chmod 600 it", path);
    }
    *bytes = (uint64_t)info.st_size;
    HB_TRY(hb_read_at(fd, h, sizeof *h, 0, path));
    return memcmp(h->magic, magic, sizeof magic) == 0 ? HB_OK : HB_FAIL(HB_EDATA, "%s: is no ledger of parts", path);
}

static hb_status check_head(const hb_ledger *ledger, int fd, uint64_t *bytes)
{
    head h;
    HB_TRY(read_head(ledger->path, fd, &h, bytes));
    return memcmp(h.session, ledger->head.session, sizeof h.session) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is the ledger of another session", ledger->path);
}

hb_status hb_ledger_read_count(const char *path, uint8_t session[HB_DIGEST_BYTES], uint64_t *count)
{
    uint64_t bytes = 0;
    head h;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return HB_FAIL(HB_ENOINPUT, "%s: cannot be opened: %s", path, strerror(errno));
    }
    const hb_status st = read_head(path, fd, &h, &bytes);
    (void)close(fd);
    HB_TRY(st);
    memcpy(session, h.session, sizeof h.session);
    *count = (bytes - sizeof h) / sizeof(hb_ledger_record);
    return HB_OK;
}

bool hb_ledger_is_one(const char *path)
{
    uint8_t begins[sizeof magic];
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool is = fd >= 0 && pread(fd, begins, sizeof begins, 0) == (ssize_t)sizeof begins &&
                    memcmp(begins, magic, sizeof begins) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return is;
}

/* Reads what others have appended. A part of a last record was never synced: it is written over. */
static hb_status catch_up(hb_ledger *ledger, int fd)
{
    uint64_t bytes = 0;
    HB_TRY(check_head(ledger, fd, &bytes));
    const uint64_t there = (bytes - sizeof(head)) / sizeof(hb_ledger_record);
    if (there < ledger->count) {
        return HB_FAIL(HB_EDATA, "%s: has lost records", ledger->path);
    }
    const size_t more = (size_t)(there - ledger->count);
    if (more == 0) {
        return HB_OK; /* there may be no memory yet */
    }
    HB_TRY(reserve(ledger, more));
    HB_TRY(hb_read_at(fd, ledger->record + ledger->count, more * sizeof *ledger->record,
                      sizeof(head) + ledger->count * sizeof *ledger->record, ledger->path));
    take(ledger, more);
    return HB_OK;
}

/* Forgets the last records, down to `count`, which were taken up one after another. */
static void forget(hb_ledger *ledger, size_t count)
{
    while (ledger->count > count) {
        ledger->slot[place_of(ledger, ledger->record[ledger->count - 1].c1)] = 0;
        ledger->count--;
    }
}

static hb_status refuse_other(uint64_t i)
{
    return HB_FAIL(HB_EDATA,
                   "a part of ciphertext %" PRIu64
                   " was made already, for other owners, other cells, another receiver, another plain modulus or other "
                   "noise: ask for the same again, or let hebatch sanitize --open IN.heb OUT.heb --key PUBLIC.h5 make "
                   "another dataset of the same values, of which all owners make parts",
                   i);
}

/* Looks a record up. */
static hb_status look_up(const hb_ledger *ledger, const hb_ledger_record *record, uint64_t i, bool *known)
{
    const hb_ledger_record *made = find(ledger, record->c1);
    *known = made != NULL;
    return made == NULL || memcmp(made->context, record->context, HB_DIGEST_BYTES) == 0 ? HB_OK : refuse_other(i);
}

/* Whether `wanted` may be recorded beside the first `count`. */
static hb_status check_room(const hb_ledger *ledger, size_t count, uint64_t wanted)
{
    const uint64_t left = ledger->results > count ? ledger->results - count : 0;
    return wanted <= left ? HB_OK
                          : HB_FAIL(HB_EDATA,
                                    "%" PRIu64 " parts were promised for these keys: %" PRIu64 " are left, %" PRIu64
                                    " asked for, one of each ciphertext of the dataset, whichever its cells: decrypt "
                                    "results of fewer ciphertexts, or make new keys with more --results",
                                    ledger->results, left, wanted);
}

/* Takes up the records that are new, as far as they may be made. */
static hb_status collect(hb_ledger *ledger, const hb_ledger_record *records, size_t count, uint64_t first)
{
    const size_t before = ledger->count;
    for (size_t i = 0; i < count; i++) {
        bool known;
        HB_TRY(look_up(ledger, &records[i], first + i, &known));
        if (!known) {
            ledger->record[ledger->count] = records[i];
            take(ledger, 1);
        }
    }
    return check_room(ledger, before, ledger->count - before);
}

/* Writes the records from `before` on behind the others. */
static hb_status append(const hb_ledger *ledger, int fd, size_t before)
{
    return hb_write_at(fd, ledger->record + before, (ledger->count - before) * sizeof *ledger->record,
                       sizeof(head) + before * sizeof *ledger->record, ledger->path);
}

hb_status hb_ledger_open_asking(const char *path, const uint8_t session[HB_DIGEST_BYTES], uint64_t results,
                                hb_file_lock_waiting waiting, hb_ledger **out)
{
    hb_status st;
    int fd = -1;
    *out = NULL;
    hb_ledger *ledger = calloc(1, sizeof *ledger);
    if (ledger == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a ledger", path);
    }
    *ledger = (hb_ledger){.path = strdup(path), .head = head_of(session), .results = results, .waiting = waiting};
    pthread_mutex_init(&ledger->syncing, NULL); /* on Linux they cannot fail */
    pthread_mutex_init(&ledger->guard, NULL);
    HB_GOTO(ledger->path != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a ledger", path));
    HB_GOTO(hb_file_lock_wait_asking(path, waiting, &fd));
    HB_GOTO(catch_up(ledger, fd));
    *out = ledger;
done:
    if (fd >= 0) {
        (void)close(fd);
    }
    if (st != HB_OK) {
        hb_ledger_close(ledger);
    }
    return st;
}

void hb_ledger_close(hb_ledger *ledger)
{
    if (ledger == NULL) {
        return;
    }
    pthread_mutex_destroy(&ledger->syncing);
    pthread_mutex_destroy(&ledger->guard);
    free(ledger->path);
    free(ledger->record);
    free(ledger->slot);
    free(ledger);
}

uint64_t hb_ledger_count(hb_ledger *ledger)
{
    pthread_mutex_lock(&ledger->guard);
    const uint64_t count = ledger->count;
    pthread_mutex_unlock(&ledger->guard);
    return count;
}

hb_status hb_ledger_look_up(hb_ledger *ledger, const hb_ledger_record *records, size_t count, uint64_t first,
                            bool *known)
{
    hb_status st = HB_OK;
    pthread_mutex_lock(&ledger->guard);
    for (size_t i = 0; i < count && st == HB_OK; i++) {
        st = look_up(ledger, &records[i], first + i, &known[i]);
    }
    pthread_mutex_unlock(&ledger->guard);
    return st;
}

hb_status hb_ledger_check_room(hb_ledger *ledger, uint64_t wanted)
{
    pthread_mutex_lock(&ledger->guard);
    const hb_status st = check_room(ledger, ledger->count, wanted);
    pthread_mutex_unlock(&ledger->guard);
    return st;
}

/* Under the guard. */
static hb_status add_parts(hb_ledger *ledger, const hb_ledger_record *records, size_t count, uint64_t first)
{
    int fd;
    hb_status st;
    HB_TRY(hb_file_lock_wait_asking(ledger->path, ledger->waiting, &fd));
    HB_GOTO(catch_up(ledger, fd));
    HB_GOTO(reserve(ledger, count));
    const size_t before = ledger->count;
    st = collect(ledger, records, count, first);
    st = st == HB_OK ? append(ledger, fd, before) : st;
    if (st != HB_OK) {
        forget(ledger, before);
    }
done:
    (void)close(fd);
    return st;
}

hb_status hb_ledger_add_parts(hb_ledger *ledger, const hb_ledger_record *records, size_t count, uint64_t first)
{
    pthread_mutex_lock(&ledger->guard);
    const hb_status st = add_parts(ledger, records, count, first);
    pthread_mutex_unlock(&ledger->guard);
    return st;
}

/* Syncs the file, in which so many records have to be. No lock: other processes only append. */
static hb_status sync_file(const hb_ledger *ledger, size_t count)
{
    struct stat info;
    const int fd = open(ledger->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return HB_FAIL(HB_EIO, "%s: cannot be opened: %s", ledger->path, strerror(errno));
    }
    const bool whole = fstat(fd, &info) == 0 && (uint64_t)info.st_size >= (count + 1) * sizeof(hb_ledger_record);
    const hb_status st = whole ? hb_sync(fd, ledger->path) : HB_FAIL(HB_EDATA, "%s: has lost records", ledger->path);
    (void)close(fd);
    return st;
}

hb_status hb_ledger_sync(hb_ledger *ledger)
{
    hb_status st = HB_OK;
    /* A thread that waits here looks afterwards, and finds its records on the disk. */
    pthread_mutex_lock(&ledger->syncing);
    const size_t count = (size_t)hb_ledger_count(ledger);
    if (count > ledger->synced) {
        st = sync_file(ledger, count);
        ledger->synced = st == HB_OK ? count : ledger->synced;
    }
    pthread_mutex_unlock(&ledger->syncing);
    return st;
}
