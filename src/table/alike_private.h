/* Facts of Unicode about characters, as far as texts that look alike need them. */
#ifndef HB_TABLE_ALIKE_PRIVATE_H
#define HB_TABLE_ALIKE_PRIVATE_H

#include <stdint.h>

/* A character, and the one or two characters that it is composed of; the second is 0 where there is one. */
typedef struct hb_decomposition {
    uint16_t character, parts[2];
} hb_decomposition;
enum { HB_DECOMPOSITIONS = 1062, HB_CASE_RUNS = 168 }; /* lengths of the tables */
extern const hb_decomposition hb_decompositions[HB_DECOMPOSITIONS];

/* Characters first, first + step .. last; adding `add` gives the small letter. */
typedef struct hb_case_run {
    uint32_t first, last;
    int32_t add;
    uint32_t step;
} hb_case_run;
extern const hb_case_run hb_case_runs[HB_CASE_RUNS];

#endif
