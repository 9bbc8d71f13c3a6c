#include "gap.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/base/real_text.h"

hb_status hb_gap_parse(const char *text, double *gap)
{
    const char *at = text;
    if (text == NULL) {
        return HB_OK;
    }
    const bool power = strncmp(text, "2^-", 3) == 0;
    at += power ? 3 : 0;
    if (hb_real_parse(&at, text + strlen(text), gap) == HB_REAL_GOOD && *at == '\0') {
        *gap = power ? exp2(-*gap) : *gap;
        if (*gap > 0 && *gap < 1) {
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "--gap %.64s: expected a number between 0 and 1, as 2^-12 or 0.001", text);
}
