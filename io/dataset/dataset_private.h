/* What the files of a dataset share: the header in HDF5, one shard as a reader sees it, the index. */
#ifndef HB_IO_DATASET_DATASET_PRIVATE_H
#define HB_IO_DATASET_DATASET_PRIVATE_H

#include <pthread.h>

#include "dataset.h"
#include "io/h5/format.h"
#include "io/h5/h5.h"

#define HB_INDEX_NAME "index.h5"
#define HB_MAX_PARTS ((uint64_t)1 << 20)
#define HB_MAX_NUMBER ((uint64_t)1 << 32) /* above those in names of shards */

/* HB_ECREATE when `path` is there and may not be replaced (begin.c). */
hb_status hb_dataset_check_target(const char *path, bool force);

/* HB_EDATA when the counts contradict each other or are out of their ranges. `path` is for the message. */
hb_status hb_header_check(const hb_header *header, const char *path);
/* Of the layout that stores it. */
uint32_t hb_header_version(const hb_header *header);
/* Who made the ciphertexts, as files say it: with the secret key, the public key, by computing, by another program. */
enum { HB_FILE_SECRET_KEY, HB_FILE_PUBLIC_KEY, HB_FILE_EVALUATION, HB_FILE_IMPORT, HB_FILE_MAKERS };
uint32_t hb_header_made(const hb_header *header);

/* Root attributes, /params, /table and the group /ct, which is left open for the rows. */
hb_status hb_header_put(hid_t file, const hb_header *header, hid_t *ct);
/* Reads and checks all of it; the digest is recomputed and compared. The caller clears *header. */
hb_status hb_header_get(hid_t file, const char *path, uint64_t file_bytes, hb_header *header,
                        uint8_t digest[HB_DIGEST_BYTES]);

/* What the attribute `stray` says: 0, 1 of dirty padding, 2 of a row in the place of every row. */
enum { HB_STRAY_FILLED = 2 };
static inline uint64_t hb_header_stray(const hb_header *header)
{
    return header->filled ? HB_STRAY_FILLED : header->dirty_padding;
}

/* What version 3 says of the ciphertexts in group /ct: scheme, form, who made them, their quality (header_made_h5.c).
 * Put needs all but the columns of the header; get fills form, scale, capacity, made_by, quality, noise_assumed,
 * dirty_padding and filled, after spec and seeded are set. */
hb_status hb_made_put(hid_t group, const hb_header *header);
hb_status hb_made_get(hid_t group, const char *path, hb_header *header);
/* Ciphertexts of more are as good as of so many: their noise is far above any modulus. */
#define HB_MOST_NOISE_POWERS (1u << 16)
/* Bounds of noise, in every version that has them. HB_EDATA. */
hb_status hb_noise_get(hid_t group, const char *path, hb_header *header);

/* Signs, names and, from version 3, ranges of a table's columns and which halves hold them, in group /table
 * (header_columns_h5.c). Get: schema has rows, columns and whether they are named; fills its columns. */
uint32_t hb_columns_datasets(const hb_schema *schema); /* that put makes, at most */
hb_status hb_columns_put(hid_t group, const hb_schema *schema);
hb_status hb_columns_get(hid_t group, const char *path, uint64_t file_bytes, uint32_t version, hb_schema *schema);

/* What totals of groups stand for, in group /table/groups; NULL: nothing is stored (header_grouping_h5.c). Get: the
 * schema has its columns; its grouping is checked with the header. */
uint32_t hb_grouping_datasets(const hb_grouping *grouping); /* that put makes, at most, with what the group takes */
hb_status hb_grouping_put(hid_t table, const hb_grouping *grouping);
hb_status hb_grouping_get(hid_t table, const char *path, uint64_t file_bytes, hb_schema *schema);

#define HB_ROWS_NAME 16
#define HB_PART_NAME 24
/* "c0/q07": the dataset of component c, limb l, in group /ct. Seeds are "seed". */
void hb_rows_name(char name[HB_ROWS_NAME], uint32_t component, uint32_t limb);
/* "part-00007.h5", of a residue behind the first "part-1-00007.h5"; part < 2^32. */
void hb_part_name(char name[HB_PART_NAME], uint32_t residue, uint64_t part);
/* NAME/part-00007.h5, allocated. */
hb_status hb_shard_path(const char *folder, uint32_t residue, uint64_t part, char **path);
/* NAME/index.h5, or, of a residue behind the first, NAME/index-1.h5; allocated. */
hb_status hb_index_path(const char *folder, uint32_t residue, char **path);

typedef struct hb_shard {
    char *path; /* owned */
    uint64_t first_unit, units;
    uint64_t first, count;             /* ciphertexts */
    uint64_t seeds;                    /* offset in the file */
    uint64_t offsets[2][HB_MAX_LIMBS]; /* of rows, by component and limb */
    uint64_t sums_offset;
    bool complete;                    /* as the file says; of one that was opened */
    uint8_t header[HB_DIGEST_BYTES];  /* digest of its own header, under which its sums are */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [units], owned */
} hb_shard;

