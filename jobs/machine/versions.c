#include "versions.h"

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
    unsigned major, minor, release;
    if (H5get_libversion(&major, &minor, &release) >= 0) {
        snprintf(versions->hdf5, sizeof versions->hdf5, "%u.%u.%u", major, minor, release);
    } else {
        snprintf(versions->hdf5, sizeof versions->hdf5, "unknown");
    }
}
