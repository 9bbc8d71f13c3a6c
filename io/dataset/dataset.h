/* Ciphertext datasets on disk: a folder NAME.heb of shards, each an HDF5 file written by one process, and an index that
 * shows them as one logical dataset (layout: io/README.md). Rank-local; the job orders the ranks.
 *
 * A unit is `unit` consecutive ciphertexts (the last may be shorter): what is read, computed, written and checksummed
 * at a time. Units, and so every byte of the logical dataset, do not depend on the number of ranks or shards. */
#ifndef HB_IO_DATASET_DATASET_H
#define HB_IO_DATASET_DATASET_H

#include "base/digest.h"
#include "io/base/packing.h"
#include "io/base/schema.h"
#include "rlwe/codec.h"
#include "rlwe/keys.h"
#include "rlwe/quality.h"

/* Who made the ciphertexts. */
typedef enum hb_maker {
    HB_MADE_FRESH,     /* encrypted here, with the secret key if they are seeded, else with the public one */
    HB_MADE_EVALUATED, /* computed from ciphertexts */
    HB_MADE_IMPORTED   /* of another program */
} hb_maker;

/* What a sum of datasets is made of. */
typedef struct hb_summands {
    uint8_t (*sum)[HB_DIGEST_BYTES]; /* [count] hb_dataset_sum of each, and of what it is a sum of itself */
    uint64_t count;
    bool traced; /* none was computed, but for sums whose own summands are traced: nothing else is in it */
} hb_summands;

/* What the dataset is, apart from its rows. Stored in every shard and in the index, under one digest. What values its
 * columns hold is in the schema. */
typedef struct hb_header {
    uint32_t version; /* layout of the files that it was read from; 0: the one that is written now */
    hb_params_spec spec;
    uint8_t key_id[HB_KEY_ID_BYTES];
    uint32_t limbs;      /* of every ciphertext */
    uint32_t components; /* 2 */
    bool seeded;         /* component 1 is a 32-byte public seed a ciphertext; only of fresh ones */
    hb_maker made_by;
    hb_quality quality; /* bounds as files store them (hb_header_quality); unused of fresh ones: see hb_quality_fresh */
    double approximate; /* what of them comes of functions that were approximated: values miss theirs by no more */
    bool noise_assumed; /* the bounds are not proven: whoever made the ciphertexts was believed */
    bool dirty_padding; /* slots that hold no cell of the table may not be 0 */
    bool filled;        /* and those of its only row stand in the place of every row */
    hb_encoding encoding;
    hb_cell_type cells; /* of the table, so of all columns */
    hb_form form;       /* of the rows of ciphertexts */
    double scale;       /* what values are multiplied by in ciphertexts of these limbs; 0: the scheme has no scale */
    uint64_t capacity;  /* values that a ciphertext holds */
    hb_packing_order order;
    uint64_t block;       /* slots of a row, by rows (hb_packing); 0: rows have no blocks */
    hb_schema schema;     /* owned */
    uint64_t ciphertexts; /* of the whole dataset; follows from schema and order, checked */
    uint64_t unit;        /* ciphertexts a unit, >= 1 */
} hb_header;

void hb_header_clear(hb_header *header);
/* Makes the header that of values in ciphertexts of these parameters, encoded so: sets both, and cells, form, capacity
 * and, once the limbs are known, the scale as the scheme has them. */
void hb_header_set_scheme(hb_header *header, const hb_params_spec *spec, hb_encoding encoding);
/* Makes the header that of ciphertexts with these bounds, rounded up to what a file can store: evaluated ones, unless
 * made_by says that they are imported. */
void hb_header_quality(hb_header *header, hb_quality quality);
/* "integer" or "real", "coefficient" or "ntt": what files and reports call its cells and its form. */
const char *hb_header_cells_word(const hb_header *header);
const char *hb_header_form_word(const hb_header *header);
/* Identity of everything above (BLAKE2b, person "hebatch header"). */
void hb_header_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_header *header);
uint64_t hb_header_units(const hb_header *header);
/* Unit u covers ciphertexts *first .. *first + *count. */
void hb_header_unit_range(const hb_header *header, uint64_t u, uint64_t *first, uint64_t *count);
/* Ciphertexts *first .. *first + *count of a range of units; first_unit + units <= hb_header_units. */
void hb_header_units_range(const hb_header *header, uint64_t first_unit, uint64_t units, uint64_t *first,
                           uint64_t *count);
