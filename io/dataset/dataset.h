/* Ciphertext datasets on disk: a folder NAME.heb of shards, each an HDF5 file written by one process, and an index that
 * shows them as one logical dataset (layout: io/README.md). Rank-local; the job orders the ranks.
 *
 * A unit is `unit` consecutive ciphertexts (the last may be shorter), which are read, computed, written and checksummed
 * together. Units, and so every byte of the logical dataset, do not depend on the number of ranks or shards. */
#ifndef HB_IO_DATASET_DATASET_H
#define HB_IO_DATASET_DATASET_H

#include <string.h>

#include "base/digest.h"
#include "io/h5/format.h"
#include "joint/party.h"
#include "rlwe/codec.h"
#include "rlwe/keys.h"
#include "rlwe/quality.h"
#include "table/packing.h"
#include "table/schema.h"

/* The origin of the ciphertexts. */
typedef enum hb_maker {
    HB_MADE_FRESH,     /* encrypted here, with the secret key if they are seeded, else with the public one */
    HB_MADE_EVALUATED, /* computed from ciphertexts */
    HB_MADE_IMPORTED   /* made by another program */
} hb_maker;

/* The summands of a sum of datasets. */
typedef struct hb_summands {
    uint8_t (*sum)[HB_DIGEST_BYTES]; /* [count] hb_dataset_sum of each, and of the summands of each */
    uint64_t count;
    bool traced; /* no summand was computed, except sums that are traced themselves: the list is complete */
} hb_summands;

/* The request that a part of a decryption under joint keys is for (joint/part.h). A part is stored as its dataset is,
 * with one component, or with two where it is for the owner of a key (joint/receiver.h). Its header is the dataset's,
 * so that it tells the same cells of the same table, and this besides. */
typedef struct hb_part_facts {
    char from[HB_OWNER_NAME_BYTES];    /* the owner's name */
    uint64_t owners;                   /* who decrypt: bit i is owner i of the session; 0: all */
    uint8_t part_of[HB_DIGEST_BYTES];  /* hb_dataset_sum of the dataset */
    uint32_t u, w;                     /* hb_part_plan of its noise */
    uint8_t receiver[HB_KEY_ID_BYTES]; /* of the key that it is for; zeros: it is in the clear */
    hb_joint_spec receiving;           /* the owners of that key; zeroed: there is one, or no such key */
    bool some;                         /* for some cells alone, never with a receiver: */
    uint64_t row, rows;                /* those of rows row .. row + rows - 1, of these ... */
    uint64_t *column, columns;         /* ... columns, [columns], of the decrypted table; owned */
} hb_part_facts;

/* The steps by which a dataset became what it is, without being computed with. */
typedef enum hb_history_what {
    HB_HISTORY_REKEY,   /* it came under another key, by a rekeying key */
    HB_HISTORY_PARTS,   /* and by parts that owners of joint keys made for its owner */
    HB_HISTORY_REFRESH, /* passes of bootstrapping took noise out of it */
    HB_HISTORY_WHATS    /* their number */
} hb_history_what;
#define HB_HISTORY_MOST 32
/* How a dataset was made, beside its bounds. */
typedef struct hb_header_past {
    uint32_t computed_limbs; /* of a result before it was stored in fewer (eval --compact); 0: in all of them. For
                                messages alone, and in no digest */
    uint32_t steps;          /* of its history: the last ones, in their order */
    /* [steps] What was done in each, and the dataset that it was done to: its key, its sum (hb_dataset_sum). */
    hb_history_what what[HB_HISTORY_MOST];
    uint8_t key_id[HB_HISTORY_MOST][HB_KEY_ID_BYTES], data_sum[HB_HISTORY_MOST][HB_DIGEST_BYTES];
    /* They were sanitized (scheme/sanitize.h): -log2 of the statistical distance from ciphertexts that say nothing of
     * their computation, of all together. 0: they were not, or an operation followed. */
    double sanitized;
    bool opened; /* an encryption of zero was added that follows from zero_seed, which is public */
    hb_seed zero_seed;
} hb_header_past;

