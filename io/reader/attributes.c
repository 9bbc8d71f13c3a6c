/* Attributes by which numbers of a dataset stand for others, or for missing cells (netCDF's conventions), in the
 * reader's process. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "io/h5/h5.h"
#include "source_private.h"
#include "table/real_text.h"

/* A number of an attribute, or of the dataset's own property, as it stands there. */
typedef struct number {
    H5T_class_t class; /* H5T_INTEGER or H5T_FLOAT */
    int bits;          /* of the significand of a floating-point one */
    bool negative;
    double real;
    uint64_t word; /* of an integer, two's complement where it is negative */
} number;

/* The numbers of an attribute. */
typedef struct numbers {
    size_t count; /* 0: the object has no such attribute */
    number number[HB_MOST_GAPS];
} numbers;

/* The numbers of a buffer of this type. False where they are of another kind. */
static bool take_numbers(hid_t type, size_t count, void *buffer, numbers *out)
{
    const H5T_class_t class = H5Tget_class(type);
    const bool is_signed = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
    const hid_t native = class == H5T_FLOAT ? H5T_NATIVE_DOUBLE : is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    if ((class != H5T_FLOAT && class != H5T_INTEGER) || H5Tget_size(type) > sizeof(long double) ||
        H5Tconvert(type, native, count, buffer, NULL, H5P_DEFAULT) < 0) {
        return false;
    }
    out->count = count;
    for (size_t i = 0; i < count; i++) {
        number *to = &out->number[i];
        *to = (number){.class = class, .bits = class == H5T_FLOAT ? hb_h5_float_bits(type) : 0};
        memcpy(&to->word, (const char *)buffer + i * sizeof to->word, sizeof to->word);
        to->negative = is_signed && (int64_t)to->word < 0;
        to->real = class == H5T_FLOAT ? hb_real_of(to->word)
                   : to->negative     ? (double)(int64_t)to->word
                                      : (double)to->word;
    }
    return true;
}

/* Finds whether there is such an attribute. HB_EDATA where that cannot be told. */
static hb_status find_attribute(hid_t dataset, const char *name, const char *table, htri_t *there)
{
    return HB_H5(*there = H5Aexists(dataset, name), HB_EDATA, "%s: its attributes cannot be read", table);
}

/* Reads an attribute of one number or a few. HB_EDATA for any other. */
static hb_status read_attribute(hid_t dataset, const char *name, const char *table, numbers *out)
{
    char buffer[HB_MOST_GAPS * sizeof(long double)];
    htri_t there;
    out->count = 0;
    HB_TRY(find_attribute(dataset, name, table, &there));
    if (there == 0) {
        return HB_OK;
    }
    const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
    const hid_t space = attribute < 0 ? H5I_INVALID_HID : H5Aget_space(attribute);
    const hid_t type = attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute);
    const hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    const bool read = type >= 0 && count >= 1 && count <= HB_MOST_GAPS && H5Tget_size(type) <= sizeof(long double) &&
                      (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT) &&
                      H5Aread(attribute, type, buffer) >= 0 && take_numbers(type, (size_t)count, buffer, out);
    hb_h5_close(type);
    hb_h5_close(space);
    hb_h5_close(attribute);
    return read ? HB_OK
                : HB_FAIL(HB_EDATA, "%s: has the attribute %s, which is none of 1 to %d numbers: remove it, or mend it",
                          table, name, HB_MOST_GAPS);
}

/* --- numbers that stand for others */

/* Whether an attribute, which is there, is the text "false", and nothing else. */
static bool says_false(hid_t dataset, const char *name)
{
    char text[64] = "";
    const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute);
    const hid_t space = attribute < 0 ? H5I_INVALID_HID : H5Aget_space(attribute);
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1) {
        char *variable = NULL;
        if (H5Tis_variable_str(type) > 0) {
            if (H5Aread(attribute, type, &variable) >= 0 && variable != NULL) {
                strncat(text, variable, sizeof text - 1);
            }
            H5free_memory(variable);
        } else if (H5Tget_size(type) < sizeof text && H5Aread(attribute, type, text) < 0) {
            text[0] = '\0';
        }
    }
    hb_h5_close(space);
    hb_h5_close(type);
    hb_h5_close(attribute);
    return strcasecmp(text, "false") == 0;
}

