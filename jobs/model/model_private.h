/* Declarations shared by the files that read models. */
#ifndef HB_MODEL_MODEL_PRIVATE_H
#define HB_MODEL_MODEL_PRIVATE_H

#include <jansson.h>

#include "model.h"

/* The file that is being read, and its current layer, from 1; 0: none. */
typedef struct hb_model_reader {
    const char *path;
    char *folder; /* folder that the names of tables are relative to; NULL: the names are absolute */
    bool follows; /* tables may lie anywhere; else only in that folder or below */
    hb_model *model;
    uint32_t layer;
} hb_model_reader;

/* Returns HB_EDATA with the place of the fault in the file: "net.json: layer 2: ...". */
hb_status hb_model_fail(const hb_model_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
hb_status hb_model_no_memory(const hb_model_reader *r);
/* Refuses unknown members: a mistyped one would change the model. */
hb_status hb_model_check_members(const hb_model_reader *r, json_t *object, const char *const *members);
/* Reads a finite number. */
hb_status hb_model_number(const hb_model_reader *r, const json_t *value, const char *what, double *out);

/* terms_file.c. Reads "terms" of a polynomial into its text; the inputs are read already. */
hb_status hb_model_read_terms(const hb_model_reader *r, const json_t *list);

/* h5_file.c. Returns the contents of an HDF5 file as the document of a JSON file, so that both are checked alike. The
 * caller frees it, also after a failure. HB_ENOINPUT, HB_EDATA, HB_EUNAVAILABLE, HB_ENOMEM. */
hb_status hb_model_read_h5(const hb_model_reader *r, json_t **document);

#endif