/* The description of a dataset, without its rows. Stored in every shard and in the index, under one digest. The ranges
 * of its columns are in the schema. */
typedef struct hb_header {
    uint32_t version; /* of the files that it was read from; 0: the current one */
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES];
    uint32_t limbs; /* of every ciphertext */
    hb_header_past past;
    uint32_t kept; /* of packed totals: coefficients of component 0 that are stored, the first ones in the
                                order of the encoding, a multiple of HB_SLICE_WORDS; the others read as 0, and the
                                values there mean nothing. 0: all */
    bool seeded;   /* component 1 is a 32-byte public seed a ciphertext; only of fresh ones */
    hb_maker made_by;
    /* Bounds as files store them (hb_header_quality); unused for fresh ciphertexts: see hb_quality_fresh. */
    hb_quality quality;
    double approximate; /* their part from approximated functions: values differ by no more from the exact ones */
    bool noise_assumed; /* the bounds are not proven, but believed of the maker of the ciphertexts */
    bool dirty_padding; /* slots that hold no cell of the table may not be 0 */
    bool filled;        /* and the cells of the only row stand in the place of every row */
    hb_encoding encoding;
    hb_cell_type cells; /* of the table, so of all columns */
    hb_form form;       /* of the rows of ciphertexts; those of component 0 have coefficients where `kept` says so */
    double scale;       /* factor of the values in ciphertexts of these limbs; 0: the scheme has no scale */
    uint64_t capacity;  /* values that a ciphertext holds */
    hb_packing_order order;
    uint64_t block;       /* slots of a row, packed by rows (hb_packing); 0: rows have no blocks */
    hb_schema schema;     /* owned */
    uint64_t ciphertexts; /* of the whole dataset; checked against schema and order */
    uint64_t unit;        /* ciphertexts a unit, >= 1 */
    hb_part_facts *part;  /* of a part of a decryption, owned; NULL: a dataset */
} hb_header;

/* Frees the schema and the facts of a part; a zeroed header is allowed. */
void hb_header_clear(hb_header *header);
/* Sets parameters and encoding of the header, and cells, form, capacity and, once the limbs are known, the scale, as
 * the scheme has them. */
void hb_header_set_scheme(hb_header *header, const hb_params_spec *spec, hb_encoding encoding);
/* Gives the header these bounds, rounded up to a storable number: as for evaluated ciphertexts, unless made_by says
 * that they are imported. */
void hb_header_quality(hb_header *header, hb_quality quality);
/* Takes away what is known of sanitized ciphertexts: for those of an operation on them. */
static inline void hb_header_forget_sanitized(hb_header *header)
{
    header->past.sanitized = 0;
    header->past.opened = false;
    header->past.zero_seed = (hb_seed){{0}};
}
/* Returns whether eval packed totals into its ciphertexts, one in each coefficient. */
bool hb_header_packs_totals(const hb_header *header);
/* Returns whether its only row stands in the place of every row: in all slots, or in the coefficients of one
 * ciphertext, or of few, which eval takes apart. */
static inline bool hb_header_stands_in_all(const hb_header *header)
{
    return header->filled || header->encoding == HB_ENCODE_SPREAD;
}
/* Returns the k by which numbers of such coefficients are divided by 2^k (scheme/spread.h); 0: they are not. */
uint32_t hb_header_spread_steps(const hb_header *header);
/* Return the words for its cells and form in files and reports: "integer" or "real"; "coefficient" or "ntt". */
const char *hb_header_cells_word(const hb_header *header);
const char *hb_header_form_word(const hb_header *header);
/* The word of a step in files and reports: "rekey", "parts", "refresh". */
extern const char *const hb_history_words[HB_HISTORY_WHATS];
/* Adds a step to the end of a history: what was done to the dataset with this key and sum (hb_dataset_sum). The first
 * step goes where there are HB_HISTORY_MOST. */
