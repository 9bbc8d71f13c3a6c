/* Changes attributes and datasets of shards. */
#ifndef HB_TESTS_TAMPER_H
#define HB_TESTS_TAMPER_H

#include <hdf5.h>
#include <string.h>

/* Overwrites a 64-bit attribute or the first words of a dataset through HDF5, checksums and all. */
static inline void tamper(const char *path, const char *group, const char *attribute, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t object = H5Oopen(file, group, H5P_DEFAULT), a = H5Aopen(object, attribute, H5P_DEFAULT);
    assert_true(a >= 0);
    assert_true(H5Awrite(a, H5T_NATIVE_UINT64, &value) >= 0);
    H5Aclose(a);
    H5Oclose(object);
    H5Fclose(file);
}

/* Overwrites an attribute of so many bytes, 64 at most, with this one. */
static inline void tamper_bytes(const char *path, const char *attribute, size_t count, uint8_t byte)
{
    uint8_t bytes[64];
    memset(bytes, byte, sizeof bytes);
    assert_true(count <= sizeof bytes);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), a = H5Aopen(file, attribute, H5P_DEFAULT);
    assert_true(a >= 0 && H5Aget_storage_size(a) == count);
    assert_true(H5Awrite(a, H5T_NATIVE_UINT8, bytes) >= 0);
    H5Aclose(a);
    H5Fclose(file);
}

static inline void tamper_dataset(const char *path, const char *name, uint64_t value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t d = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(d), one = H5Screate(H5S_SCALAR);
    hsize_t at[2] = {0, 0};
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, at) >= 0);
    const hid_t type = H5Dget_type(d);
    const bool text = H5Tget_class(type) == H5T_STRING; /* of at most 8 bytes: those of the value */
    assert_true(H5Dwrite(d, text ? type : H5T_NATIVE_UINT64, one, space, H5P_DEFAULT, &value) >= 0);
    H5Tclose(type);
    H5Sclose(one);
    H5Sclose(space);
    H5Dclose(d);
    H5Fclose(file);
}

static inline void add_text(const char *path, const char *group, const char *attribute, const char *text)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), object = H5Oopen(file, group, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    assert_true(H5Tset_size(type, strlen(text) + 1) >= 0);
    hid_t a = H5Acreate2(object, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(a, type, text) >= 0);
    H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(object);
    H5Fclose(file);
}

static inline void tamper_text(const char *path, const char *group, const char *attribute, const char *text)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Adelete_by_name(file, group, attribute, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    add_text(path, group, attribute, text);
}

static inline void tamper_scale(const char *path, double scale)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t object = H5Oopen(file, "/ct", H5P_DEFAULT), a = H5Aopen(object, "scale", H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_DOUBLE, &scale) >= 0);
    H5Aclose(a);
    H5Oclose(object);
    H5Fclose(file);
}

#endif
