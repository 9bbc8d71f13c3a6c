/* HDF5 output: one contiguous dataset of the table's own type, whose cells are written past HDF5. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "io/h5/h5.h"
#include "table_private.h"

/* Returns the HDF5 type of numbers, by width, order of bytes and sign; reals are doubles. */
static hid_t number_type(const hb_table_writer *writer)
{
    if (writer->real) {
        return writer->big_endian ? H5T_IEEE_F64BE : H5T_IEEE_F64LE;
    }
    /* H5T_STD_* are calls, so the table cannot be static. */
    const hid_t types[4][2][2] = {{{H5T_STD_U8LE, H5T_STD_I8LE}, {H5T_STD_U8BE, H5T_STD_I8BE}},
                                  {{H5T_STD_U16LE, H5T_STD_I16LE}, {H5T_STD_U16BE, H5T_STD_I16BE}},
                                  {{H5T_STD_U32LE, H5T_STD_I32LE}, {H5T_STD_U32BE, H5T_STD_I32BE}},
                                  {{H5T_STD_U64LE, H5T_STD_I64LE}, {H5T_STD_U64BE, H5T_STD_I64BE}}};
    return types[__builtin_ctz(writer->width)][writer->big_endian][writer->is_signed];
}

/* Makes the type of integers of 128 bits, which HDF5 and its users have not: two words, the low one first. */
static hb_status wide_type(const hb_table_writer *writer, hid_t *type)
{
    hid_t made = 0;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(made = H5Tcreate(H5T_COMPOUND, HB_WIDE_CELL * sizeof(uint64_t)), HB_ENOMEM,
                  "no memory for the type of a table"));
    HB_GOTO(HB_H5(H5Tinsert(made, "low", 0, H5T_STD_U64LE), HB_ENOMEM, "no memory for the type of a table"));
    HB_GOTO(HB_H5(H5Tinsert(made, "high", sizeof(uint64_t), writer->is_signed ? H5T_STD_I64LE : H5T_STD_U64LE),
                  HB_ENOMEM, "no memory for the type of a table"));
    *type = made;
    made = 0;
done:
    hb_h5_close(made);
    return st;
}

/* Makes the HDF5 type of the cells, which the caller closes; that of complex ones is h5py's. */
static hb_status file_type(const hb_table_writer *writer, hid_t *type)
{
    if (writer->wide) {
        return wide_type(writer, type);
    }
    if (!hb_schema_has_halves(&writer->schema)) {
        return HB_H5(*type = H5Tcopy(number_type(writer)), HB_ENOMEM, "no memory for the type of a table");
    }
    static const char *const names[2] = {"r", "i"};
    return hb_h5_complex_type(number_type(writer), names, type);
}

static hb_h5_shape shape_of(const hb_table_writer *writer, hid_t type)
{
    const hb_schema *schema = &writer->schema;
    return schema->rank == 1 ? hb_h5_vector(type, schema->rows) : hb_h5_matrix(type, schema->rows, schema->columns);
}

/* Writes an attribute of one text a column, as h5py and pandas do: strings of variable length, UTF-8. */
static hb_status put_texts(hid_t dataset, const char *name, const char *const *texts, uint64_t columns)
{
    hid_t type = 0, space = 0, attribute = 0;
    hsize_t extent = columns;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(type = H5Tcopy(H5T_C_S1), HB_ENOMEM, "attribute '%s': no memory", name));
    HB_GOTO(HB_H5(H5Tset_size(type, H5T_VARIABLE), HB_EINTERNAL, "attribute '%s': bad length", name));
    HB_GOTO(HB_H5(H5Tset_cset(type, H5T_CSET_UTF8), HB_EINTERNAL, "attribute '%s': bad character set", name));
    HB_GOTO(HB_H5(space = H5Screate_simple(1, &extent, NULL), HB_ENOMEM, "attribute '%s': no memory", name));
    HB_GOTO(HB_H5(attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT), HB_EIO,
                  "attribute '%s': cannot be created", name));
    st = HB_H5(H5Awrite(attribute, type, texts), HB_EIO, "attribute '%s': cannot be written", name);
done:
    st = hb_h5_close_written(attribute, name, st);
    hb_h5_close(space);
    hb_h5_close(type);
    return st;
}

/* Writes the names of columns, "columns", and where cells stand for something else, in words for what: "meanings". */
static hb_status put_columns(hid_t dataset, const hb_schema *schema)
{
    /* HDF5 takes strings of variable length as an array of pointers. */
    const char **texts = malloc((size_t)schema->columns * sizeof *texts);
    char(*words)[HB_MEANING_WORDS] = malloc((size_t)schema->columns * sizeof *words);
    hb_status st = HB_OK;
    if (texts == NULL || words == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", schema->columns));
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        texts[c] = schema->column[c].name;
    }
    HB_GOTO(schema->named ? put_texts(dataset, "columns", texts, schema->columns) : HB_OK);
    for (uint64_t c = 0; c < schema->columns; c++) {
        words[c][0] = '\0';
        if (!hb_meaning_is_plain(&schema->column[c].meaning)) { /* a number of minutes is a number */
            hb_meaning_words(&schema->column[c].meaning, words[c]);
        }
        texts[c] = words[c];
    }
    HB_GOTO(hb_schema_has_meanings(schema) ? put_texts(dataset, "meanings", texts, schema->columns) : HB_OK);
done:
    free(words);
    free(texts);
    return st;
}