void hb_history_add(hb_header_past *past, hb_history_what what, const uint8_t key_id[HB_KEY_ID_BYTES],
                    const uint8_t data_sum[HB_DIGEST_BYTES]);
/* Identity of everything above (BLAKE2b, person "hebatch header"). */
void hb_header_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_header *header);
uint64_t hb_header_units(const hb_header *header);
/* Unit u covers ciphertexts *first .. *first + *count. */
void hb_header_unit_range(const hb_header *header, uint64_t u, uint64_t *first, uint64_t *count);
/* Ciphertexts *first .. *first + *count of a range of units; first_unit + units <= hb_header_units. */
void hb_header_units_range(const hb_header *header, uint64_t first_unit, uint64_t units, uint64_t *first,
                           uint64_t *count);
/* Returns how the table fills its ciphertexts. */
hb_packing hb_header_packing(const hb_header *header);
/* Returns whether a part is for the owner of a key, and not in the clear. */
static inline bool hb_part_has_receiver(const hb_part_facts *part)
{
    static const uint8_t none[HB_KEY_ID_BYTES];
    return memcmp(part->receiver, none, sizeof none) != 0;
}
/* Returns the components of a ciphertext: 2; those of a part in the clear: 1. */
static inline uint32_t hb_header_components(const hb_header *header)
{
    return header->part != NULL && !hb_part_has_receiver(header->part) ? 1 : 2;
}
/* Returns the components stored as rows: the other component of a seeded ciphertext is the expansion of its seed. */
uint32_t hb_header_stored(const hb_header *header);
/* Returns the stored bytes of one ciphertext. */
size_t hb_header_ciphertext_bytes(const hb_header *header);
/* Returns the stored bytes of all ciphertexts, of every plain modulus. */
uint64_t hb_header_stored_bytes(const hb_header *header);
/* Returns the bytes of a whole row of limb l, as it lies in memory. */
size_t hb_header_row_bytes(const hb_header *header, uint32_t limb);
/* Returns the unit size for a dataset of `ciphertexts` (README "units"): at most 16 MiB, and at least 64 units where
 * there are 64 ciphertexts; whole row blocks (hb_packing_across) where that leaves 16 units or more. A function of the
 * dataset alone. */
uint64_t hb_header_choose_unit(uint64_t ciphertexts, size_t ciphertext_bytes, uint64_t across);

/* Rows of consecutive ciphertexts in host memory. c0, c1: limb-major packed rows as hb_pack makes them, whole ones, of
 * this member's limbs; c1 NULL if seeded or of a part in the clear, seeds NULL if not seeded. Digests: one
 * hb_digest_row for each packed row of every limb, in the same order ([components stored][limbs][count][32]). Where
 * limbs are divided, each member reads and writes its own rows; all read the seeds; the member with limb 0 writes the
 * seeds and the sum. */
typedef struct hb_rows {
    uint64_t count;
    uint64_t limbs; /* bit l: has rows of limb l */
    hb_seed *seeds;
    uint8_t *c0, *c1;
} hb_rows;
#define HB_ROWS_ALL UINT64_MAX
/* Returns whether the rows include those of this limb. */
bool hb_rows_have(const hb_rows *rows, uint32_t limb);

/* Sum of a unit: BLAKE2b(person "hebatch unit", header digest, u, seeds if seeded, row digests of c0, of c1). */
void hb_unit_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_header *header,
                    const uint8_t header_digest[HB_DIGEST_BYTES], uint64_t u, const hb_rows *rows,
                    const uint8_t *row_digests);

