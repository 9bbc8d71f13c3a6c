/* What this program was built from and runs with. */
#ifndef HB_MACHINE_VERSIONS_H
#define HB_MACHINE_VERSIONS_H

typedef struct hb_versions {
    const char *program, *compiler, *sodium, *jansson, *zlib, *zstd, *cuda, *nccl;
    char mpi[128], hdf5[32];
} hb_versions;

/* Those of the libraries are asked of the libraries that were loaded, not of the headers; of CUDA and NCCL "no" where
 * the program was built without. Does not start MPI. */
void hb_versions_get(hb_versions *versions);

#endif
