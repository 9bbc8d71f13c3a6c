/* Datasets and plain tables to files of Microsoft SEAL, one a ciphertext or plaintext, and back (io/seal/object.h). */
#ifndef HB_SEAL_DATA_H
#define HB_SEAL_DATA_H

#include "cli/common.h"
#include "folder.h"
#include "io/dataset/dataset.h"
#include "mpi/group/group.h"

/* What was exchanged. */
typedef struct hb_seal_data {
    hb_header header; /* of the dataset made or read, or with the table's schema; the caller clears it */
    uint64_t files;
} hb_seal_data;

typedef struct hb_seal_job {
    hb_group *group;
    const hb_common *common;
    hb_seal_style style;    /* of export */
    const char *output;     /* folder, dataset or table */
    hb_packing_order order; /* of export of tables, or of import where shape is set */
    hb_encoding encoding;   /* likewise */
    bool shaped, is_signed; /* import: the table is not what index.json says ... */
    bool is_complex;
    uint64_t rows, columns; /* ... but this; UINT64_MAX: whatever the files hold */
    bool force;             /* import: an output that exists is replaced */
    double noise;           /* import of ciphertexts: bound in bits, log2; negative: what is stated otherwise, ... */
    double budget;          /* ... bits of budget that all have; negative: what index.json says, or of fresh ones */
    char **files;           /* import: [file_count], in order; borrowed */
    size_t file_count;
    const char *folder; /* import: the files are all those of this one; or NULL */
} hb_seal_job;

/* Every ciphertext of the dataset, whole and not seeded: ct-000000.seal ..., with parms.seal and index.json. */
hb_status hb_seal_dataset_export(const hb_seal_job *job, const char *dataset, hb_seal_data *done);
/* Files in the order given as one dataset, made anew: two components, not seeded, at the level that all of them have.
 * key: as hb_seal_identify takes it. HB_EDATA naming the file that is not a ciphertext of these parameters, of two
 * polynomials (three where the relinearization key is beside `key`, and the noise is stated), in the form and of the
 * scale of their parameters, with one behind the first that is not zero, at the level of the first file. Nothing is
 * left. */
hb_status hb_seal_dataset_import(const hb_seal_job *job, const char *key, hb_seal_data *done);

/* A plain table, encoded: plain-000000.seal ..., with parms.seal and index.json; and back. */
hb_status hb_seal_table_export(const hb_seal_job *job, const char *table, const hb_params_spec *spec,
                               hb_seal_data *done);
hb_status hb_seal_table_import(const hb_seal_job *job, const hb_params_spec *spec, hb_seal_data *done);

/* --- what they share (shape.c) */

/* order and encoding of the job by their words, NULL: columns, slots. HB_EUSAGE. */
hb_status hb_seal_layout(hb_seal_job *job, const char *pack, const char *encoding);
/* HB_EDATA where there is nothing to export: files carry parameters and level, and without one nobody could tell them
 * on the way back. */
hb_status hb_seal_check_rows(const char *name, uint64_t rows);
/* FOLDER/PREFIX-000123.seal: number `i` of `count`, allocated; in the order of their names. */
hb_status hb_seal_numbered(const char *folder, const char *prefix, uint64_t i, uint64_t count, char **path);
/* parms.seal and index.json. */
hb_status hb_seal_describe(const hb_seal_job *job, const char *folder, const hb_header *header);
/* The table that job->file_count files hold, into a header whose spec is set: by index.json beside the first of them or
 * by the job. HB_EDATA when another number of files would hold it, or when a folder with
 * an index.json has not just the files that it counts, PREFIX-000000.seal ... */
hb_status hb_seal_shape(const hb_seal_job *job, const char *prefix, hb_header *header);

#endif