/* Files in NAME.partial: the job's description of itself, for a job that continues it (jobs/output/resume.h). */
#define HB_JOB_NAME "job.json"
/* With a number after it: the sums so far (jobs/eval/sums.h). */
#define HB_SUMS_NAME "sums-"
/* With the number of a pass: the totals that later passes read (jobs/eval/totals_checkpoint.h). */
#define HB_TOTALS_NAME "totals-"
/* With numbers after it: the checkpoint of a step (jobs/eval/checkpoint/checkpoint.h). */
#define HB_CHECKPOINT_NAME "checkpoint-"
/* With the number of a rank: which values units were made of (jobs/output/values_log.h). */
#define HB_VALUES_NAME "values-"
/* In the folder of a part, also when it is complete: the session of its keys (io/joint/session_file.h), by whose cards
 * the signature is checked. */
#define HB_PART_SESSION_NAME "joint-session.h5"

/* A job's locks on NAME.partial (io/files/file_lock.h). The descriptors may be passed on; -1: none. */
typedef struct hb_hold {
    int folder; /* lock of the folder: on the rank that began or took it */
    int job;    /* lock of job.json, shared by all ranks: another job must wait until the last of them has ended */
} hb_hold;
#define HB_HOLD_NONE ((hb_hold){.folder = -1, .job = -1})
/* The remains of an ended job in NAME.partial that may be removed: nothing, only an empty folder, or everything. */
typedef enum hb_over { HB_OVER_NOTHING, HB_OVER_EMPTY, HB_OVER_ALL } hb_over;

/* The beginning of NAME.partial. */
typedef struct hb_begin {
    hb_over over;
    bool grows;      /* NAME exists, stays, and gets rows (hb_dataset_append) */
    const char *job; /* job.json, of `bytes` bytes */
    size_t bytes;
} hb_begin;
/* Rank 0, before any shard: makes the folder NAME.partial with this job.json. HB_ECREATE when NAME exists (unless it
 * grows, or with HB_OVER_ALL), when another job has NAME.partial, when there is an unfinished one that must not be
 * removed, and when the folder cannot be made: then nothing has changed. The caller releases *hold. */
hb_status hb_dataset_begin(const char *name, hb_begin how, hb_hold *hold);
/* Rank 0, instead of begin, for an existing NAME.partial. Decide only after this call whether to continue the job of
 * job.json, which is never replaced. HB_ENOINPUT: there is no NAME.partial; HB_ECREATE: another job has it. */
hb_status hb_dataset_take(const char *name, hb_hold *hold);
/* Returns HB_ECREATE where begin, or with `resume` take and continue, would fail now, so that a job fails before any
 * long work. Changes and promises nothing. */
hb_status hb_dataset_probe(const char *name, bool force, bool resume);
/* Does the same for NAME.partial alone; one that an ended job left is allowed if it `may_stay`. HB_ECREATE, HB_EIO,
 * HB_ENOMEM. */
hb_status hb_dataset_probe_partial(const char *name, bool may_stay);
/* Sets *held to whether a running job has NAME.partial, where the file system has locks. HB_ENOINPUT: there is no
 * job.json. */
hb_status hb_dataset_is_held(const char *name, bool *held);
/* The progress of NAME.partial, also while it is written: units of the whole (0: no shard is readable yet), units with
 * a sum, shards, and files with the names of shards that are unreadable. HB_ENOINPUT. */
typedef struct hb_dataset_state {
    uint64_t units, stored;
    uint32_t parts, unreadable;
} hb_dataset_state;
hb_status hb_dataset_look(const char *name, hb_dataset_state *state);
/* Returns HB_ECREATE when NAME exists; with `force` only when it is no dataset, which nothing replaces. For a job that
 * holds NAME.partial, before it goes on and before it gives NAME to it. */
hb_status hb_dataset_check_target(const char *name, bool force);
/* The other ranks, after rank 0: share its lock while they write. HB_ECREATE; HB_ENOINPUT: there is no NAME.partial,
 * and it does not come within ten seconds, as where a rank sees another folder. */
