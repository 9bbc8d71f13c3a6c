/* Encoded matrices that one run of a program leaves to later ones on the same engine, by digests of all that they were
 * made of. Rank-local: members that share limbs put, take and bound in the same order, and so find the same. */
#ifndef HB_SCHEME_BLOCK_SHELF_H
#define HB_SCHEME_BLOCK_SHELF_H

#include "base/digest.h"
#include "matrix.h"

typedef struct hb_shelved {
    uint8_t digest[HB_DIGEST_BYTES];
    hb_block_map *map;
    uint64_t bytes; /* of the engine's memory, on the member with most limbs */
} hb_shelved;

/* The matrices, the one that lies longest first. Zeroed: none. The parameters that they were put with may be gone. */
typedef struct hb_block_shelf {
    hb_shelved *list; /* [count] owned */
    size_t count;
    uint64_t bytes;          /* of all */
    uint64_t found, missing; /* bytes that were taken, and that were not there, so far */
} hb_block_shelf;

/* Digests a matrix, or a pair, as it is to be encoded with these parameters: its entries and their places, the outline
 * and the level. */
void hb_block_map_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params *params, const hb_block_map_wanted *wanted);
/* Takes a matrix from the shelf, for these parameters; it is the caller's. NULL: it is not there. Counts its bytes. */
hb_block_map *hb_block_shelf_take(hb_block_shelf *shelf, const hb_params *params, const hb_shelved *wanted);
/* Puts a matrix there, which is the shelf's from now on. Closes it where there is no memory for the list. */
void hb_block_shelf_put(hb_block_shelf *shelf, hb_shelved own);
/* Closes matrices, the one that lies longest first, until all take at most so many bytes; 0: all of them, and frees the
 * list. The parameters are such as they were put with. No work with them may be under way. */
void hb_block_shelf_bound(hb_block_shelf *shelf, const hb_params *params, uint64_t most);

#endif
