/* What switching keys a command line asks for. */
#ifndef HB_KEYS_KEYGEN_REQUEST_H
#define HB_KEYS_KEYGEN_REQUEST_H

#include "key_store.h"

typedef struct hb_keygen_request {
    bool relin, swap;
    const char *rotations;  /* "1,2,-4", and words: all, sum; NULL: none */
    const char *expression; /* the keys that it needs; NULL: none */
} hb_keygen_request;

/* The elements, each once, relinearization first; the caller frees list->element. HB_EUSAGE for what cannot be read and
 * for steps out of range; HB_ECONFIG when the parameters have no special prime, or no slots to rotate. */
hb_status hb_keygen_elements(hb_elements *list, const hb_keygen_request *request, const hb_params *params);

#endif