hb_status hb_dataset_join(const char *name, hb_hold *hold);
void hb_dataset_release(hb_hold *hold); /* HB_HOLD_NONE allowed */
/* Returns whether there is an empty NAME.partial: its job was killed before it could describe itself. */
bool hb_dataset_is_empty(const char *name);
/* Returns whether NAME.partial has all of a residue, of several: its index, which is written last, exists. */
bool hb_dataset_has_residue(const char *name, uint32_t residue);
/* Returns the bytes that shards first .. first + parts - 1 of a residue of NAME.partial already take on the disk. */
uint64_t hb_dataset_partial_bytes(const char *name, uint32_t residue, uint64_t first, uint32_t parts);

/* One shard for writing. Its file is open only between the first access and a sync or finish. Only create, join and
 * ensure call HDF5. Once one thread has opened the file (hb_shard_use), several may write and read different units at
 * the same time, and call reserve; only one thread at a time may make the other calls. */
typedef struct hb_shard_writer hb_shard_writer;
/* Makes shard number `part` (from 0) with units first_unit .. first_unit + units, in NAME.partial, at its full length,
 * on the disk. Rows and sums are written at fixed offsets later: everything else in the file is complete and never
 * changes, except the completion mark. HB_ECREATE when the file exists. */
hb_status hb_shard_create(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                          hb_shard_writer **out);
/* Opens the same shard, made before by this process, another or an earlier one. Any number of processes may write
 * different units of it. HB_ENOINPUT; HB_EDATA when it is damaged or not the file that create would make. */
hb_status hb_shard_join(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                        hb_shard_writer **out);
/* Joins, or creates where the file is missing or join returns HB_EDATA: then it removes the existing file. */
hb_status hb_shard_ensure(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                          hb_shard_writer **out);
/* Reserves the space of the whole file, as hb_reserve; beside any other call of any thread. HB_EIO. */
hb_status hb_shard_reserve(const hb_shard_writer *shard);
/* Opens the file for the following calls. HB_EIO. */
hb_status hb_shard_use(hb_shard_writer *shard);
/* Writes rows, of this member's limbs; the member with limb 0 then writes seeds and the sum, hb_unit_digest, never all
 * zeros; other members pass the same sum. Units come in any order, and may be written again. HB_EIO. */
hb_status hb_shard_write(hb_shard_writer *shard, uint64_t u, const hb_rows *rows, const uint8_t sum[HB_DIGEST_BYTES]);
/* Returns the sum of unit u: of the time when the shard was opened, or passed to write since; NULL: none. A unit is
 * finished when it has a sum that its rows match: then it does not matter in which order they reached the disk. */
const uint8_t *hb_shard_sum(const hb_shard_writer *shard, uint64_t u);
/* Reads the rows of unit u, finished or not, of the limbs in rows->limbs, and its seeds, into buffers of the right
 * size; sets rows->count. HB_EDATA, HB_EIO. */
hb_status hb_shard_read(hb_shard_writer *shard, uint64_t u, hb_rows *rows);
/* Brings everything that this process wrote to the disk, and closes the file. HB_EIO. */
hb_status hb_shard_sync(hb_shard_writer *shard);
/* One process, after all writers of the shard have synced: checks that every unit has a sum (HB_EINTERNAL), syncs,
 * stores the completion mark, syncs. A shard that has the mark may be finished again. */
hb_status hb_shard_finish(hb_shard_writer *shard);
void hb_shard_writer_close(hb_shard_writer *shard); /* NULL allowed; unfinished shards stay unmarked */

/* The ranks that open the same dataset at the same time, or make it. Who opens it looks at every count'th shard of a
 * folder, from shard `rank` on; count 0: at none. `agree` (as hb_agree) and `add`, which makes each word the sum of
 * those of all ranks, are collective; hb_dataset_tell and hb_made_shards_look alone call them. */