/* How its table fills its ciphertexts. */
hb_packing hb_header_packing(const hb_header *header);
/* Components stored as rows: of a seeded ciphertext the other is what its seed expands to. */
uint32_t hb_header_stored(const hb_header *header);
/* Stored bytes of one ciphertext; of one row of limb l. */
size_t hb_header_ciphertext_bytes(const hb_header *header);
size_t hb_header_row_bytes(const hb_header *header, uint32_t limb);
/* The unit size for a dataset of `ciphertexts` (README "units"): at most 16 MiB, at least 64 units where there are 64
 * ciphertexts, but whole row blocks (hb_packing_across) where 16 units or more are left. A function of the dataset
 * alone. */
uint64_t hb_header_choose_unit(uint64_t ciphertexts, size_t ciphertext_bytes, uint64_t across);

/* Rows of consecutive ciphertexts in host memory. c0, c1: limb-major packed rows as hb_pack makes them, of the limbs
 * that are here; c1 NULL if seeded, seeds NULL if not. Digests: one hb_digest_row a packed row of every limb, same
 * order ([components stored][limbs][count][32]). Where limbs are divided, each member reads and writes its own rows;
 * all read the seeds, the one with limb 0 writes them, and the sum. */
typedef struct hb_rows {
    uint64_t count;
    uint64_t limbs; /* bit l: rows of limb l are here */
    hb_seed *seeds;
    uint8_t *c0, *c1;
} hb_rows;
#define HB_ROWS_ALL UINT64_MAX
bool hb_rows_have(const hb_rows *rows, uint32_t limb);

/* Sum of a unit: BLAKE2b(person "hebatch unit", header digest, u, seeds if seeded, row digests of c0, of c1). */
void hb_unit_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_header *header,
                    const uint8_t header_digest[HB_DIGEST_BYTES], uint64_t u, const hb_rows *rows,
                    const uint8_t *row_digests);

/* What the job that makes NAME.partial keeps there about itself, for one that continues it (jobs/output/resume.h). */
#define HB_JOB_NAME "job.json"
/* And, with a number behind it, what it has added up (jobs/eval/sums.h). */
#define HB_SUMS_NAME "sums-"
/* And, with the number of a pass, the totals that later ones read (jobs/eval/totals_checkpoint.h). */
#define HB_TOTALS_NAME "totals-"
/* And, with numbers behind it, the checkpoint of a step (jobs/eval/checkpoint.h). */
#define HB_CHECKPOINT_NAME "checkpoint-"

/* NAME.partial as a job has it to itself (io/base/claim.h). The descriptors may be passed over; -1: none. */
typedef struct hb_hold {
    int folder; /* its lock: on the rank that began or took it */
    int job;    /* the lock of job.json, which all ranks share: no other job comes before the last of them has ended */
} hb_hold;
#define HB_HOLD_NONE ((hb_hold){.folder = -1, .job = -1})
/* What a job that has ended left as NAME.partial, and may go: what is to be continued, nothing but an empty folder, or
 * all. */
typedef enum hb_over { HB_OVER_NOTHING, HB_OVER_EMPTY, HB_OVER_ALL } hb_over;

/* How NAME.partial begins. */
typedef struct hb_begin {
    hb_over over;
    bool grows;      /* NAME is there, stays, and gets rows (hb_dataset_append) */
    const char *job; /* job.json, of `bytes` bytes */
    size_t bytes;
} hb_begin;
/* Rank 0, before any shard: makes the folder NAME.partial with this job.json. HB_ECREATE when NAME exists (unless it
 * grows, or with HB_OVER_ALL), when another job has NAME.partial or an unfinished one may not go, and when it cannot be
 * made: then nothing has changed. The caller releases *hold. */
hb_status hb_dataset_begin(const char *name, hb_begin how, hb_hold *hold);
/* Rank 0, instead of begin, when NAME.partial is there and stays. job.json may only be looked at for what to continue
 * once it has been taken, and is never replaced. HB_ENOINPUT: it is not there; HB_ECREATE: another job has it. */
hb_status hb_dataset_take(const char *name, hb_hold *hold);
/* Touches nothing, and promises nothing: HB_ECREATE for what begin, or with `resume` take and continue, would refuse
 * now, so that it is refused before anything that takes long. */
hb_status hb_dataset_probe(const char *name, bool force, bool resume);
/* The same of NAME.partial alone, which may be there, left by a job that has ended, if it `may_stay`. */
hb_status hb_dataset_probe_partial(const char *name, bool may_stay);
/* Whether a job that runs has NAME.partial now, where the file system has locks. HB_ENOINPUT: there is no job.json. */
hb_status hb_dataset_is_held(const char *name, bool *held);
/* How far NAME.partial is, also while it is written: units of the whole (0: no shard can be read yet), those that have
 * a sum, shards, and files that should be shards and cannot be read. HB_ENOINPUT. */
