#include "seal_cost.h"

#include <string.h>

hb_status hb_seal_cost_parse(const char *word, hb_seal_cost *cost)
{
    for (int i = 0; i < HB_SEAL_COSTS; i++) {
        if (strcmp(word, hb_seal_cost_names[i]) == 0) {
            *cost = (hb_seal_cost)i;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "the cost of a passphrase is %s, %s or %s, not '%s'", hb_seal_cost_names[0],
                   hb_seal_cost_names[1], hb_seal_cost_names[2], word);
}
