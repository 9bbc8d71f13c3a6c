/* Hashes of things in memory, and tables that find things by them. hb_mix also draws the samples by which the compiler
 * expects errors (lang/analysis/monte_carlo_slots.c): another one would change the precision that plans expect. */
#ifndef HB_BASE_HASH_H
#define HB_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

/* Returns the next word of SplitMix64 from the state `x` (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators, OOPSLA 2014). */
static inline uint64_t hb_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / golden ratio, odd */
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns `hash` extended by one word. */
static inline uint64_t hb_hash_word(uint64_t hash, uint64_t word)
{
    return hb_mix(hash ^ word);
}

/* Returns the hash of a text. */
static inline uint64_t hb_hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; *text != '\0'; text++) {
        hash = hb_hash_word(hash, (unsigned char)*text);
    }
    return hash;
}

#define HB_NO_INDEX UINT32_MAX

/* A table of indices of the caller's things, with open addressing: at least every second place is free. Zeroed: no
 * table. */
typedef struct hb_index_table {
    uint32_t *place; /* [size] an index, or HB_NO_INDEX; owned */
    size_t size;
} hb_index_table;

/* Makes an empty table for at most so many things. HB_ENOMEM. The caller clears. */
hb_status hb_index_table_init(hb_index_table *table, size_t most);
void hb_index_table_clear(hb_index_table *table);

/* Returns the place of the wanted thing's index; `is_wanted` tells whether an index is that thing's. Where the table
 * lacks it the place holds HB_NO_INDEX, and the caller may write the index there. is_wanted NULL: it is known to be
 * absent. */
uint32_t *hb_index_table_find(const hb_index_table *table, uint64_t hash,
                              bool (*is_wanted)(const void *context, uint32_t index), const void *context);

#endif
