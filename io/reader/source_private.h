/* Tables that HDF5 holds in parts, in the reader's process (process.h): groups of 1-D datasets, datasets of
 * compounds, frames as pandas writes them, and single datasets of enumerations and truth values. Each column has a
 * source: some of the elements of a dataset. Called only in the process where a file can do no harm. */
#ifndef HB_IO_READER_SOURCE_PRIVATE_H
#define HB_IO_READER_SOURCE_PRIVATE_H

#include <hdf5.h>

#include "table/packing.h"
#include "table/schema.h"
#include "type.h"

enum { HB_FILE_NAME_MOST = 4096 }; /* bytes of a file's name, with its zero */
/* Most columns of a table in parts, and most other members of its group. */
#define HB_MOST_SOURCES ((uint64_t)1 << 16)

/* The place of a column's values. Nothing of it is freed: the end of the process does that. */
typedef struct hb_source {
    hid_t dataset;
    const char *name;   /* of the column */
    const char *member; /* of the compounds that the dataset holds; NULL: it holds the values themselves */
    bool array;         /* the member is one */
    uint32_t elements;  /* numbers of a member that is an array, of which ... */
    uint32_t element;   /* ... this one is the column's; 1 and 0 for all others */
    bool wide;          /* the dataset has two dimensions, and ... */
    uint64_t column;    /* ... this is the column's index in the second */
    H5T_class_t class;  /* H5T_INTEGER, H5T_FLOAT; H5T_BITFIELD: a byte, 0 or 1; H5T_ENUM: one of `value` */
    bool is_signed;     /* of words that are integers */
    bool below;         /* integers in the file have a sign */
    hb_h5_cells cells;
    hb_meaning_kind meaning;
    uint64_t count; /* of an enumeration: values, in ascending order, and their labels in the same order */
    int64_t *value;
    const char **label;
} hb_source;

/* The columns of a table, in their order. */
typedef struct hb_sources {
    const char *name; /* FILE:/PATH, for messages; borrowed, and so is ... */
    const char *file; /* ... the name of the file */
    bool follows;     /* its data may be in other files */
    bool real;        /* integers are read as doubles, too */
    char **wanted;    /* [wanted_count] names of the columns to find; with none, all columns */
    uint32_t wanted_count;
    bool named, flat; /* columns have names; there is one column in a dataset of one dimension */
    uint64_t rows, count;
    hb_source *source; /* [count] */
} hb_sources;

/* Returns whether an open object is a table in parts: a group, or a dataset of neither numbers nor complex numbers. */
bool hb_is_in_parts(hid_t object);
/* Finds the columns of an open group or dataset; `sources` has name, real and wanted set. HB_EDATA, naming the column,
 * for something that is no table, with a remedy for wanted columns; HB_EUSAGE naming a column that does not exist;
 * HB_ENOMEM. */
hb_status hb_sources_find(hid_t object, hb_sources *sources);
/* Reads a rectangle that lies inside the table into values [rows][columns]. HB_EDATA for impossible values of a type;
 * HB_EIO, HB_ENOMEM. */
hb_status hb_sources_read(const hb_sources *sources, const hb_rectangle *cells, uint64_t *values);

/* Checks where the numbers of an open dataset lie, and those of all sources of a virtual one. HB_EDATA for numbers that
 * HDF5 would silently fill in or that attributes replace: parts that were never written or have no source, parts that
 * have several sources, or one of another type; for missing filters; and, unless `follows`, for data in other files
 * than `file`. HB_ENOINPUT, naming them, where such files are missing or cut short. `name` is for messages. */
hb_status hb_h5_process_check_storage(hid_t dataset, const char *name, const char *file, bool follows);

/* Refuses attributes that give numbers of an open dataset another value, unless they change nothing. HB_EDATA,
 * HB_ENOMEM. */
hb_status hb_h5_process_check_attributes(hid_t dataset, const char *name);
/* The columns whose attributes are inspected. */
typedef struct hb_gaps_of {
    const char *table, *column; /* for messages */
    int bits;                   /* for floating-point numbers, which are doubles: bits of their significand; else 0 */
    bool is_signed;             /* integers have a signed type */
    bool numbers;               /* cells are single numbers: attributes of other cells are not understood */
} hb_gaps_of;
/* Finds the numbers that mean missing cells: by the attributes _FillValue, missing_value, valid_range, valid_min and
 * valid_max, and by the dataset's own fill value, where it is set and not 0. HB_EDATA for attributes of another
 * form. */