typedef struct hb_dataset_ranks {
    uint64_t rank, count;
    hb_status (*agree)(void *context, hb_status mine);
    hb_status (*add)(void *context, uint64_t *words, size_t count);
    void *context;
} hb_dataset_ranks;
/* A shard that a job has made, as its file says. */
typedef struct hb_made_shard {
    uint64_t first_unit, units, ciphertexts;
} hb_made_shard;
/* The shards that a job has made in NAME.partial. The caller sets the first three, and frees `words`. */
typedef struct hb_made_shards {
    uint64_t first_number, parts; /* number of the first; how many there are */
    uint64_t first_unit;          /* of the first: 0, or where a dataset grows */
    uint64_t *words;              /* [count] the memory of the two below, whose words ranks add up; owned */
    size_t count;
    hb_made_shard *shard;             /* [parts], in `words` */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* of all units from first_unit on, in `words` */
} hb_made_shards;
/* Reads back the shards, each on one of the ranks, which tell one another. Collective, after every shard is finished.
 * HB_EINTERNAL for one of another dataset; errors of opening and of the two functions. */
hb_status hb_made_shards_look(hb_made_shards *made, const char *name, const hb_header *header, hb_dataset_ranks ranks);
/* Signs a part: makes the owner's signature for a sum (hb_dataset_sum). */
typedef struct hb_part_signer {
    void (*sign)(void *context, const uint8_t sum[HB_DIGEST_BYTES], uint8_t signature[HB_SIGNATURE_BYTES]);
    void *context;
} hb_part_signer;
/* How a dataset gets its name; all of it is borrowed. */
typedef struct hb_committing {
    uint32_t parts;
    bool force;
    hb_summands summands;         /* of a sum of datasets: the index stores them, and theirs (hb_dataset_summands) */
    const hb_made_shards *made;   /* NULL: this rank looks at all of them */
    const hb_part_signer *signer; /* of a part; else NULL */
} hb_committing;
/* Rank 0, after every shard is finished: checks that shards 0 .. parts-1 tile the units, writes index.h5, syncs, and
 * renames NAME.partial, whose lock it holds, to NAME, without job.json. With `force` an existing NAME is replaced.
 * Several residues are made one after another; each has its own index, and only the last one is renamed. HB_EINTERNAL
 * for shards that do not fit together; HB_ECREATE, HB_EIO, HB_ENOMEM; errors of opening a shard. */
hb_status hb_dataset_commit_as(const char *name, const hb_header *header, const hb_committing *how);
static inline hb_status hb_dataset_commit(const char *name, const hb_header *header, uint32_t parts, bool force)
{
    return hb_dataset_commit_as(name, header, &(hb_committing){.parts = parts, .force = force});
}
/* Rank 0: removes NAME.partial, whose lock it holds, after a failure (only files that a dataset has). Errors are
 * ignored. */
void hb_dataset_abandon(const char *name);

typedef struct hb_dataset hb_dataset;
/* Opens a folder, of several residues the first, or one shard file on its own. Checks format, version, header digest,
 * counts against file sizes before it allocates by them, and that every shard exists, is complete and belongs to this
 * dataset. HB_ENOINPUT (missing, shard named), HB_EDATA. */
hb_status hb_dataset_open(const char *name, hb_dataset **out);
/* Opens one of several residues of a folder, counted from 0; where the folder has only one, or a shard is opened, that
 * one. The residue must belong to the same whole as the last residue. Rank-local: looks at this rank's shards alone. Of
 * the others it knows what the index says, which is all but the places of their rows. Before their rows are read, the
 * ranks agree that all of them have opened the dataset, and call hb_dataset_tell; a rank alone calls
 * hb_dataset_open_shards. Errors of hb_dataset_open. */
hb_status hb_dataset_open_among(const char *name, uint32_t residue, hb_dataset_ranks ranks, hb_dataset **out);
/* Opens a part of a decryption in the same way; the other functions refuse parts (HB_EDATA), and this one refuses
 * datasets. Who uses it checks the signature. */
hb_status hb_dataset_open_part(const char *name, uint32_t residue, hb_dataset_ranks ranks, hb_dataset **out);
/* Returns the signature of a part, [HB_SIGNATURE_BYTES], of its sum: that of all residues, where there are several. As
 * the index has it, nobody has checked it; zeros of a shard alone. */
