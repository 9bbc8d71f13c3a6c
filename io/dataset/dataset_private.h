/* Declarations shared by the files of a dataset: the header in HDF5, one shard for reading, the index.
 *
 * Errors of reading are HB_EDATA, which names the file, for a group, attribute or number that is missing, of another
 * form or out of range, and HB_ENOMEM; of a file that is opened also HB_ENOINPUT where it is missing, and HB_EIO.
 * Errors of writing into a file in memory are HB_EIO, HB_ENOMEM, and HB_EINTERNAL where HDF5 does not do as it is told.
 */
#ifndef HB_IO_DATASET_DATASET_PRIVATE_H
#define HB_IO_DATASET_DATASET_PRIVATE_H

#include <pthread.h>

#include "dataset.h"
#include "io/h5/h5.h"

#define HB_INDEX_NAME "index.h5"
#define HB_MAX_PARTS ((uint64_t)1 << 20)
#define HB_MAX_NUMBER ((uint64_t)1 << 32) /* above those in names of shards */

/* Returns HB_EDATA when the counts contradict each other or are out of range. `path` is for the message. */
hb_status hb_header_check(const hb_header *header, const char *path);
/* Returns the version of the layout that stores this header. */
uint32_t hb_header_version(const hb_header *header);
/* The origin of the ciphertexts in files: encrypted with the secret key, or the public key; computed; made by another
 * program. */
enum { HB_FILE_SECRET_KEY, HB_FILE_PUBLIC_KEY, HB_FILE_EVALUATION, HB_FILE_IMPORT, HB_FILE_MAKERS };
uint32_t hb_header_made(const hb_header *header);

/* Writes root attributes, /params, /table and the group /ct, which stays open for the rows. Errors of writing. */
hb_status hb_header_put(hid_t file, const hb_header *header, hid_t *ct);
/* Reads and checks all of it; recomputes and compares the digest. The caller clears *header. Errors of
 * reading; HB_EDATA also for another digest. */
hb_status hb_header_get(hid_t file, const char *path, uint64_t file_bytes, hb_header *header,
                        uint8_t digest[HB_DIGEST_BYTES]);

/* Values of the attribute `stray`: 0; 1: dirty padding; 2: a row in the place of every row. */
enum { HB_STRAY_FILLED = 2 };
/* How certain bounds of noise are: their words in files, and their numbers in digests. */
typedef enum hb_noise_source {
    HB_SOURCE_PROVEN = 0,
    HB_SOURCE_ASSUMED = 1, /* whatever else they rest on */
    HB_SOURCE_DRAWN = 2,
    HB_SOURCE_LIKELY = 3,
    HB_SOURCES /* their number */
} hb_noise_source;
static inline hb_noise_source hb_header_source(const hb_header *header)
{
    static const hb_noise_source sources[] = {[HB_CERTAINTY_PROVEN] = HB_SOURCE_PROVEN,
                                              [HB_CERTAINTY_DRAWN] = HB_SOURCE_DRAWN,
                                              [HB_CERTAINTY_EXPECTED] = HB_SOURCE_LIKELY};
    return header->noise_assumed ? HB_SOURCE_ASSUMED : sources[header->quality.certainty];
}
static inline uint64_t hb_header_stray(const hb_header *header)
{
    return header->filled ? HB_STRAY_FILLED : header->dirty_padding;
}

/* The most bits of a distance that noise of 62 bits gives, rounded up. */
#define HB_MOST_SANITIZED 64

/* The most bits of noise that are stored: ciphertexts with more are as good, as the noise is far above any modulus. */
#define HB_MOST_NOISE_POWERS (1u << 16)

/* Signs, names and, from version 3, ranges of a table's columns and the parts that hold them, in group /table
 * (header_columns_h5.c). Get: schema has rows, columns and whether they are named; fills its columns. Errors of writing
 * and of reading. */
uint32_t hb_columns_datasets(const hb_schema *schema); /* datasets that put makes, at most */
hb_status hb_columns_put(hid_t group, const hb_schema *schema);
hb_status hb_columns_get(hid_t group, const char *path, uint64_t file_bytes, uint32_t version, hb_schema *schema);

