/* Apart from other numbers, as reals as text need libraries that programs without tables do without. */
#include "parse.h"

#include <math.h>
#include <string.h>

#include "table/real_text.h"

hb_status hb_parse_gap(const char *text, double *gap)
{
    if (text == NULL) {
        return HB_OK;
    }
    const bool power = strncmp(text, "2^-", 3) == 0;
    const char *at = text + (power ? 3 : 0);
    double number;
    if (hb_real_parse(&at, text + strlen(text), &number) == HB_REAL_GOOD && *at == '\0') {
        number = power ? exp2(-number) : number;
        if (number > 0 && number < 1) {
            *gap = number;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "--gap %.64s: expected a number between 0 and 1, as 2^-12 or 0.001", text);
}
