/* What the files that read models share. */
#ifndef HB_MODEL_MODEL_PRIVATE_H
#define HB_MODEL_MODEL_PRIVATE_H

#include <jansson.h>

#include "model.h"

/* A file that is being read, and the layer that is read now, from 1; 0: none. */
typedef struct hb_model_reader {
    const char *path;
    char *folder; /* that names of tables are relative to; NULL: they are whole */
    hb_model *model;
    uint32_t layer;
} hb_model_reader;

/* Returns HB_EDATA saying where in the file something is wrong: "net.json: layer 2: ...". */
hb_status hb_model_fail(const hb_model_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
hb_status hb_model_no_memory(const hb_model_reader *r);
/* Refuses members that nobody reads: a mistyped one would change the model. */
hb_status hb_model_check_members(const hb_model_reader *r, json_t *object, const char *const *members);
/* Reads a finite number. */
hb_status hb_model_number(const hb_model_reader *r, const json_t *value, const char *what, double *out);

/* terms_file.c. Reads "terms" of a polynomial, whose inputs are there: its text. */
hb_status hb_model_read_terms(const hb_model_reader *r, const json_t *list);

/* h5_file.c. Returns what an HDF5 file says as the document that a JSON file has: what is checked, and how, is the
 * same. The caller frees it, also after a failure. HB_ENOINPUT, HB_EDATA, HB_EUNAVAILABLE, HB_ENOMEM. */
hb_status hb_model_read_h5(const hb_model_reader *r, json_t **document);

#endif
