/* How a scheme's plaintexts hold the cells of a table. A scheme opens a codec and encodes and decodes with it
 * (bfv/codec.h). */
#ifndef HB_RLWE_CODEC_H
#define HB_RLWE_CODEC_H

#include "base/cell.h"
#include "params.h"

typedef enum hb_encoding {
    HB_ENCODE_SLOTS,        /* value i is slot i: values add and multiply one by one */
    HB_ENCODE_COEFFICIENTS, /* value i is coefficient i of the polynomial: values only add */
    HB_ENCODE_REVERSED, /* the same in another order, value i in coefficient hb_merged_coefficient(i) (scheme/merge.h):
                           codecs take coefficients of polynomials that are in that order already */
    HB_ENCODE_SPREAD    /* coefficients, of a row that stands in the place of all: its numbers, divided by 2^k
                           (scheme/spread.h), imaginary parts N/2 behind: codecs take values that are divided already */
} hb_encoding;
enum { HB_ENCODINGS = HB_ENCODE_SPREAD + 1 };

/* The first member of a scheme's codec. */
typedef struct hb_codec {
    hb_engine *engine;
    const hb_params *params;
    hb_encoding encoding;
} hb_codec;

/* The layout of slots: `rows` rows of `columns` slots, which rotate within their row. */
typedef struct hb_slot_shape {
    uint32_t rows;
    size_t columns;
} hb_slot_shape;

/* The range of a column's values, least .. most, two's complement where the column is signed. */
typedef struct hb_cell_range {
    uint64_t least, most;
} hb_cell_range;

/* The first value of a plaintext that an encoder could not hold, or none: the coefficient that shows it. With
 * coefficients that is the value itself; with slots every coefficient depends on all values. */
typedef struct hb_refusal {
    bool any;
    size_t plaintext, coefficient;
} hb_refusal;

/* Every stride-th of count * stride words of host memory: the values of one column among those of other columns. */
typedef struct hb_cell_words {
    uint64_t *words;
    size_t count, stride;
} hb_cell_words;

#endif