/* The meaning of totals of groups, in group /table/groups; NULL: nothing is stored (header_grouping_h5.c). Get: the
 * schema has its columns; the header's check also checks its grouping. Errors of writing and of reading. */
uint32_t
hb_grouping_datasets(const hb_grouping *grouping); /* datasets that put makes, at most, the group itself included */
hb_status hb_grouping_put(hid_t table, const hb_grouping *grouping);
hb_status hb_grouping_get(hid_t table, const char *path, uint64_t file_bytes, hb_schema *schema);

/* The history, in group /history of the root (history_h5.c). Put writes no group where there are no steps; get takes
 * none for no steps. Errors of writing and of reading. */
hb_status hb_history_put(hid_t file, const hb_header_past *past);
hb_status hb_history_get(hid_t file, const char *path, uint64_t file_bytes, hb_header_past *past);

/* The facts of a part beside those of its dataset, in the root of its files (part_h5.c). Put writes nothing for a
 * dataset; get allocates header->part, by counts that it has checked against the file. Check returns HB_EDATA for facts
 * that no part of these parameters and this table has. Errors of writing and of reading. */
uint32_t hb_part_datasets(const hb_header *header); /* datasets that put makes, at most */
hb_status hb_part_put(hid_t file, const hb_header *header);
hb_status hb_part_get(hid_t file, const char *path, uint64_t file_bytes, hb_header *header);
hb_status hb_part_check(const hb_header *header, const char *path);
void hb_part_add(hb_digest_state *state, const hb_part_facts *part);

/* Returns the bytes of a row of limb l in a file: its first ones, where not all coefficients are kept. */
size_t hb_header_stored_row_bytes(const hb_header *header, uint32_t component, uint32_t limb);

#define HB_ROWS_NAME 16
#define HB_PART_NAME 24
/* Returns "c0" or "c1", the group of a component in group /ct; of a part "h0". */
const char *hb_rows_group(const hb_header *header, uint32_t component);
/* Writes "c0/q07": the dataset of component c, limb l, in group /ct. Seeds are "seed". */
void hb_rows_name(char name[HB_ROWS_NAME], const hb_header *header, uint32_t component, uint32_t limb);
/* Puts every dataset of rows into group /ct by `put`: one for each stored component and limb, and one of seeds where
 * there are any; `width` counts elements of `type` in a row. The groups of components are made. Errors of writing and
 * of `put`. */
typedef hb_status (*hb_rows_put_one)(const void *context, hid_t ct, const char *name, hid_t type, uint64_t width);
hb_status hb_rows_put(hid_t ct, const hb_header *header, hb_rows_put_one put, const void *context);
/* Writes "part-00007.h5", or for residues after the first "part-1-00007.h5"; part < 2^32. */
void hb_part_name(char name[HB_PART_NAME], uint32_t residue, uint64_t part);
/* Returns in *path NAME/part-00007.h5, allocated. HB_ENOMEM. */
hb_status hb_shard_path(const char *folder, uint32_t residue, uint64_t part, char **path);
/* Returns in *path NAME/index.h5, or for residues after the first NAME/index-1.h5; allocated. HB_ENOMEM. */
hb_status hb_index_path(const char *folder, uint32_t residue, char **path);

/* Where the contents of a shard are in its file. */
typedef struct hb_shard_places {
    uint64_t file_bytes;
    uint64_t seeds;                    /* offset */
    uint64_t offsets[2][HB_MAX_LIMBS]; /* of rows, by component and limb */
} hb_shard_places;

/* A shard as its file says; of an open dataset as the index says, until its file was looked at, here or by another rank
 * (hb_dataset_tell). */
