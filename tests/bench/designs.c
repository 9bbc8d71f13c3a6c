/* All designs, by name, and against the CPU engine without times. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "figure_run.h"

const hb_design *const hb_designs[] = {hb_designs_ours,    hb_designs_stages, hb_designs_single,
                                       hb_designs_hybrid,  hb_designs_kim,    hb_designs_kim_two,
                                       hb_designs_cheddar, hb_designs_dgt,    NULL};

const hb_design *hb_design_find(const char *name)
{
    for (const hb_design *const *file = hb_designs; *file != NULL; file++) {
        for (const hb_design *design = *file; design->name != NULL; design++) {
            if (strcmp(design->name, name) == 0) {
                return design;
            }
        }
    }
    return NULL;
}

/* Few polynomials and limbs, yet more than one of each: of which the first and the last are compared. */
enum { POLYNOMIALS = 3, MODULI = 3 };

static hb_status check_case(hb_figure_run *run, const hb_design *design, uint32_t log_n, uint32_t bits, bool forward)
{
    hb_design_case c;
    hb_design_rig rig = {0};
    HB_TRY(hb_figure_case(run, log_n, bits, MODULI, POLYNOMIALS, forward, &c));
    const hb_status st = hb_design_rig_open(run, design, &c, &rig);
    const hb_error cause = *hb_last_error();
    hb_design_rig_close(&rig);
    hb_set_error(&cause);
    return st;
}

/* The widest primes that it takes and the CPU engine has, and some that are not near a limit of its arithmetic. */
static hb_status check_size(hb_figure_run *run, const hb_design *design, uint32_t log_n)
{
    const uint32_t most = design->most_bits < HB_MODULUS_MAX_BITS ? design->most_bits : HB_MODULUS_MAX_BITS;
    const uint32_t usual = design->word_bytes == sizeof(uint32_t) ? 28 : 50;
    for (int way = 0; way < (design->forward_only || design->own_order ? 1 : 2); way++) {
        HB_TRY(check_case(run, design, log_n, most, way == 0));
        if (usual < most) {
            HB_TRY(check_case(run, design, log_n, usual, way == 0));
        }
    }
    return HB_OK;
}

/* A line of its own; a design that this GPU cannot run is no failure, and is named. */
static hb_status check_design(hb_figure_run *run, const hb_design *design, bool small)
{
    const uint32_t last = small ? design->min_log_n : design->max_log_n;
    printf("%-36s", design->name);
    fflush(stdout); /* a kernel that hangs is the one last named */
    for (uint32_t log_n = design->min_log_n; log_n <= last; log_n++) {
        const hb_status st = check_size(run, design, log_n);
        if (st == HB_EUNAVAILABLE) {
            printf(" [2^%u: %s]", log_n, hb_last_error()->text);
        } else if (st != HB_OK) {
            printf(" FAILED: %s\n", hb_last_error()->text);
            return st;
        } else {
            printf(" 2^%u", log_n);
        }
    }
    printf("\n");
    return HB_OK;
}

hb_status hb_designs_check(hb_figure_run *run, const char *pattern, bool small)
{
    size_t checked = 0, failed = 0;
    for (const hb_design *const *file = hb_designs; *file != NULL; file++) {
        for (const hb_design *design = *file; design->name != NULL; design++) {
            if (pattern == NULL || fnmatch(pattern, design->name, 0) == 0) {
                checked++;
                failed += check_design(run, design, small) != HB_OK;
            }
        }
    }
    if (checked == 0) {
        return HB_FAIL(HB_ENOINPUT, "no design is called %s; --list has their names", pattern);
    }
    return failed == 0 ? HB_OK : HB_FAIL(HB_EINTERNAL, "%zu of %zu designs differ from the CPU", failed, checked);
}
