/* Types of HDF5 that are numbers of C, or two of them. */
#include <string.h>

#include "io/h5/h5.h"
#include "source_private.h"

/* The parts of a complex number, as h5py and most others call them, and as MATLAB does. */
static const char *const part_names[][2] = {{"r", "i"}, {"real", "imag"}};
enum { PART_NAMES = sizeof part_names / sizeof part_names[0] };

bool hb_h5_is_complex(hid_t type, hid_t *part, const char *const **names)
{
    int found = 0;
    *part = H5I_INVALID_HID;
    if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) {
        return false;
    }
    char *own[2] = {H5Tget_member_name(type, 0), H5Tget_member_name(type, 1)};
    while (found < PART_NAMES && own[0] != NULL && own[1] != NULL &&
           (strcmp(own[0], part_names[found][0]) != 0 || strcmp(own[1], part_names[found][1]) != 0)) {
        found++;
    }
    const bool named = found < PART_NAMES && own[0] != NULL && own[1] != NULL;
    *names = part_names[named ? found : 0];
    H5free_memory(own[0]);
    H5free_memory(own[1]);
    const hid_t second = H5Tget_member_type(type, 1);
    *part = H5Tget_member_type(type, 0);
    const bool same = *part >= 0 && second >= 0 && H5Tget_class(*part) == H5T_FLOAT && H5Tequal(*part, second) > 0;
    hb_h5_close(second);
    return named && same;
}

int hb_h5_float_bits(hid_t type)
{
    size_t sign, exponent, exponent_bits, mantissa, bits = 0;
    if (H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &bits) < 0 || bits > UINT8_MAX - 1) {
        return UINT8_MAX;
    }
    return (int)bits + (H5Tget_norm(type) == H5T_NORM_IMPLIED);
}

bool hb_h5_is_plain(hid_t type, const hb_h5_type *of)
{
    if (of->is_complex) {
        hid_t part;
        const char *const *names;
        hb_h5_type each = *of;
        each.is_complex = false;
        const bool plain = hb_h5_is_complex(type, &part, &names) && hb_h5_is_plain(part, &each) &&
                           H5Tget_size(type) == 2 * (size_t)of->width && H5Tget_member_offset(type, 0) == 0 &&
                           H5Tget_member_offset(type, 1) == of->width;
        hb_h5_close(part);
        return plain;
    }
    if (of->floats) {
        /* Equal in every property that HDF5 knows of: fields, bias, normalisation. */
        const hid_t floats[] = {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
        return H5Tequal(type, floats[2 * (of->width == sizeof(double)) + of->big_endian]) > 0;
    }
    const H5T_order_t order = H5Tget_order(type);
    return H5Tget_size(type) == of->width && H5Tget_precision(type) == 8 * of->width && H5Tget_offset(type) == 0 &&
           (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
}

hb_status hb_h5_complex_type(hid_t number, const char *const names[2], hid_t *type)
{
    const size_t width = H5Tget_size(number);
    HB_TRY(HB_H5(*type = H5Tcreate(H5T_COMPOUND, 2 * width), HB_ENOMEM, "no memory for the type of a table"));
    for (size_t half = 0; half < 2; half++) {
        HB_TRY(
            HB_H5(H5Tinsert(*type, names[half], half * width, number), HB_ENOMEM, "no memory for the type of a table"));
    }
    return HB_OK;
}

bool hb_is_in_parts(hid_t object)
{
    hid_t type, part;
    const char *const *names;
    if (H5Iget_type(object) == H5I_GROUP) {
        return true;
    }
    if (H5Iget_type(object) != H5I_DATASET || (type = H5Dget_type(object)) < 0) {
        return false;
    }
    const H5T_class_t class = H5Tget_class(type);
    bool parts = class == H5T_ENUM || class == H5T_BITFIELD || class == H5T_COMPOUND;
    if (class == H5T_COMPOUND) {
        /* A type that integers cannot be read from is refused by its class. */
        parts = !hb_h5_is_complex(type, &part, &names);
        hb_h5_close(part);
    }
    hb_h5_close(type);
    return parts;
}

/* --- integers that are read as doubles */

/* A NaN that no arithmetic makes, as those of gaps. */
static const uint64_t unheld = 0x7ff8b16000000053;

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
    const uint64_t flip = (uint64_t)is_signed << 63;
    return (a ^ flip) < (b ^ flip);
}

uint64_t hb_h5_real_of(uint64_t word, bool is_signed, const hb_h5_gaps *gaps)
{
    for (uint32_t i = 0; i < gaps->count; i++) {
        if (word == gaps->word[i]) {
            return HB_H5_FILLED;
        }
    }
    if (((gaps->bounds & HB_GAPS_BELOW) != 0 && is_less(word, gaps->least, is_signed)) ||
        ((gaps->bounds & HB_GAPS_ABOVE) != 0 && is_less(gaps->most, word, is_signed))) {
        return HB_H5_OUTSIDE;
    }
    const double value = is_signed ? (double)(int64_t)word : (double)word;
    const double end = is_signed ? 0x1p63 : 0x1p64; /* to which the largest integers are rounded */
    const bool held = value < end && (is_signed ? (uint64_t)(int64_t)value : (uint64_t)value) == word;
    return held ? hb_real_word(value) : unheld;
}

bool hb_h5_is_unheld(uint64_t word)
{
    return word == unheld;
}