typedef struct hb_dataset_state {
    uint64_t units, stored;
    uint32_t parts, unreadable;
} hb_dataset_state;
hb_status hb_dataset_look(const char *name, hb_dataset_state *state);
/* After take: HB_ECREATE when NAME exists (unless force). */
hb_status hb_dataset_continue(const char *name, bool force);
/* The other ranks, after rank 0: hold what it holds as long as they write. HB_ECREATE; HB_ENOINPUT: it is not there, as
 * where a rank has another folder. */
hb_status hb_dataset_join(const char *name, hb_hold *hold);
void hb_dataset_release(hb_hold *hold); /* HB_HOLD_NONE allowed */
/* There is a NAME.partial that holds nothing: a job was killed before it could say what it makes. */
bool hb_dataset_is_empty(const char *name);
/* Whether NAME.partial has all of a residue, of several: its index is there, which is written last. */
bool hb_dataset_has_residue(const char *name, uint32_t residue);
/* Bytes that shards first .. first + parts - 1 of a residue of NAME.partial take on the disk already. */
uint64_t hb_dataset_partial_bytes(const char *name, uint32_t residue, uint64_t first, uint32_t parts);

/* One shard for writing. Its file is open only between the first access and a sync or finish. HDF5 is called by create,
 * join and ensure alone. Threads may write and read different units at the same time once one of them has opened the
 * file (hb_shard_use); the other calls are for one at a time, and reserve. */
typedef struct hb_shard_writer hb_shard_writer;
/* Shard number `part` (from 0) of units first_unit .. first_unit + units, in NAME.partial, at its full length, on the
 * disk. Rows and sums are written at fixed offsets: all else in the file is there and never changes, but for the
 * completion mark. HB_ECREATE when it is there already. */
hb_status hb_shard_create(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                          hb_shard_writer **out);
/* The same shard, made before: by this process, another or an earlier one. Any number of processes may write different
 * units of it. HB_ENOINPUT; HB_EDATA when it is damaged or not what create would make here. */
hb_status hb_shard_join(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                        hb_shard_writer **out);
/* Join, or create where it is missing or join says HB_EDATA: then what was there is removed. */
hb_status hb_shard_ensure(const char *name, const hb_header *header, uint32_t part, uint64_t first_unit, uint64_t units,
                          hb_shard_writer **out);
/* Takes the space of the whole file, as hb_reserve; beside any other call of any thread. */
hb_status hb_shard_reserve(const hb_shard_writer *shard);
/* Opens the file for the calls that follow. */
hb_status hb_shard_use(hb_shard_writer *shard);
/* Rows, of the limbs that are here, then, with limb 0, seeds and the sum, hb_unit_digest, never all zeros; who has
 * another limb passes the same sum. Units in any order, also again. */
hb_status hb_shard_write(hb_shard_writer *shard, uint64_t u, const hb_rows *rows, const uint8_t sum[HB_DIGEST_BYTES]);
/* Sum of unit u as it was when the shard was opened, or passed to write since; NULL: none. A unit is finished when it
 * has a sum and its rows have the same: then nothing matters about the order in which they reached the disk. */
const uint8_t *hb_shard_sum(const hb_shard_writer *shard, uint64_t u);
/* Rows of unit u, finished or not, of the limbs that rows->limbs says, and its seeds, into buffers of the right size;
 * sets rows->count. */
hb_status hb_shard_read(hb_shard_writer *shard, uint64_t u, hb_rows *rows);
/* What this process wrote is on the disk; closes the file. */
hb_status hb_shard_sync(hb_shard_writer *shard);
/* One process, after all that wrote to the shard have synced: checks that every unit has a sum (HB_EINTERNAL), syncs,
 * stores the completion mark, syncs. Also of a shard that has it. */
hb_status hb_shard_finish(hb_shard_writer *shard);
void hb_shard_writer_close(hb_shard_writer *shard); /* NULL allowed; unfinished shards stay unmarked */

/* Rank 0, after every shard is finished: checks that shards 0 .. parts-1 tile the units, writes index.h5, syncs, and
 * renames NAME.partial, which it holds, to NAME, without job.json. With `force` an existing NAME is replaced. Of
 * several residues, which are made one after another, each has an index of its own, and the last one does the rest. */
hb_status hb_dataset_commit(const char *name, const hb_header *header, uint32_t parts, bool force);
/* The same of a sum of datasets: the index names these, and what they are sums of (hb_dataset_summands). */
hb_status hb_dataset_commit_sum(const char *name, const hb_header *header, uint32_t parts, hb_summands summands,
                                bool force);
/* Rank 0: removes NAME.partial, which it holds, after a failure (only files that a dataset has). Errors are ignored. */
void hb_dataset_abandon(const char *name);

typedef struct hb_dataset hb_dataset;
/* Opens a folder, or one shard file on its own. Checks format, version, header digest, counts against file sizes before
 * anything is allocated by them, and that every shard is there, complete and of this dataset. HB_ENOINPUT (missing,
 * shard named), HB_EDATA. */