/* Refuses a table that decrypt wrote where its integers stand for decimals, labels, dates or truth values. */
static hb_status check_meanings(hid_t dataset, const char *name)
{
    hb_h5_texts words;
    HB_TRY(hb_h5_process_read_texts(dataset, "meanings", name, &words));
    uint64_t c = 0;
    while (c < words.count && (words.text[c] == NULL || words.text[c][0] == '\0')) {
        c++;
    }
    const bool stand = c < words.count;
    hb_h5_texts_free(&words);
    return stand ? HB_FAIL(HB_EDATA,
                           "%s: its attribute meanings says that numbers of column %" PRIu64 " stand for decimals, "
                           "labels, dates or truth values: decrypt into a CSV",
                           name, c + 1)
                 : HB_OK;
}

hb_status hb_h5_process_check_attributes(hid_t dataset, const char *name)
{
    static const struct {
        const char *name;
        double neutral; /* with this it changes nothing */
        const char *says;
    } known[] = {{"scale_factor", 1, "its numbers are to be multiplied by it: multiply them first"},
                 {"add_offset", 0, "it is to be added to its numbers: add it first"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        numbers found;
        HB_TRY(read_attribute(dataset, known[i].name, name, &found));
        if (found.count > 1 || (found.count == 1 && found.number[0].real != known[i].neutral)) {
            return HB_FAIL(HB_EDATA, "%s: has the attribute %s, %s", name, known[i].name, known[i].says);
        }
    }
    htri_t there;
    HB_TRY(check_meanings(dataset, name));
    HB_TRY(find_attribute(dataset, "_Unsigned", name, &there));
    return there > 0 && !says_false(dataset, "_Unsigned")
               ? HB_FAIL(HB_EDATA,
                         "%s: has the attribute _Unsigned, which does not say \"false\": store its numbers in a type "
                         "without a sign, and remove it",
                         name)
               : HB_OK;
}

/* --- numbers that stand for missing cells */

static hb_status refuse_type(const hb_gaps_of *of, const char *attribute)
{
    return HB_FAIL(HB_EDATA,
                   "%s: column '%s': its attribute %s is of another type than its numbers: store it as theirs",
                   of->table, of->column, attribute);
}

/* Whether a double is the integer of an attribute. */
static bool is_integer(const number *n, double real)
{
    return n->negative ? (int64_t)real == (int64_t)n->word : real < 0x1p64 && (uint64_t)real == n->word;
}

/* Makes a word of the column of a number; *none: no cell has it. */
static hb_status word_of(const hb_gaps_of *of, const char *attribute, const number *n, uint64_t *word, bool *none)
{
    const bool whole = n->class == H5T_INTEGER || n->real == nearbyint(n->real);
    *none = isnan(n->real); /* NaN is a missing cell anyway */
    if (of->bits > 0) {
        /* As a number of the column's type, which a shorter one does not say. */
        const double narrow = hb_real_narrow(n->real, of->bits);
        if (!*none && (n->class == H5T_FLOAT ? n->bits < of->bits && !whole : !is_integer(n, narrow))) {
            return refuse_type(of, attribute);
        }
        *word = hb_real_word(narrow);
        return HB_OK;
    }
    if (n->bits > DBL_MANT_DIG) {
        return refuse_type(of, attribute); /* which was rounded */
    }
    if (n->class == H5T_FLOAT) {
        const double least = of->is_signed ? -0x1p63 : 0, most = of->is_signed ? 0x1p63 : 0x1p64;
        *none = *none || !whole || n->real < least || n->real >= most;
        *word = *none ? 0 : n->real < 0 ? (uint64_t)(int64_t)n->real : (uint64_t)n->real;
    } else if (of->is_signed ? !n->negative && n->word > INT64_MAX : n->negative) {
        return refuse_type(of, attribute);
    } else {
        *word = n->word;
    }
    return HB_OK;
}

/* Adds the number of this attribute, unless no cell can be it. */
static hb_status add_word(const hb_gaps_of *of, const char *attribute, const number *n, hb_h5_gaps *gaps)
{
    bool none;
    uint64_t word = 0;
    HB_TRY(word_of(of, attribute, n, &word, &none));
    if (!none && gaps->count == HB_MOST_GAPS) {
        return HB_FAIL(HB_EDATA, "%s: column '%s': more than %d numbers stand for missing cells", of->table, of->column,
                       HB_MOST_GAPS);
    }
    if (!none) {
        gaps->word[gaps->count++] = word;
    }
    return HB_OK;
}

static hb_status add_words(const hb_gaps_of *of, hid_t dataset, const char *attribute, hb_h5_gaps *gaps)
{
    numbers found;
    HB_TRY(read_attribute(dataset, attribute, of->table, &found));
    for (size_t i = 0; i < found.count; i++) {
        HB_TRY(add_word(of, attribute, &found.number[i], gaps));
    }
    return HB_OK;
}

/* Adds a bound of valid cells; `valid_range` has both. */
static hb_status add_bounds(const hb_gaps_of *of, hid_t dataset, const char *attribute, unsigned which,
                            hb_h5_gaps *gaps)
{
    numbers found;
    HB_TRY(read_attribute(dataset, attribute, of->table, &found));
    if (found.count != 0 && found.count != (which == HB_GAPS_BELOW + HB_GAPS_ABOVE ? 2 : 1)) {
        return refuse_type(of, attribute);
    }
    for (size_t i = 0; i < found.count; i++) {
        const bool above = which == HB_GAPS_ABOVE || i == 1;
        bool none;
        HB_TRY(word_of(of, attribute, &found.number[i], above ? &gaps->most : &gaps->least, &none));
        if (none) {
            return refuse_type(of, attribute);
        }
        gaps->bounds |= above ? HB_GAPS_ABOVE : HB_GAPS_BELOW;
    }
    return HB_OK;
}

/* Whether netCDF's library put this number for bytes, all of whose values it takes for cells. */
static bool is_netcdf_byte(const number *n, size_t size)
{
    return n->class == H5T_INTEGER && size == 1 && (n->negative ? (int64_t)n->word == -127 : n->word == UINT8_MAX);
}

/* Adds the fill value of unwritten cells, where the dataset's creator set one. Most writers set 0 by default, so 0 is a
 * cell. */
static hb_status add_unwritten(const hb_gaps_of *of, hid_t dataset, hb_h5_gaps *gaps)
{
    char buffer[sizeof(long double)] = "";
    numbers found = {.count = 0};
    H5D_fill_value_t state = H5D_FILL_VALUE_UNDEFINED;
    const hid_t type = H5Dget_type(dataset), creation = H5Dget_create_plist(dataset);
    if (type >= 0 && creation >= 0 && H5Tget_size(type) <= sizeof buffer &&
        (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT) &&
        H5Pfill_value_defined(creation, &state) >= 0 && state == H5D_FILL_VALUE_USER_DEFINED &&
        H5Pget_fill_value(creation, type, buffer) >= 0) {
        (void)take_numbers(type, 1, buffer, &found);
    }
    const size_t size = type < 0 ? 0 : H5Tget_size(type);
    hb_h5_close(creation);
    hb_h5_close(type);
    const number *n = &found.number[0];
    const bool counts = found.count == 1 && n->real != 0 && !is_netcdf_byte(n, size);
    return counts ? add_word(of, "_FillValue", n, gaps) : HB_OK;
}

hb_status hb_h5_process_find_gaps(const hb_gaps_of *of, hid_t dataset, hb_h5_gaps *gaps)
{
    static const char *const words[] = {"_FillValue", "missing_value"};
    static const struct {
        const char *name;
        unsigned which;
    } bounds[] = {
        {"valid_range", HB_GAPS_BELOW + HB_GAPS_ABOVE}, {"valid_min", HB_GAPS_BELOW}, {"valid_max", HB_GAPS_ABOVE}};
    htri_t there = 0;
    *gaps = (hb_h5_gaps){.count = 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (of->numbers) {
            HB_TRY(add_words(of, dataset, words[i], gaps));
            continue;
        }
        HB_TRY(find_attribute(dataset, words[i], of->table, &there));
        if (there > 0) {
            return HB_FAIL(HB_EDATA, "%s: has the attribute %s, and cells that are no single numbers: remove it",
                           of->table, words[i]);
        }
    }
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds && of->numbers; i++) {
        HB_TRY(add_bounds(of, dataset, bounds[i].name, bounds[i].which, gaps));
    }
    return of->numbers ? add_unwritten(of, dataset, gaps) : HB_OK;
}