const uint8_t *hb_dataset_signature(const hb_dataset *dataset);
/* Each rank tells all others where the rows of its shards are, of those that it has looked at. Collective, once all
 * have opened the same dataset with the same ranks, and looked at shards of the same units. HB_EDATA where ranks have
 * copies that are cut into other shards; HB_ENOMEM; errors of ranks.agree and ranks.add. */
hb_status hb_dataset_tell(hb_dataset *dataset, hb_dataset_ranks ranks);
/* Rank-local: looks at this rank's shards of units first .. first + units - 1, where it has not yet. No other thread
 * may use HDF5 meanwhile, or read these units. Errors of hb_dataset_open. */
hb_status hb_dataset_open_shards(hb_dataset *dataset, uint64_t first, uint64_t units, hb_dataset_ranks ranks);
void hb_dataset_close(hb_dataset *dataset);
const hb_header *hb_dataset_header(const hb_dataset *dataset);
/* Returns the units of an opened dataset: all units for a folder. */
void hb_dataset_units(const hb_dataset *dataset, uint64_t *first_unit, uint64_t *units);
uint32_t hb_dataset_parts(const hb_dataset *dataset);
/* Returns HB_EDATA naming `path`, which was opened, unless it has all units: a shard on its own would be taken for the
 * whole. */
hb_status hb_dataset_require_whole(const hb_dataset *dataset, const char *path);
/* Return the stored sum of unit u, and of the whole: BLAKE2b(person "hebatch data", header digest, sums of all units in
 * order). The sum of a folder of several residues covers all of them: (person "hebatch whole", those sums). */
const uint8_t *hb_dataset_unit_sum(const hb_dataset *dataset, uint64_t u);
void hb_dataset_sum(const hb_dataset *dataset, uint8_t sum[HB_DIGEST_BYTES]);
/* Tells the origin of the rows: a digest of the sum, of the header, and of the states of all files that have the rows
 * (io/files/file_state.h). Rows that were read after this and matched their sums are those of any dataset that is
 * opened later and has this origin. Returns false where a file cannot be looked at. */
bool hb_dataset_origin(const hb_dataset *dataset, uint8_t origin[HB_DIGEST_BYTES]);
/* Returns the summands of a dataset that was committed as a sum, and theirs; none for other datasets, and for a shard
 * alone. Borrowed until the dataset is closed. */
hb_summands hb_dataset_summands(const hb_dataset *dataset);
/* Returns the digest of the header that the sum of unit u includes: of the whole dataset; or, in a dataset that grew,
 * of the header when the unit was made. */
const uint8_t *hb_dataset_unit_header(const hb_dataset *dataset, uint64_t u);
/* Reads the rows of unit u, whose places are known, of the limbs in rows->limbs, and its seeds, into buffers of the
 * right size; sets rows->count. The caller, which has the engine, checks sums and reports a mismatch through
 * hb_dataset_mismatch. Up to 16 threads may read at the same time, each into its own rows. HB_EDATA, HB_EIO;
 * HB_ENOINPUT for a missing shard. */
hb_status hb_dataset_read(hb_dataset *dataset, uint64_t u, hb_rows *rows);
/* The place of rows that are appended to a dataset. They first fill the slots of its last row block that hold no row,
 * so that this block's ciphertexts, and their unit, are made anew. All units before it stay as they are, in their
 * shards. */
typedef struct hb_growth {
    uint64_t rows;       /* existing rows */
    bool shared;         /* the last row block has room for more rows */
    uint64_t kept;       /* ciphertexts that stay: all before that row block, or all */
    uint64_t first_unit; /* the first new unit: not all of its ciphertexts stay */
    uint64_t first_part; /* number of the first new shard */
} hb_growth;
/* Returns the growth of a dataset that was opened as a folder. */
hb_growth hb_dataset_growth(const hb_dataset *dataset);
/* Whether rows were appended before, by their keyed digest, in an index that anyone may read. Without a key, guesses of
 * the rows could be tested on a digest. Its first bytes name the secret key; zeros: no digest. Digests under different
 * keys, digests of older programs, and zeros cannot be compared. */
