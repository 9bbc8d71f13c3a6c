#include "versions.h"

#include "io/h5/h5.h"
#include "mpi/exchange/open.h"

#include <hdf5.h>
#include <jansson.h>
#include <mpfr.h>
#include <mpi.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

/* Jobs that fail for want of memory report their versions, too. HDF5 crashes where it finds no memory to start.
 * The last error stays: it says why the job failed. */
static void hdf5_version(char *text, size_t bytes)
{
    const hb_error before = *hb_last_error();
    unsigned major, minor, release;
    if (hb_h5_begin() == HB_OK && H5get_libversion(&major, &minor, &release) >= 0) {
        snprintf(text, bytes, "%u.%u.%u", major, minor, release);
    } else {
        snprintf(text, bytes, "unknown");
    }
    hb_set_error(&before);
}

void hb_versions_get(hb_versions *versions)
{
    *versions = (hb_versions){.program = HEBATCH_VERSION,
                              .compiler = COMPILER,
                              .sodium = sodium_version_string(),
                              .jansson = jansson_version_str(),
                              .mpfr = mpfr_get_version(),
                              .zlib = zlibVersion(),
                              .zstd = ZSTD_versionString(),
                              .cuda = HEBATCH_CUDA_VERSION,
                              .nccl = hb_exchange_nccl_version()};
    versions->nccl = versions->nccl != NULL ? versions->nccl : "no";
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (MPI_Get_library_version(mpi, &length) == MPI_SUCCESS) { /* one of the few calls allowed before MPI_Init */
        /* Name and version; the build's host and date follow after a comma or a new line. */
        static const char mpich[] = "MPICH Version:";
        /* MPICH gives several lines, the version behind tabs; Open MPI one line with commas. */
        const bool is_mpich = strncmp(mpi, mpich, sizeof mpich - 1) == 0;
        const char *text = is_mpich ? mpi + sizeof mpich - 1 + strspn(mpi + sizeof mpich - 1, " \t") : mpi;
        snprintf(versions->mpi, sizeof versions->mpi, "%s%.*s", is_mpich ? "MPICH " : "", (int)strcspn(text, ",\n"),
                 text);
    } else {
        snprintf(versions->mpi, sizeof versions->mpi, "unknown");
    }
    hdf5_version(versions->hdf5, sizeof versions->hdf5);
}