typedef struct hb_shard {
    char *path; /* owned */
    uint64_t first_unit, units;
    uint64_t first, count; /* ciphertexts */
    uint64_t held;         /* of an open dataset: ciphertexts in the file, `count` and those of units that were made
                              anew in a later shard; 0: not known */
    hb_shard_places places;
    uint64_t sums_offset;
    bool complete;                    /* of an opened shard: whether the file has the completion mark */
    bool located;                     /* of an open dataset: the places are known */
    uint8_t header[HB_DIGEST_BYTES];  /* digest of its own header, which its sums include */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [units], owned */
} hb_shard;

/* Open a shard, check it, and close it again: *shard has everything that reading its rows needs. The caller clears
 * *header and *shard, also after a failure. Open takes only complete shards, inspect also those of an unfinished
 * job. Errors of reading; HB_EDATA also for a shard that is not complete. */
hb_status hb_shard_open(const char *path, hb_header *header, uint8_t digest[HB_DIGEST_BYTES], hb_shard *shard);
hb_status hb_shard_inspect(const char *path, hb_header *header, uint8_t digest[HB_DIGEST_BYTES], hb_shard *shard);
void hb_shard_clear(hb_shard *shard);
/* Finds the places of the rows and sums of an open shard, whose path, units and ciphertexts are set. Errors of
 * reading. */
hb_status hb_shard_locate(hid_t file, const hb_header *header, uint64_t file_bytes, hb_shard *shard);
/* Reads the rows of unit u, one of the shard's, of the limbs in rows->limbs, and its seeds; sets rows->count.
 * HB_EIO; HB_EDATA where the file ends before. */
hb_status hb_shard_read_rows(int fd, const hb_header *header, const hb_shard *shard, uint64_t u, hb_rows *rows);

/* The bytes of a shard's file that the completion mark changes, before and after. */
typedef struct hb_shard_mark {
    uint8_t *unset, *set; /* [bytes], owned */
    size_t bytes;
    uint64_t offset;
} hb_shard_mark;
void hb_shard_mark_clear(hb_shard_mark *mark);
/* Makes the file of a shard before any unit is written; its path, units and ciphertexts are set, and its places become
 * so. The caller clears *image and *mark. HB_EDATA as hb_header_check; HB_ECREATE for more ciphertexts than a file
 * holds; errors of writing. */
hb_status hb_shard_make(const hb_header *header, hb_shard *shard, hb_h5_image *image, hb_shard_mark *mark);

/* shard_begin.c makes it, shard_write.c uses it. */
struct hb_shard_writer {
    hb_header header; /* without the columns of its schema */
    hb_shard shard;
    hb_shard_mark mark;  /* completes the file */
    uint64_t file_bytes; /* its length */
    int fd;              /* -1: closed; a process may have thousands of shards to write */
};
void hb_shard_close_file(hb_shard_writer *writer);

/* The tables appended to a dataset, in order; zeroed: none. */
typedef struct hb_appended {
    uint8_t (*table)[HB_DIGEST_BYTES]; /* [count] hb_growing.table; all members are owned */
    uint64_t *rows, *time;             /* [count] rows of the table; seconds since 1970 */
    uint64_t count;
} hb_appended;
void hb_appended_clear(hb_appended *list);

typedef struct hb_index {
    hb_header header;
    uint8_t digest[HB_DIGEST_BYTES];
    uint64_t parts;
    uint64_t *first_unit, *units;     /* [parts]; in a dataset that grew a shard may hold more units after these */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [hb_header_units] */
    /* For a dataset that grew, else NULL, [parts]: the number in the name of each shard, the digest of its own header,
     * and the number of ciphertexts in it, which writing needs; `held` is NULL, too, of an index that lacks it. */
    uint64_t *number, *held;
    uint8_t (*headers)[HB_DIGEST_BYTES];
    /* In the index of the last of several residues: data_sum of the index of each; else unused. */
    uint8_t residue_sums[HB_MOST_RESIDUES][HB_DIGEST_BYTES];
    hb_summands summands; /* of a sum of datasets */
    /* Only a part has one; of several residues it stands in the index of the last, for all of them. */
    uint8_t signature[HB_SIGNATURE_BYTES];
    hb_appended appended; /* tables whose rows were appended */
} hb_index;