hb_status hb_h5_process_find_gaps(const hb_gaps_of *of, hid_t dataset, hb_h5_gaps *gaps);

/* Returns whether the path leads to something that is no regular file: HDF5 would wait for the other end of a pipe. */
bool hb_h5_process_is_special(const char *path);
/* Returns HB_ENOINPUT for such a source of data. */
hb_status hb_h5_process_refuse_special(const char *name, const char *other);

/* Opens the object that `path` leads to from an open group; *object is negative, with HDF5's reason on its stack, where
 * none can be opened. A link on the way, or one that such a link leads to, may point to another file, which is not
 * opened unless `follows`: HB_EDATA, naming the file; HB_ENOINPUT where that is no regular file. HB_ENOMEM. The caller
 * closes *object, also after a failure. `name` is for messages. */
hb_status hb_h5_process_open_object(hid_t group, const char *path, const char *name, bool follows, hid_t *object);
/* Finds the place of the cells of an open dataset of this schema; returns false where only HDF5 can read them. */
bool hb_h5_process_find_place(hid_t dataset, const hb_schema *schema, const hb_h5_type *of, uint64_t file_bytes,
                              hb_h5_place *place);
/* Returns whether an open dataset is in that file, and not in another one that a link leads to. */
bool hb_h5_process_is_in_file(hid_t dataset, const char *file);
/* Sets `found` to the name of the file that an open dataset is in. HB_EDATA, naming it, where it is not `file`, unless
 * `follows`. */
hb_status hb_h5_process_find_file(hid_t dataset, const char *name, const char *file, bool follows,
                                  char found[HB_FILE_NAME_MOST]);
/* Returns HB_EDATA for a dataset that takes its data from `other`. */
hb_status hb_h5_process_refuse_other(const char *name, const char *other);

/* The strings of an attribute. */
typedef struct hb_h5_texts {
    uint64_t count; /* 0: there is no such attribute, or it is no list of strings */
    char **text;    /* each with a terminating zero, or NULL for an empty one */
    bool variable;  /* of variable length, which HDF5 allocated */
} hb_h5_texts;
/* Reads the attribute `name` of an open dataset. `path` is for messages. HB_EDATA, HB_ENOMEM; then there is nothing to
 * free. */
hb_status hb_h5_process_read_texts(hid_t dataset, const char *name, const char *path, hb_h5_texts *texts);
void hb_h5_texts_free(hb_h5_texts *texts);

/* Reads names from the attribute "columns" of an open dataset, where it is one string a column, into a schema whose
 * columns are allocated; without such an attribute names are "". `path` is for messages. HB_EDATA, HB_ENOMEM. */
hb_status hb_h5_process_names(hid_t dataset, const char *path, hb_schema *schema);

/* --- shared by the two files that find columns */

/* Adds the columns of an open dataset, which belongs to the table from then on: one for each column of its second
 * dimension, each member of its compounds, and each number of members that are arrays. `names` [count], where it is not
 * NULL, are the names of all of them, and must be as many; else names are made from `name` and those of members.
 * HB_EDATA for a shape, a type or attributes that are no table's; HB_ENOMEM; errors of hb_h5_process_check_storage. */
hb_status hb_sources_add(hb_sources *sources, hid_t dataset, const char *name, const char *const *names,
                         uint64_t count);
/* An open dataset of compounds whose storage was checked: once, as the check may open other files. */
typedef struct hb_compounds {
    hid_t dataset; /* belongs to the table from then on */
    uint64_t rows;
} hb_compounds;
/* Opens it. HB_EDATA for a shape that is no table; fails as hb_h5_process_check_storage. */
hb_status hb_sources_open_compounds(const hb_sources *sources, hid_t dataset, hb_compounds *out);
/* Adds one member: as many columns as it has numbers. HB_EDATA for a member that cannot be read, or is no number nor a
 * list of numbers; HB_ENOMEM. */
hb_status hb_sources_add_member(hb_sources *sources, const hb_compounds *of, unsigned member, const char *const *names,
                                uint64_t count);
/* Returns whether one of the columns named by names [count], or, where that is NULL, by `name`, is wanted. */
bool hb_sources_want(const hb_sources *sources, const char *name, const char *const *names, uint64_t count);
/* Return whether a group is a frame of pandas, by its attribute; find its columns. HB_EDATA for a
 * frame of another kind; errors of hb_sources_add and hb_h5_process_open_object. */
bool hb_is_frame(hid_t group);
hb_status hb_frame_find(hid_t group, hb_sources *sources);

#endif
