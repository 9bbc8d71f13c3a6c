/* approximations FUNCTION LOW HIGH BITS [GAP]: prints the result of hb_approximate: a line "depth error microseconds",
 * a line "low high gap", then a line for each stage: its margin, then its coefficients; doubles exactly, in
 * hexadecimal. For table.py. */
#include <stdio.h>
#include <stdlib.h>

#include "approx/approx.h"
#include "base/clock.h"

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 6) {
        fprintf(stderr, "usage: approximations FUNCTION LOW HIGH BITS [GAP]\n");
        return HB_EUSAGE;
    }
    const hb_approximation_request request = {.function = hb_function_find(argv[1]),
                                              .low = strtod(argv[2], NULL),
                                              .high = strtod(argv[3], NULL),
                                              .bits = strtod(argv[4], NULL),
                                              .gap = argc == 6 ? strtod(argv[5], NULL) : 0};
    if (request.function == HB_FUNCTIONS) {
        fprintf(stderr, "%s is no function\n", argv[1]);
        return HB_EUSAGE;
    }
    hb_approximation a;
    const double start = hb_now();
    const hb_status st = hb_approximate(&a, &request);
    if (st != HB_OK) {
        fprintf(stderr, "%s\n", hb_last_error()->text);
        return (int)st;
    }
    printf("%u %a %.0f\n%a %a %a\n", hb_approximation_depth(&a), a.error, 1e6 * (hb_now() - start), a.low, a.high,
           a.gap);
    for (uint32_t i = 0; i < a.stages; i++) {
        printf("%a", a.margin[i]);
        for (uint32_t k = 0; k <= a.stage[i].degree; k++) {
            printf(" %a", a.stage[i].coefficients[k]);
        }
        printf("\n");
    }
    hb_approximation_clear(&a);
    return 0;
}