/* Gives the dataset its place in the file by writing one cell. */
static hb_status take_place(hid_t dataset, hid_t space, hid_t type)
{
    const hsize_t first[2] = {0, 0};
    const uint64_t zero[2] = {0, 0}; /* of a complex number both words */
    hid_t one;
    HB_TRY(HB_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, first), HB_EINTERNAL, "cannot select a cell"));
    HB_TRY(HB_H5(one = H5Screate(H5S_SCALAR), HB_ENOMEM, "cannot select a cell"));
    hb_status st =
        HB_H5(H5Dwrite(dataset, type, one, space, H5P_DEFAULT, zero), HB_ENOMEM, "cannot give a dataset its place");
    hb_h5_close(one);
    return st;
}

/* Makes the dataset, its groups and names. The cells get their place last, which late allocation allows: names may need
 * any amount of memory in the file, and an image has none behind the cells. */
static hb_status put_dataset(hid_t file, void *context)
{
    const hb_table_writer *writer = *(const hb_table_writer *const *)context;
    hid_t links, space = 0, creation = 0, dataset = 0, type = 0;
    HB_TRY(HB_H5(links = H5Pcreate(H5P_LINK_CREATE), HB_ENOMEM, "cannot make HDF5 properties"));
    hb_status st = HB_OK;
    HB_GOTO(file_type(writer, &type));
    const hb_h5_shape shape = shape_of(writer, type);
    /* The dataset's path may lead through groups. */
    HB_GOTO(HB_H5(H5Pset_create_intermediate_group(links, 1), HB_EINTERNAL, "HDF5 refuses to make groups"));
    HB_GOTO(HB_H5(space = H5Screate_simple(shape.rank, shape.extent, NULL), HB_EIO, "bad extents"));
    HB_GOTO(hb_h5_dataset_properties(&creation));
    HB_GOTO(HB_H5(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_LATE), HB_EINTERNAL, "HDF5 refuses late allocation"));
    HB_GOTO(HB_H5(dataset = H5Dcreate2(file, writer->dataset, shape.type, space, links, creation, H5P_DEFAULT),
                  HB_ECREATE, "%s: cannot make dataset '%s'", writer->partial, writer->dataset));
    if (writer->schema.named || hb_schema_has_meanings(&writer->schema)) {
        HB_GOTO(put_columns(dataset, &writer->schema));
    }
    if (writer->schema.rows > 0) {
        st = take_place(dataset, space, shape.type);
    }
done:
    st = hb_h5_close_written(dataset, writer->dataset, st);
    hb_h5_close(type);
    hb_h5_close(creation);
    hb_h5_close(space);
    hb_h5_close(links);
    return st;
}

/* Writes all of the file but the cells, whose space is not taken yet. */
static hb_status h5_make(const hb_table_writer *writer, bool fresh, int *fd)
{
    hb_h5_image image;
    /* Before the file is claimed: a dataset that cannot be made leaves nothing. */
    HB_TRY(hb_h5_image_make(&image, 1, put_dataset, &writer));
    hb_status st = hb_file_lock_new_file(writer->partial, 0600, fresh, fd);
    if (st == HB_OK) {
        st = hb_h5_image_write(&image, *fd, writer->partial);
        if (st != HB_OK) {
            unlink(writer->partial);
            close(*fd);
            *fd = -1; /* the caller would close it again */
        }
    }
    hb_h5_image_clear(&image);
    return st;
}

/* Asks HDF5 where the cells lie, on every rank for itself. */
static hb_status h5_locate(hb_table_writer *writer)
{
    hid_t file;
    uint64_t file_bytes;
    HB_TRY(hb_h5_open_ours(writer->partial, &file, &file_bytes));
    hid_t type = 0;
    hb_status st = HB_OK;
    HB_GOTO(file_type(writer, &type));
    st = hb_h5_locate(file, writer->dataset, writer->partial, shape_of(writer, type), file_bytes, &writer->offset);
done:
    hb_h5_close(type);
    hb_h5_close(file);
    return st;
}

static hb_status h5_finish(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text,
                           const char **finished)
{
    (void)ranks;
    (void)text;
    *finished = writer->partial;
    return HB_OK;
}

const hb_table_writer_ops hb_table_writer_h5 = {.make = h5_make, .locate = h5_locate, .finish = h5_finish};
