/* Changes of valid HDF5 files, for targets: through HDF5, so that checksums within it are right (attributes and
 * datasets removed, replaced by others of odd types and extents, given odd values), or of bytes. */
#ifndef FUZZ_H5_CHANGES_H
#define FUZZ_H5_CHANGES_H

#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "fuzz.h"

/* The bytes of a valid file. */
typedef struct fuzz_file {
    uint8_t *bytes;
    size_t count;
} fuzz_file;

enum { FUZZ_ATTRIBUTES = 15 };

/* The places of a file that are changed. */
typedef struct fuzz_names {
    const char *const *groups;                        /* [group_count] */
    const char *const (*attributes)[FUZZ_ATTRIBUTES]; /* [group_count] of each group; NULL: there is none */
    const char *const *datasets;                      /* [dataset_count] */
    uint8_t group_count, dataset_count;
} fuzz_names;

#define fuzz_must(condition) fuzz_require(condition, __LINE__)
static inline void fuzz_require(int condition, int line)
{
    if (!condition) {
        fprintf(stderr, "a fault in line %d; the last error: %s\n", line, hb_last_error()->text);
        abort();
    }
}

/* Reads a file of at most 1 MiB. */
static inline fuzz_file fuzz_slurp(const char *path)
{
    const size_t most = (size_t)1 << 20;
    fuzz_file file = {.bytes = malloc(most)};
    FILE *from = fopen(path, "rb");
    fuzz_must(from != NULL && file.bytes != NULL);
    file.count = fread(file.bytes, 1, most, from);
    fuzz_must(file.count < most);
    fclose(from);
    return file;
}

static inline void fuzz_put(const char *path, const fuzz_file *from)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fuzz_must(fd >= 0 && write(fd, from->bytes, from->count) == (ssize_t)from->count);
    close(fd);
}

/* Small and large numbers, and those around powers of two. */
static inline uint64_t fuzz_odd_number(fuzz_input *in)
{
    switch (fuzz_byte(in) % 4) {
    case 0:
        return fuzz_byte(in);
    case 1:
        return ((uint64_t)1 << fuzz_byte(in) % 64) + fuzz_byte(in) - 128;
    case 2:
        return UINT64_MAX - fuzz_byte(in);
    default:
        return fuzz_u64(in);
    }
}

static inline hid_t fuzz_odd_type(fuzz_input *in)
{
    const hid_t types[] = {H5T_STD_U64LE, H5T_STD_U8LE, H5T_STD_I8LE, H5T_STD_I64BE, H5T_IEEE_F64LE, H5T_STD_U16LE};
    uint8_t choice = fuzz_byte(in) % 8;
    if (choice < 6) {
        return H5Tcopy(types[choice]);
    }
    hid_t text = H5Tcopy(H5T_C_S1);
    (void)H5Tset_size(text, choice == 6 ? H5T_VARIABLE : (size_t)fuzz_byte(in) * 8 + 1);
    return text;
}

/* Extents up to some thousands that are stored, or huge ones that are not. */
static inline hid_t fuzz_odd_space(fuzz_input *in, int *stored)
{
    hsize_t extent[3], cells = 1;
    int rank = fuzz_byte(in) % 4;
    *stored = 1;
    for (int d = 0; d < rank; d++) {
        extent[d] = fuzz_odd_number(in);
        *stored = *stored && extent[d] < 65536 && (cells *= extent[d]) < 65536;
    }
    return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, NULL);
}

