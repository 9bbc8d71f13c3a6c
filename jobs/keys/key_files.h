/* The files of the keys that a job computes with. Each is opened once: then its facts are checked, and it stays open
 * until it is read. Several threads read and digest rows and load the keys, each thread one file at a time. Reading
 * begins as soon as the job knows which keys it needs, and which limbs of them; where limbs are not divided, that is
 * before its device is open. */
#ifndef HB_KEYS_KEY_FILES_H
#define HB_KEYS_KEY_FILES_H

#include <pthread.h>

#include "key_ring.h"
#include "key_store.h"
#include "machine/background.h"

enum { HB_KEY_MOST_READERS = 16 };

/* A key that is wanted: its file, with the rows that were chosen, and the choice that names the level. */
typedef struct hb_key_wanted {
    const hb_switch_key_source *source;
    const char *path;
    hb_key_choice choice;
} hb_key_wanted;

/* Where keys are loaded. */
typedef struct hb_key_target {
    const hb_session *session;
    hb_engine *queue[HB_KEY_MOST_READERS]; /* each for one thread at a time */
    bool busy[HB_KEY_MOST_READERS];
    uint32_t queues;
    hb_switch_key *key; /* [count], of those that were loaded */
} hb_key_target;

typedef struct hb_key_reader {
    hb_key_wanted *wanted; /* [count]; owned */
    uint32_t count;
    uint64_t most_bytes; /* of keys on their way */
    hb_key_ring ring;
    const hb_group *group; /* of the ranks that share the ring; NULL: it is this rank's */
    pthread_t owner;       /* the thread that began it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    hb_background thread[HB_KEY_MOST_READERS];
    uint32_t threads, at_work; /* begun; of them those that have not ended */
    uint32_t next_fill, next_load;
    uint32_t limit; /* keys from this number on are not wanted any more: one before them failed */
    bool stopped;   /* no key is wanted any more */
    bool only_read; /* keys are not loaded */
    hb_key_target target;
    uint32_t done;       /* keys that were loaded ... */
    uint64_t done_bytes; /* ... and the bytes that were read for them */
    hb_status status;    /* of key `limit` */
    hb_error error;
} hb_key_reader;

/* The files of a job's keys; the members are for key_files.c, key_reader.c and tests, but the first three for
 * all. */
typedef struct hb_key_files {
    hb_key_choices choices;       /* owned */
    char **path;                  /* [choices.count] */
    hb_switch_key_source *source; /* [choices.count] */
    hb_key_reader reader;
} hb_key_files;

/* Opens the files of the choices and checks that they are of the pair and the parameters, and are the keys that their
 * names say, without reading a key; *bytes is the size of all. It calls HDF5, but for files that are known (NULL: none
 * is, hb_switch_key_source_open_known); nothing below does. HB_EDATA, HB_ENOINPUT, HB_ENOMEM. The caller closes *out;
 * NULL after a failure. */
hb_status hb_key_files_open_known(hb_key_files **out, const char *directory, const hb_params *params,
                                  const uint8_t key_id[HB_KEY_ID_BYTES], hb_key_choices choices, hb_known_keys *known,
                                  uint64_t *bytes);
static inline hb_status hb_key_files_open(hb_key_files **out, const char *directory, const hb_params *params,
                                          const uint8_t key_id[HB_KEY_ID_BYTES], hb_key_choices choices,
                                          uint64_t *bytes)
{
    return hb_key_files_open_known(out, directory, params, key_id, choices, NULL, bytes);
}
/* Ends all reading and closes the files; NULL is allowed. */
void hb_key_files_close(hb_key_files *files);
/* Returns how many threads suit a rank: its share of the processors of this host, and two at least, as one can load
 * while another waits for the disk. */
uint32_t hb_key_files_threads(const hb_group *group);
/* Returns the bytes of memory for keys on their way from files to the engine: a sixteenth of the rank's share, a GiB at
 * most. They are taken for a moment, and before the buffers of units. */
uint64_t hb_key_files_passing_bytes(const hb_group *group);

/* The share of a rank in the files. Keys among `held` were loaded already, for other choices (NULL: none were); those
 * of the very same files are not read. A rank reads each other key's rows of the level that the choice names, and of
 * these only those of the limbs that `member` has by the map of `params`. Where limbs are not divided, `member` is 0.
 * Borrowed. */
typedef struct hb_key_share {
    const hb_params *params;
    const hb_switch_keys *held;
    uint32_t member;
} hb_key_share;

/* Chooses in the source of each wanted key the rows that are read: those of the share. Nothing is read yet. Returns
 * the bytes of the files that will be. A file without digests of rows is read whole. */
uint64_t hb_key_files_choose(hb_key_files *files, hb_key_share share);
/* Begins to read the share in the order of the choices, with so many threads. They read ahead as far as `most_bytes`
 * of memory hold, at least one key. Files of keys that are held are closed. All ranks of `group` have the same share;
 * those of a host read it once for all of them, where they can share memory. Collective among `group`, called once.
 * The outcome is this rank's; hb_key_files_load tells a failure to read. HB_ENOMEM, HB_ECOMM; HB_EDATA where ranks do
 * not hold the same keys. */
hb_status hb_key_files_begin(hb_key_files *files, hb_group *group, hb_key_share share, uint32_t threads,
                             uint64_t most_bytes);
/* Frees the keys of *keys that are not among the choices, as rotations are composed of the keys that are there, and
 * takes those of *resting that are; others stay there, as far as session->resting_most goes (NULL: none rest). Loads
 * the keys whose reading began, with the session's engine, which is the one of the share's member, and adds them in
 * their order. `threads` work from now on, if these are more. Ranks that share files wait for one another. *progress is
 * told the loaded keys and the bytes read for them; NULL: nothing is. The outcome is this rank's. After a failure no
 * key is added; the failure is that of the first key that has one, and names its file; HB_EPEER where another rank has
 * one. Where limbs are divided it is collective, and keys become integers when all ranks have all of theirs. HB_EDATA,
 * HB_EIO, HB_ENOMEM, HB_ECOMM. */
hb_status hb_key_files_load(hb_key_files *files, hb_switch_keys *keys, hb_switch_keys *resting,
                            const hb_session *session, uint32_t threads, hb_progress *progress);
/* Measures how fast the share is read, in place of the two calls above. Reads and checks as many keys as there are
 * threads, at most 256 MiB of them, but at least one: there must be one. Returns in *rate the bytes a second. */
hb_status hb_key_files_time(hb_key_files *files, hb_key_share share, uint32_t threads, double *rate);
/* Ends all threads and frees their memory; a zeroed reader is allowed. */
void hb_key_reader_end(hb_key_reader *reader);

#endif
