/* Adds units of datasets on an engine, and makes the units of their sum. Only one thread at a time uses an adder. */
#ifndef HB_ADD_ADDER_H
#define HB_ADD_ADDER_H

#include "batch/unit/unit_rows.h"
#include "read_schedule.h"

typedef struct hb_adder {
    hb_engine *engine;
    const hb_params *params;
    const hb_header *header; /* of the sum */
    size_t batch;            /* ciphertexts that are unpacked at a time */
    hb_unit_rows input, made;
    hb_batch sum[2];  /* [ciphertexts of a group] components of the sum so far */
    hb_batch some[2]; /* [batch] */
} hb_adder;

#endif