hb_status hb_dataset_open(const char *name, hb_dataset **out);
/* The same of one of several residues of a folder, counted from 0: where the folder has but one, and where a shard is
 * opened, that one. It must be of the same whole as the last residue. */
hb_status hb_dataset_open_residue(const char *name, uint32_t residue, hb_dataset **out);
void hb_dataset_close(hb_dataset *dataset);
const hb_header *hb_dataset_header(const hb_dataset *dataset);
/* Units that are here: all of them for a folder. */
void hb_dataset_units(const hb_dataset *dataset, uint64_t *first_unit, uint64_t *units);
uint32_t hb_dataset_parts(const hb_dataset *dataset);
/* HB_EDATA naming `path`, which was opened, unless all units are here: a shard on its own would be taken for the
 * whole. */
hb_status hb_dataset_require_whole(const hb_dataset *dataset, const char *path);
/* Stored sum of unit u, and of the whole: BLAKE2b(person "hebatch data", header digest, sums of all units in order); of
 * several residues in a folder, of all of them: (person "hebatch whole", those sums). */
const uint8_t *hb_dataset_unit_sum(const hb_dataset *dataset, uint64_t u);
void hb_dataset_sum(const hb_dataset *dataset, uint8_t sum[HB_DIGEST_BYTES]);
/* The datasets that it was committed as a sum of, and what these are sums of; none of others, and of a shard alone.
 * Borrowed until the dataset is closed. */
hb_summands hb_dataset_summands(const hb_dataset *dataset);
/* Digest of the header under which the sum of unit u is: that of the whole, or, of a dataset that grew, of the time
 * when the unit was made. */
const uint8_t *hb_dataset_unit_header(const hb_dataset *dataset, uint64_t u);
/* Reads the rows of unit u, of the limbs that rows->limbs says, and its seeds into buffers of the right size; sets
 * rows->count. Sums are checked by the caller, who has the engine: a mismatch is reported through hb_dataset_mismatch.
 * Up to 16 threads may read at the same time, each into rows of its own. */
hb_status hb_dataset_read(hb_dataset *dataset, uint64_t u, hb_rows *rows);
/* Where rows go that are to stand behind those of a dataset. Slots of its last row block that hold no row are filled
 * first, so that its ciphertexts are made anew, and with them the unit in which they lie; all units before it stay as
 * they are, in their shards. */
typedef struct hb_growth {
    uint64_t rows;       /* that are there */
    bool shared;         /* the last row block has room for more of them */
    uint64_t kept;       /* ciphertexts that stay: those before that row block, or all */
    uint64_t first_unit; /* the first that is made: not all of its ciphertexts stay */
    uint64_t first_part; /* number of the first shard that is made */
} hb_growth;
/* Of a dataset that was opened as a folder. */
hb_growth hb_dataset_growth(const hb_dataset *dataset);
/* Whether it was: a shard on its own does not grow. */
bool hb_dataset_is_folder(const hb_dataset *dataset);
/* Makes the header that of a dataset that grew: of the layout which shards of another time may have a part in. */
void hb_header_set_grown(hb_header *header);
/* Returns HB_ECREATE unless NAME still is the dataset that was opened as `old`; HB_EDATA, HB_ENOINPUT, HB_ENOMEM. What
 * a job finds that holds NAME.partial stays so until it lets go of that. */
hb_status hb_dataset_require_current(const char *name, const hb_dataset *old);
/* What hb_dataset_append needs to know: the dataset, opened, its growth, and how many shards NAME.partial has. */
typedef struct hb_growing {
    const hb_dataset *old;
    hb_growth growth;
    uint32_t parts;
} hb_growing;
/* Rank 0, instead of commit, after every shard is finished: shards first_part .. of NAME.partial, which it holds, with
 * the units from first_unit on under this header, get their places in NAME, and then, in one step, the index that names
 * them. Whenever that is interrupted, NAME is the dataset that it was, or the one with all rows. Its `version` is
 * HB_FORMAT_GROWN. Whoever has the old one open reads on: shards that are not needed any more stay until the next
 * append. HB_ECREATE when NAME is not the dataset that was opened any more; HB_EIO, HB_ENOMEM. */
hb_status hb_dataset_append(const char *name, const hb_header *header, const hb_growing *growing);
/* HB_EDATA naming the shard file and the ciphertexts of unit u. */
hb_status hb_dataset_mismatch(const hb_dataset *dataset, uint64_t u);
/* HB_EDATA naming unit u, whose sum holds, but some of whose residues are not below their prime. */
hb_status hb_dataset_out_of_range(const hb_dataset *dataset, uint64_t u, size_t residues);

#endif