static inline void fuzz_set_attribute(hid_t file, const fuzz_names *names, fuzz_input *in)
{
    const uint8_t choice = fuzz_byte(in), g = choice % names->group_count,
                  a = choice / names->group_count % FUZZ_ATTRIBUTES;
    hid_t object = H5Oopen(file, names->groups[g], H5P_DEFAULT),
          attribute = H5Aopen(object, names->attributes[g][a], H5P_DEFAULT);
    uint64_t values[16] = {fuzz_odd_number(in)};
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    if ((class == H5T_INTEGER || class == H5T_FLOAT) && H5Aget_storage_size(attribute) <= sizeof values) {
        (void)H5Awrite(attribute, type, values);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    H5Oclose(object);
}

static inline void fuzz_replace_attribute(hid_t file, const fuzz_names *names, fuzz_input *in)
{
    const uint8_t choice = fuzz_byte(in), g = choice % names->group_count,
                  a = choice / names->group_count % FUZZ_ATTRIBUTES;
    int stored;
    hid_t object = H5Oopen(file, names->groups[g], H5P_DEFAULT), type = fuzz_odd_type(in),
          space = fuzz_odd_space(in, &stored);
    (void)H5Adelete(object, names->attributes[g][a]);
    if (stored) {
        H5Aclose(H5Acreate2(object, names->attributes[g][a], type, space, H5P_DEFAULT, H5P_DEFAULT));
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(object);
}

/* HDF5 1.10 fails in its own chunk index after odd changes to chunked datasets; this test does not cover that. */
static inline int fuzz_is_plain(hid_t set)
{
    hid_t creation = H5Dget_create_plist(set);
    int plain = creation >= 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0;
    H5Pclose(creation);
    return plain;
}

static inline void fuzz_set_dataset(hid_t file, const fuzz_names *names, fuzz_input *in)
{
    hid_t set = H5Dopen2(file, names->datasets[fuzz_byte(in) % names->dataset_count], H5P_DEFAULT),
          space = H5Dget_space(set);
    hid_t one = H5Screate(H5S_SCALAR);
    const hsize_t at[3] = {fuzz_byte(in) % 4}; /* room for every rank */
    uint64_t value = fuzz_odd_number(in);
    if (fuzz_is_plain(set) && H5Sselect_elements(space, H5S_SELECT_SET, 1, at) >= 0) {
        (void)H5Dwrite(set, H5T_NATIVE_UINT64, one, space, H5P_DEFAULT, &value);
    }
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(set);
}

static inline void fuzz_replace_dataset(hid_t file, const fuzz_names *names, fuzz_input *in)
{
    const char *name = names->datasets[fuzz_byte(in) % names->dataset_count];
    int stored;
    hid_t type = fuzz_odd_type(in), space = fuzz_odd_space(in, &stored), creation = H5Pcreate(H5P_DATASET_CREATE);
    uint8_t layout = fuzz_byte(in) % 4;
    (void)H5Ldelete(file, name, H5P_DEFAULT);
    if (layout == 1) {
        const hsize_t chunk[3] = {1 + fuzz_byte(in) % 8, 1 + fuzz_byte(in) % 8, 1};
        (void)H5Pset_chunk(creation, H5Sget_simple_extent_ndims(space), chunk);
    } else if (layout == 2) {
        (void)H5Pset_external(creation, "/dev/null", 0, H5F_UNLIMITED);
    } else if (stored) {
        (void)H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    }
    if (layout == 3) {
        (void)H5Lcreate_external("/dev/null", "/", file, name, H5P_DEFAULT, H5P_DEFAULT);
    } else {
        H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    }
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
}

/* Writes the file to the path, with the changes that the input says. */
static inline void fuzz_change_through_hdf5(const char *path, const fuzz_file *from, const fuzz_names *names,
                                            fuzz_input *in)
{
    fuzz_put(path, from);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110);
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    fuzz_must(file >= 0);
    for (int changes = 0; changes < 8 && in->size > 0; changes++) {
        void (*const ways[])(hid_t, const fuzz_names *, fuzz_input *) = {fuzz_set_attribute, fuzz_set_dataset,
                                                                         fuzz_replace_attribute, fuzz_replace_dataset};
        ways[fuzz_byte(in) % 4](file, names, in);
    }
    H5Fclose(file);
    H5Pclose(access);
}

static inline void fuzz_change_bytes(const char *path, const fuzz_file *from, fuzz_input *in)
{
    fuzz_put(path, from);
    int fd = open(path, O_WRONLY);
    while (in->size > 0) {
        uint64_t at = (fuzz_byte(in) | (uint64_t)fuzz_byte(in) << 8) % from->count;
        uint8_t value = fuzz_byte(in);
        fuzz_must(pwrite(fd, &value, 1, (off_t)at) == 1);
    }
    close(fd);
}

#endif
