/* Tables that HDF5 holds in parts, in the reader's process (reader.h): groups of 1-D datasets, datasets of compounds,
 * frames as pandas writes them, and single datasets of enumerations and truth values. Each column has a source: some of
 * the elements of a dataset. Only called where a file may do harm. */
#ifndef HB_IO_TABLE_READER_SOURCE_PRIVATE_H
#define HB_IO_TABLE_READER_SOURCE_PRIVATE_H

#include <hdf5.h>

#include "io/base/packing.h"
#include "io/base/schema.h"

/* Columns of a table that is in parts, and the members that a group may have beside them. */
#define HB_MOST_SOURCES ((uint64_t)1 << 16)

/* Where the values of a column lie. Nothing of it is freed: the end of the process does. */
typedef struct hb_source {
    hid_t dataset;
    const char *name;   /* of the column */
    const char *member; /* of the compounds that the dataset holds; NULL: it holds the values themselves */
    bool array;         /* the member is one */
    uint32_t elements;  /* a member that is an array: how many numbers it has, of which ... */
    uint32_t element;   /* ... this one is the column's; 1 and 0 of all others */
    bool wide;          /* the dataset has two dimensions, and ... */
    uint64_t column;    /* ... this is the column's place in the second */
    H5T_class_t class;  /* H5T_INTEGER, H5T_FLOAT; H5T_BITFIELD: a byte, 0 or 1; H5T_ENUM: one of `value` */
    bool is_signed;
    hb_meaning_kind meaning;
    uint64_t count; /* of an enumeration: values, in ascending order, and the labels at the same places */
    int64_t *value;
    const char **label;
} hb_source;

/* The columns of a table, in their order. */
typedef struct hb_sources {
    const char *name; /* FILE:/PATH, for messages; borrowed */
    bool real;        /* they are read as doubles */
    char **wanted;    /* [wanted_count] names of the columns to find; without any all are */
    uint32_t wanted_count;
    bool named, flat; /* columns have names; there is one, and the dataset has one dimension */
    uint64_t rows, count;
    hb_source *source; /* [count] */
} hb_sources;

/* Returns whether an open object is a table in parts: a group, or a dataset of what is neither numbers nor complex
 * numbers. */
bool hb_is_in_parts(hid_t object);
/* Finds the columns of an open group or dataset; `sources` has name, real and wanted set. HB_EDATA, naming the column,
 * for what is no table, and with what to do about it, of columns that are wanted; HB_EUSAGE naming one that is not
 * there; HB_ENOMEM. */
hb_status hb_sources_find(hid_t object, hb_sources *sources);
/* Reads a rectangle that lies inside the table into values [rows][columns]. HB_EDATA for values that their type does
 * not have; HB_EIO, HB_ENOMEM. */
hb_status hb_sources_read(const hb_sources *sources, const hb_rectangle *cells, uint64_t *values);

/* Reads names from the attribute "columns" of an open dataset, where it is one string a column, into a schema whose
 * columns are allocated; without such an attribute names are "". `path` is for messages. HB_EDATA, HB_ENOMEM. */
hb_status hb_reader_names(hid_t dataset, const char *path, hb_schema *schema);

/* --- between the two files that find columns */

/* Adds the columns of an open dataset, which belongs to the table from then on: one of each column of its second
 * dimension, of each member of its compounds, of each number of those that are arrays. `names` [count], where it is not
 * NULL, are the names of all of them, and have to be as many; else they are made of `name` and those of members. */
hb_status hb_sources_add(hb_sources *sources, hid_t dataset, const char *name, const char *const *names,
                         uint64_t count);
/* Adds one member of a dataset of compounds: as many columns as it has numbers. */
hb_status hb_sources_add_member(hb_sources *sources, hid_t dataset, unsigned member, const char *const *names,
                                uint64_t count);
/* Returns whether one of the columns is wanted that names [count] say, or, where that is NULL, those made of `name`. */
bool hb_sources_want(const hb_sources *sources, const char *name, const char *const *names, uint64_t count);
/* Returns whether a group is a frame of pandas, by its attribute; finds its columns. */
bool hb_is_frame(hid_t group);
hb_status hb_frame_find(hid_t group, hb_sources *sources);

#endif
