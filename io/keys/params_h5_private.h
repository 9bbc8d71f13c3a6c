/* Group /params of shards, indexes and key files. */
#ifndef HB_IO_KEYS_PARAMS_H5_PRIVATE_H
#define HB_IO_KEYS_PARAMS_H5_PRIVATE_H

#include "io/h5/h5.h"
#include "rlwe/params.h"

/* Bytes of a packed row of n residues modulo q: n * bits(q - 1) / 8. */
size_t hb_spec_row_bytes(const hb_params_spec *spec, uint32_t limb);
/* Returns whether a file of these parameters names the security table: all do but those of the 2018 table, which are
 * written as before there was a second table. */
bool hb_spec_names_table(const hb_params_spec *spec);
/* Returns whether parameters use the layout from before other schemes and named digits: those of BFV whose keys are
 * switched as SEAL does. */
bool hb_spec_is_early(const hb_params_spec *spec);
/* Returns the number of HDF5 datasets in group /params. */
uint32_t hb_spec_datasets(const hb_params_spec *spec);
/* Adds every field of the spec to a running digest. */
void hb_spec_add(hb_digest_state *state, const hb_params_spec *spec);

/* The fields of one scheme in the group, besides those of all schemes. A new scheme is a row in params_h5.c. */
typedef struct hb_spec_fields {
    /* Files do not name this scheme: their layout is from the time when there was no other. Other schemes have an
     * attribute. */
    bool is_unnamed;
    uint32_t (*datasets)(const hb_params_spec *spec);
    void (*add)(hb_digest_state *state, const hb_params_spec *spec);
    hb_status (*put)(hid_t group, const hb_params_spec *spec);
    hb_status (*get)(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec);
} hb_spec_fields;
extern const hb_spec_fields hb_bfv_spec_fields;  /* params_bfv_h5.c */
extern const hb_spec_fields hb_ckks_spec_fields; /* params_ckks_h5.c */

/* The fields of bootstrapping, which schemes that have it call in theirs. A chain without it has none
 * (params_bootstrapping_h5.c). */
uint32_t hb_bootstrapping_datasets(const hb_bootstrapping_spec *spec);
void hb_bootstrapping_add(hb_digest_state *state, const hb_bootstrapping_spec *spec);
hb_status hb_bootstrapping_put(hid_t group, const hb_bootstrapping_spec *spec);
hb_status hb_bootstrapping_get(hid_t group, const char *path, uint64_t file_bytes, hb_bootstrapping_spec *spec);

/* Primes and other moduli in files are below this bound: they have at most 60 bits. */
#define HB_SPEC_MODULUS_END ((uint64_t)1 << 60)
/* Reads a dataset of one number in least .. most. HB_EDATA. */
hb_status hb_spec_get_number(hid_t group, const char *name, const char *path, uint64_t file_bytes, uint64_t least,
                             uint64_t most, uint64_t *value);
/* Reads the text attribute "scheme". HB_EDATA naming it, if this program does not know it. */
hb_status hb_scheme_get(hid_t at, const char *path, hb_scheme *scheme);

/* Writes group /params, and root attributes params_digest and insecure. HB_EIO, HB_ENOMEM; HB_EINTERNAL where HDF5 does
 * not do as it is told. */
hb_status hb_spec_put(hid_t file, const hb_params_spec *spec);
/* Reads them. Checks that every number is in the range of possible parameters; hb_params_open checks whether they make
 * usable parameters. HB_EDATA. */
hb_status hb_spec_get(hid_t file, const char *path, uint64_t file_bytes, hb_params_spec *spec);

#endif
