/* Types of HDF5 that are numbers of C, or two of them, and the words of their cells. */
#ifndef HB_IO_READER_TYPE_H
#define HB_IO_READER_TYPE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* The type of stored cells. */
typedef struct hb_h5_type {
    uint32_t width; /* bytes; of each part of a complex number */
    bool big_endian, is_signed;
    bool floats;     /* floating point: IEEE 754 of 4 and 8 bytes, where the place of the cells is known */
    bool is_complex; /* a cell has two of them, the real part first */
} hb_h5_type;

/* Returns whether the type is a compound of two members of one floating-point type with the names of complex numbers'
 * parts; *part: that type, which the caller closes in any case; *names: their names. */
bool hb_h5_is_complex(hid_t type, hid_t *part, const char *const **names);
/* Returns whether C has the type: integers without padding bits, in either byte order; float and double of IEEE 754; or
 * two of these one after another. */
bool hb_h5_is_plain(hid_t type, const hb_h5_type *of);
/* Makes the type of complex numbers from two such numbers; the caller closes it. HB_ENOMEM. */
hb_status hb_h5_complex_type(hid_t number, const char *const names[2], hid_t *type);

/* Numbers of a column that mean missing cells, as words of the file's numbers: doubles, or integers, also where these
 * are read as doubles. */
enum { HB_MOST_GAPS = 8, HB_GAPS_BELOW = 1, HB_GAPS_ABOVE = 2 };
typedef struct hb_h5_gaps {
    uint32_t count;
    uint32_t bounds; /* HB_GAPS_BELOW: numbers below `least`, HB_GAPS_ABOVE: numbers above `most`; or both */
    uint64_t word[HB_MOST_GAPS];
    uint64_t least, most;
} hb_h5_gaps;
/* The words of a column that are no integers. */
typedef struct hb_h5_cells {
    uint64_t bits; /* they are doubles, from numbers with a significand of this many bits: above 53 they are rounded */
    hb_h5_gaps gaps;
} hb_h5_cells;
/* Returns the word of the double that an integer, as it stands in a file, is; NaN where the gaps say that its cell is
 * missing. An integer that no double is gets a word of its own, another NaN, which readers refuse. */
uint64_t hb_h5_real_of(uint64_t word, bool is_signed, const hb_h5_gaps *gaps);
/* Its words for missing cells, NaNs that no arithmetic makes: by a number, by a bound. */
#define HB_H5_FILLED UINT64_C(0x7ff8b16000000054)
#define HB_H5_OUTSIDE UINT64_C(0x7ff8b16000000055)
/* Returns whether a word is that of an integer that no double is. */
bool hb_h5_is_unheld(uint64_t word);
/* Returns the bits of the significand of a floating-point type, at most 255. */
int hb_h5_float_bits(hid_t type);

/* The place of the cells: row-major, contiguous from `offset` of the file on. */
typedef struct hb_h5_place {
    uint64_t offset;
    hb_h5_type type;
} hb_h5_place;

#endif
