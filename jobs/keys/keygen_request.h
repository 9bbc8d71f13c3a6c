/* The keys for computing that a command line asks for, and their names. */
#ifndef HB_KEYS_KEYGEN_REQUEST_H
#define HB_KEYS_KEYGEN_REQUEST_H

#include "io/keys/switch_key_file.h"

/* The switching keys that a command line asks for. */
typedef struct hb_keygen_request {
    bool relin, swap, conj;
    bool bootstrap;        /* the keys of bootstrapping; HB_ECONFIG where the parameters have none */
    const char *rotations; /* "1,2,-4,8..56/8", and words: all, sum; NULL: none */
    /* The keys that it needs, those of bootstrapping included where the parameters have it; NULL: none. */
    const char *expression;
    /* "w,c": inputs of the expression that have one row beside others of more, or are encrypted weights; NULL: none. */
    const char *one_row;
    const char *filled; /* "q": inputs whose one row was made to stand in every row (encrypt --fill); NULL: none */
    const char *spread; /* "q=128": inputs whose one row stands in one ciphertext (encrypt --spread); NULL: none */
    const char *rings;  /* "q=4096": those of `spread` that come from a smaller ring, with its degree; NULL: none */
    const char *masked; /* "v": inputs whose columns have masks (encrypt --missing mask); NULL: none */
    const char *plain;  /* "w=FILE": inputs that are plain tables, which are not read; NULL: none */
    uint64_t block;     /* slots of a row of the expression's datasets; 0: columns have ciphertexts of their own */
} hb_keygen_request;

/* Returns whether a request asks for no keys, and has no option that says which. */
bool hb_keygen_request_is_empty(const hb_keygen_request *request);

/* Makes the list of the keys that are asked for: one for each element, for the highest level at which it is used;
 * relinearization first. The caller frees list->name. HB_EUSAGE for malformed requests and steps out of range;
 * HB_ECONFIG when the parameters lack the special prime, the slots to rotate, or the bootstrapping that is asked
 * for. */
hb_status hb_keygen_names(hb_key_names *list, const hb_keygen_request *request, const hb_params *params);

#endif