/* Makes *list a copy of the old list and one more table. HB_ENOMEM; the caller clears it in any case. */
hb_status hb_appended_extend(hb_appended *list, const hb_appended *old, const uint8_t table[HB_DIGEST_BYTES],
                             uint64_t rows, uint64_t time);
/* Writes group /appended of an index that already has its header and sums; with no tables it writes nothing.
 * Errors of writing. The other function reads it. Errors of reading. */
hb_status hb_appended_put(hid_t file, const hb_index *index);
hb_status hb_appended_get(hid_t file, const char *path, uint64_t file_bytes, hb_index *index);

/* Takes shards that were made into the index, which has memory for them, as shards from p on, to its end: their places,
 * their sums and, in a dataset that grew, their numbers, their header's digest and their ciphertexts. HB_EINTERNAL,
 * naming `name`, when they do not tile the units from made->first_unit on. */
hb_status hb_index_take(hb_index *index, const char *name, uint64_t p, const hb_made_shards *made);

/* Writes the index, and syncs it and its folder. HB_ECREATE where the file is there or cannot be made; errors of
 * writing. */
hb_status hb_index_write(const char *path, const hb_index *index);
/* Reads the index, and checks that the shards that it names tile the units. The caller clears *index, also after a
 * failure. Errors of reading. */
hb_status hb_index_read(const char *path, hb_index *index);
void hb_index_clear(hb_index *index);
/* Returns the number in the name of shard p. */
uint64_t hb_index_number(const hb_index *index, uint64_t p);
/* Returns whether this index has the sums of all residues: that of the last of several has. */
bool hb_index_is_last(const hb_header *header);

/* Shard files that are open at the same time: there may be thousands of shards, and several threads read. */
enum { HB_SHARD_FILES = 16 };
typedef struct hb_shard_file {
    uint64_t shard;
    int fd; /* -1: none */
    uint32_t readers;
} hb_shard_file;
typedef struct hb_shard_files {
    pthread_mutex_t lock; /* guards the members below */
    hb_shard_file file[HB_SHARD_FILES];
    uint32_t turn; /* the next file to close */
} hb_shard_files;
void hb_shard_files_init(hb_shard_files *files);
void hb_shard_files_clear(hb_shard_files *files);

struct hb_dataset {
    hb_header header;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_shard *shards; /* [parts], in order of units */
    uint64_t parts;
    char *folder;                     /* as a message names it; owned; NULL: a shard on its own */
    bool is_folder;                   /* not a shard on its own */
    bool grown;                       /* shards may have headers of another time, and more units than the index says */
    uint64_t next_number;             /* of a folder: above the numbers in the names of its shards */
    uint64_t first_unit, units;       /* units of the opened folder or shard */
    uint8_t (*sums)[HB_DIGEST_BYTES]; /* [units] */
    bool joined;                      /* one of several residues of a whole folder: this is the sum of them all */
    uint8_t whole[HB_DIGEST_BYTES];
    hb_summands summands;
    uint8_t signature[HB_SIGNATURE_BYTES];
    hb_appended appended;
    hb_shard_files files;
};

/* Returns the shard that holds unit u: the last one that begins at or before it and is not empty. */
uint64_t hb_dataset_shard_of(const hb_dataset *dataset, uint64_t u);

/* Computes BLAKE2b(person "hebatch data", header digest, sums); sums: [units][HB_DIGEST_BYTES]. */
void hb_data_digest(uint8_t digest[HB_DIGEST_BYTES], const uint8_t header_digest[HB_DIGEST_BYTES], const uint8_t *sums,
                    uint64_t units);
/* Computes BLAKE2b(person "hebatch whole", sums), the sum of several residues; sums: [residues][HB_DIGEST_BYTES], their
 * hb_data_digest. */
void hb_whole_digest(uint8_t digest[HB_DIGEST_BYTES], const uint8_t *sums, uint32_t residues);
/* Computes BLAKE2b(person "hebatch summands", data_sum of the index, whether its summands are traced, the summands). */
void hb_summands_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_index *index);

#endif
