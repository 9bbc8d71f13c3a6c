/* Converts datasets and plain tables to files of Microsoft SEAL, one for each ciphertext or plaintext, and back
 * (io/seal/object.h). */
#ifndef HB_SEAL_DATA_H
#define HB_SEAL_DATA_H

#include "cli/common.h"
#include "folder.h"
#include "io/dataset/dataset.h"
#include "mpi/group/group.h"

/* One export or import of data. */
typedef struct hb_seal_data {
    hb_header header; /* of the dataset, or with the table's schema; the caller clears it */
    uint64_t files;
} hb_seal_data;

typedef struct hb_seal_job {
    hb_group *group;
    const hb_common *common;
    hb_seal_style style;    /* of export */
    const char *output;     /* folder, dataset or table */
    hb_packing_order order; /* for export of tables, and for import with `shaped` */
    hb_encoding encoding;   /* likewise */
    bool shaped, is_signed; /* import: the table's shape is not that of index.json ... */
    bool is_complex;
    uint64_t rows, columns; /* ... but this; UINT64_MAX: all that the files hold */
    bool force;             /* import: replace an existing output */
    double noise;           /* import of ciphertexts: stated bound in bits, log2; negative: not stated, ... */
    double budget; /* ... stated budget in bits that all have; negative: that of index.json, or of fresh ciphertexts */
    char **files;  /* import: [file_count], in order; borrowed */
    size_t file_count;
    const char *folder; /* import: the folder whose files they all are; or NULL */
} hb_seal_job;

/* Exports every ciphertext of the dataset, whole and not seeded: ct-000000.seal ..., with parms.seal and index.json. */
hb_status hb_seal_dataset_export(const hb_seal_job *job, const char *dataset, hb_seal_data *done);
/* Imports files, in the given order, as a new dataset: two components, not seeded, all at one level. key: as for
 * hb_seal_identify. HB_EDATA naming a file that is not a ciphertext of these parameters with two polynomials (or three,
 * where the relinearization key is beside `key` and the noise is stated), in the form of its parameters, with a nonzero
 * polynomial after the first, at the level and scale of the first file. The first file's scale may be any that fits the
 * parameters. After a failure nothing is left. */
hb_status hb_seal_dataset_import(const hb_seal_job *job, const char *key, hb_seal_data *done);

/* Exports a plain table, encoded: plain-000000.seal ..., with parms.seal and index.json; and imports it. */
hb_status hb_seal_table_export(const hb_seal_job *job, const char *table, const hb_params_spec *spec,
                               hb_seal_data *done);
hb_status hb_seal_table_import(const hb_seal_job *job, const hb_params_spec *spec, hb_seal_data *done);

/* --- shared by both (shape.c) */

/* Sets order and encoding of the job from words; NULL: columns, slots. HB_EUSAGE. */
hb_status hb_seal_layout(hb_seal_job *job, const char *pack, const char *encoding);
/* Returns HB_EDATA where there is nothing to export: the files carry parameters and level, and without a file the
 * import could not know them. */
hb_status hb_seal_check_rows(const char *name, uint64_t rows);
/* Returns the path FOLDER/PREFIX-000123.seal of number `i` of `count`, allocated; the names sort in this order.
 * HB_ENOMEM. */
hb_status hb_seal_numbered(const char *folder, const char *prefix, uint64_t i, uint64_t count, char **path);
/* Writes parms.seal and index.json. HB_ECREATE, HB_EIO, HB_ENOMEM. */
hb_status hb_seal_describe(const hb_seal_job *job, const char *folder, const hb_header *header);
/* Puts the shape of the table in job->file_count files into a header whose spec is set: from index.json beside the
 * first file, or from the job. HB_EDATA when that shape needs another number of files, or when a folder with an
 * index.json has other files than it counts, PREFIX-000000.seal ... */
hb_status hb_seal_shape(const hb_seal_job *job, const char *prefix, hb_header *header);

#endif
