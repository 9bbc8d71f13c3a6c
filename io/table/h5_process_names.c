/* Names of columns of a dataset, which stand in an attribute of it; in the reader's process. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "h5_process_source_private.h"
#include "io/h5/h5.h"

/* Copies names[c] into the schema, which then has names; with names NULL it has none, and each is "". */
static hb_status set_names(hb_schema *schema, const char *path, char *const *names)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        const char *name = names && names[c] ? names[c] : "";
        /* Longer ones could not be stored in a dataset. */
        if (strlen(name) > HB_COLUMN_NAME_MAX) {
            return HB_FAIL(HB_EDATA, "%s: the name of column %" PRIu64 " has more than %d bytes", path, c + 1,
                           HB_COLUMN_NAME_MAX);
        }
        schema->column[c].name = strdup(name);
        if (!schema->column[c].name) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", path);
        }
    }
    schema->named = names != NULL;
    return HB_OK;
}

/* Reads the attribute, of strings of variable or of fixed length, into an array of strings. */
static hb_status convert_names(hb_schema *schema, const char *path, hid_t attribute, hid_t stored)
{
    uint64_t columns = schema->columns;
    hb_status st = HB_OK;
    /* The schema was allocated for so many, so this is no more than that took. */
    char **names = calloc((size_t)columns, sizeof *names);
    if (!names) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", path);
    }
    size_t length = H5Tget_size(stored);
    char *fixed = NULL;
    bool variable = H5Tis_variable_str(stored) > 0;
    /* HDF5 allocates these strings, and wants to free them itself. */
    if (variable) {
        HB_GOTO(HB_H5(H5Aread(attribute, stored, names), HB_EDATA, "%s: cannot read attribute 'columns'", path));
    } else {
        fixed = length > SIZE_MAX / columns ? NULL : malloc((size_t)columns * length);
        if (!fixed) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", path));
        }
        HB_GOTO(HB_H5(H5Aread(attribute, stored, fixed), HB_EDATA, "%s: cannot read attribute 'columns'", path));
        for (uint64_t c = 0; c < columns; c++) {
            /* A string that fills its length has no zero behind it. */
            names[c] = strndup(fixed + c * length, length);
            if (!names[c]) {
                HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for the names of its columns", path));
            }
        }
    }
    st = set_names(schema, path, names);
done:
    for (uint64_t c = 0; c < columns; c++) {
        variable ? (void)H5free_memory(names[c]) : free(names[c]);
    }
    free(fixed);
    free(names);
    return st;
}

hb_status hb_h5_process_names(hid_t dataset, const char *path, hb_schema *schema)
{
    htri_t there;
    HB_TRY(HB_H5(there = H5Aexists(dataset, "columns"), HB_EDATA, "%s: its attributes cannot be read", path));
    if (there == 0) {
        return set_names(schema, path, NULL);
    }
    hid_t attribute = 0, type = 0, space = 0;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(attribute = H5Aopen(dataset, "columns", H5P_DEFAULT), HB_EDATA, "%s: cannot open attribute 'columns'",
                  path));
    HB_GOTO(HB_H5(type = H5Aget_type(attribute), HB_EDATA, "%s: attribute 'columns' has no type", path));
    HB_GOTO(HB_H5(space = H5Aget_space(attribute), HB_EDATA, "%s: attribute 'columns' has no shape", path));
    /* An attribute of this name that is something else is no failure: the file is the user's own. */
    bool fits = H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_ndims(space) == 1 &&
                (uint64_t)H5Sget_simple_extent_npoints(space) == schema->columns;
    st = fits ? convert_names(schema, path, attribute, type) : set_names(schema, path, NULL);
done:
    hb_h5_close(space);
    hb_h5_close(type);
    hb_h5_close(attribute);
    return st;
}
