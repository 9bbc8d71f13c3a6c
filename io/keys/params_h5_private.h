/* Group /params of shards, indexes and key files. */
#ifndef HB_IO_KEYS_PARAMS_H5_PRIVATE_H
#define HB_IO_KEYS_PARAMS_H5_PRIVATE_H

#include "io/h5/h5.h"
#include "rlwe/params.h"

/* Bytes of a packed row of n residues modulo q: n * bits(q - 1) / 8. */
size_t hb_spec_row_bytes(const hb_params_spec *spec, uint32_t limb);
/* Whether a file of these says by which table they are secure: all but those of 2018, which are written as they were
 * before there was another. */
bool hb_spec_names_table(const hb_params_spec *spec);
/* HDF5 datasets of group /params. */
uint32_t hb_spec_datasets(const hb_params_spec *spec);
/* Adds every field of the spec to a running digest. */
void hb_spec_add(hb_digest_state *state, const hb_params_spec *spec);

/* Writes group /params, and root attributes params_digest and insecure. */
hb_status hb_spec_put(hid_t file, const hb_params_spec *spec);
/* Reads them. Every field is in the range that bfv/params.h gives; whether they make usable parameters is for
 * hb_params_open. HB_EDATA. */
hb_status hb_spec_get(hid_t file, const char *path, uint64_t file_bytes, hb_params_spec *spec);

#endif
