/* The versions that this program was built from and runs with. */
#ifndef HB_MACHINE_VERSIONS_H
#define HB_MACHINE_VERSIONS_H

/* Texts for people. The pointers are literals or belong to the libraries. */
typedef struct hb_versions {
    const char *program, *compiler, *sodium, *jansson, *mpfr, *zlib, *zstd, *cuda, *nccl;
    char mpi[128], hdf5[32];
} hb_versions;

/* Fills *versions. Versions of libraries come from the loaded libraries, not from the headers; those of CUDA and NCCL
 * are "no" where the program was built without them. Starts neither MPI nor CUDA. Rank-local; cannot fail: a version
 * that a library does not tell is "unknown". */
void hb_versions_get(hb_versions *versions);

#endif