enum { HB_APPENDED_KEY_BYTES = 8 };
typedef enum hb_appended_before {
    HB_APPENDED_NEVER,   /* no table has as many rows, or the tables that have differ under the same key */
    HB_APPENDED_PERHAPS, /* a table has as many rows, and its digest cannot be compared with this one */
    HB_APPENDED_BEFORE   /* these rows */
} hb_appended_before;
/* Looks for `rows` rows with the digest `table`; sets *time, unless HB_APPENDED_NEVER, to the last time when they came,
 * in seconds since 1970. */
hb_appended_before hb_dataset_was_appended(const hb_dataset *dataset, const uint8_t table[HB_DIGEST_BYTES],
                                           uint64_t rows, uint64_t *time);
/* Returns whether a folder was opened: a shard on its own does not grow. */
bool hb_dataset_is_folder(const hb_dataset *dataset);
/* Returns whether the dataset tells of other parties than the maker and the owner of one key (HB_FORMAT_PARTIES). */
static inline bool hb_header_tells_parties(const hb_header *header)
{
    return hb_spec_owners(&header->spec) > 1 || header->past.steps > 0;
}
/* Gives the header the layout version of a dataset that grew, whose shards may have headers of another time. */
static inline void hb_header_set_grown(hb_header *header)
{
    const bool gap = header->schema.threshold_gap > 0;
    const bool left_out = header->schema.left_out.rows > 0 || header->schema.total_left_out > 0;
    header->version = hb_header_tells_parties(header)        ? HB_FORMAT_PARTIES
                      : hb_schema_has_fills(&header->schema) ? HB_FORMAT_FILLS
                      : hb_schema_masks(&header->schema) > 0 ? HB_FORMAT_MASKS
                      : gap                                  ? HB_FORMAT_GAP
                      : left_out                             ? HB_FORMAT_LEFT_OUT
                                                             : HB_FORMAT_GROWN;
}
/* Returns HB_ECREATE unless NAME still is the dataset that was opened as `old`; HB_ENOINPUT, naming it, where a shard
 * is missing; HB_EDATA, HB_ENOMEM. For a job that holds NAME.partial this stays true until it releases it. */
hb_status hb_dataset_require_current(const char *name, const hb_dataset *old);
/* The arguments of hb_dataset_append: the open dataset, its growth, and the number of shards in NAME.partial. */
typedef struct hb_growing {
    const hb_dataset *old;
    hb_growth growth;
    uint32_t parts;
    uint8_t table[HB_DIGEST_BYTES]; /* digest of the new rows (hb_dataset_was_appended), which the index stores */
    const hb_made_shards *made;     /* NULL: this rank looks at all of them */
} hb_growing;
/* Rank 0, instead of commit, after every shard is finished. Moves shards first_part .. of NAME.partial, whose lock it
 * holds, into NAME; they have the units from first_unit on under this header. Then it replaces the index in one step.
 * Whenever it is interrupted, NAME is either the old dataset or the one with all rows. The header's `version` is that
 * of hb_header_set_grown. Processes that have the old dataset open read on: shards that are not needed any more stay
 * until the next append. HB_ECREATE when NAME is no longer the dataset that was opened; HB_EIO, HB_ENOMEM. */
hb_status hb_dataset_append(const char *name, const hb_header *header, const hb_growing *growing);
/* Returns HB_EDATA naming the shard file and the ciphertexts of unit u. */
hb_status hb_dataset_mismatch(const hb_dataset *dataset, uint64_t u);
/* Returns HB_EDATA naming unit u, whose sum matches, but some of whose residues are not below their prime. */
hb_status hb_dataset_out_of_range(const hb_dataset *dataset, uint64_t u, size_t residues);

#endif