/* Opens a shard, checks it, and closes it again: *shard has what reading its rows needs. The caller clears *header and
 * *shard, also after a failure. Open takes complete shards only, inspect also those of an unfinished job. */
hb_status hb_shard_open(const char *path, hb_header *header, uint8_t digest[HB_DIGEST_BYTES], hb_shard *shard);
hb_status hb_shard_inspect(const char *path, hb_header *header, uint8_t digest[HB_DIGEST_BYTES], hb_shard *shard);
void hb_shard_clear(hb_shard *shard);
/* Places of the rows and sums of a shard that is open, whose path, units and ciphertexts are set. */
hb_status hb_shard_locate(hid_t file, const hb_header *header, uint64_t file_bytes, hb_shard *shard);
/* Rows of unit u, which the shard has, of the limbs that rows->limbs says, and its seeds; sets rows->count. */
hb_status hb_shard_read_rows(int fd, const hb_header *header, const hb_shard *shard, uint64_t u, hb_rows *rows);

/* Bytes of a shard's file that the completion mark changes: both ways. */
typedef struct hb_shard_mark {
    uint8_t *unset, *set; /* [bytes], owned */
    size_t bytes;
    uint64_t offset;
} hb_shard_mark;
void hb_shard_mark_clear(hb_shard_mark *mark);
/* The file of a shard before any unit is written, whose path, units and ciphertexts are set; sets its places. The
 * caller clears *image and *mark. */
hb_status hb_shard_make(const hb_header *header, hb_shard *shard, hb_h5_image *image, hb_shard_mark *mark);

/* shard_begin.c makes it, shard_write.c uses it. */
struct hb_shard_writer {
    hb_header header; /* without the columns of its schema */
    hb_shard shard;
    hb_shard_mark mark;  /* what completes the file */
    uint64_t file_bytes; /* its length */
    int fd;              /* -1: closed; a process may have thousands of shards to write */
};
void hb_shard_close_file(hb_shard_writer *writer);

typedef struct hb_index {
    hb_header header;
    uint8_t digest[HB_DIGEST_BYTES];
    uint64_t parts;
    uint64_t *first_unit, *units;     /* [parts]; of a dataset that grew a shard may hold more units behind these */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [hb_header_units] */
    /* Of a dataset that grew, else NULL: [parts] the number in the name of each shard, the digest of its own header,
     * and how many ciphertexts it holds, which is needed to write. */
    uint64_t *number, *held;
    uint8_t (*headers)[HB_DIGEST_BYTES];
    /* Of the last one of several residues: data_sum of the index of each; else not used. */
    uint8_t residue_sums[HB_MOST_RESIDUES][HB_DIGEST_BYTES];
    hb_summands summands; /* of a sum of datasets: what it has been made of */
} hb_index;

/* Synced, and its folder. */
hb_status hb_index_write(const char *path, const hb_index *index);
/* Also checks that the shards named tile the units. The caller clears *index, also after a failure. */
hb_status hb_index_read(const char *path, hb_index *index);
void hb_index_clear(hb_index *index);
/* The number in the name of shard p. */
uint64_t hb_index_number(const hb_index *index, uint64_t p);
/* Whether this index has the sums of all residues: that of the last of several. */
bool hb_index_is_last(const hb_header *header);

/* Shards that are open, some at a time: there may be thousands, and several threads read. */
enum { HB_SHARD_FILES = 16 };
typedef struct hb_shard_file {
    uint64_t shard;
    int fd; /* -1: none */
    uint32_t readers;
} hb_shard_file;
typedef struct hb_shard_files {
    pthread_mutex_t lock; /* over what follows */
    hb_shard_file file[HB_SHARD_FILES];
    uint32_t turn; /* of the file that is closed next */
} hb_shard_files;
void hb_shard_files_init(hb_shard_files *files);
void hb_shard_files_clear(hb_shard_files *files);

struct hb_dataset {
    hb_header header;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_shard *shards; /* [parts], in order of units */
    uint64_t parts;
    bool is_folder;                   /* not a shard on its own */
    uint64_t next_number;             /* of a folder: behind those in the names of its shards */
    uint64_t first_unit, units;       /* that are here */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [units] */
    bool joined;                      /* one of several residues, of a whole folder: this is the sum of them all */
    uint8_t whole[HB_DIGEST_BYTES];
    hb_summands summands;
    hb_shard_files files;
};

/* The shard that holds unit u: the last one that begins at or before it and is not empty. */
uint64_t hb_dataset_shard_of(const hb_dataset *dataset, uint64_t u);

/* BLAKE2b(person "hebatch data", header digest, sums); sums: [units][HB_DIGEST_BYTES]. */
void hb_data_digest(uint8_t digest[HB_DIGEST_BYTES], const uint8_t header_digest[HB_DIGEST_BYTES], const uint8_t *sums,
                    uint64_t units);
/* BLAKE2b(person "hebatch summands", data_sum of the index, whether its summands are traced, these). */
void hb_summands_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_index *index);

#endif
