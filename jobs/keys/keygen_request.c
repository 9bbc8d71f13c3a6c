#include "keygen_request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expression/compile/compile.h"
#include "expression/program/program.h"
#include "ring/galois.h"
#include "scheme/params.h"

static hb_status add_step(hb_elements *list, size_t n, int64_t step)
{
    const int64_t row = (int64_t)(n / 2);
    if (step == 0 || step <= -row || step >= row) {
        return HB_FAIL(HB_EUSAGE,
                       "a rotation by %" PRId64 ": steps are 1 to %" PRId64 " to the left, -1 to %" PRId64
                       " to the right",
                       step, row - 1, 1 - row);
    }
    return hb_elements_add(list, hb_galois_rotation(n, step));
}

/* What SEAL makes unasked: the swap, and powers of two both ways (semantics.md 6.10). */
static hb_status add_all(hb_elements *list, size_t n)
{
    HB_TRY(hb_elements_add(list, hb_galois_swap(n)));
    for (int64_t step = 1; step < (int64_t)(n / 2); step *= 2) {
        HB_TRY(add_step(list, n, step));
        HB_TRY(add_step(list, n, -step));
    }
    return HB_OK;
}

static hb_status add_sum(hb_elements *list, size_t n)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_galois_sum_steps(n, steps);
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(add_step(list, n, steps[i]));
    }
    return hb_elements_add(list, hb_galois_swap(n));
}

static hb_status add_word(hb_elements *list, size_t n, const char *word)
{
    if (strcmp(word, "all") == 0) {
        return add_all(list, n);
    }
    if (strcmp(word, "sum") == 0) {
        return add_sum(list, n);
    }
    const char *digits = word + (word[0] == '-' || word[0] == '+');
    const size_t length = strlen(digits);
    if (length == 0 || length > 18 || strspn(digits, "0123456789") != length) { /* below 10^18 < 2^63 */
        return HB_FAIL(HB_EUSAGE,
                       "--rotations: '%s' is no step; give whole numbers with commas between them, 'all' or "
                       "'sum'",
                       word);
    }
    return add_step(list, n, strtoll(word, NULL, 10));
}

static hb_status add_rotations(hb_elements *list, size_t n, const char *text)
{
    char *words = strdup(text), *rest = words;
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of rotations");
    }
    hb_status st = HB_OK;
    for (const char *word; st == HB_OK && (word = strsep(&rest, ",")) != NULL;) {
        st = add_word(list, n, word);
    }
    free(words);
    return st;
}

static hb_status add_expression(hb_elements *list, size_t n, const char *text)
{
    hb_program program = {0};
    hb_status st = hb_program_keys(&program, text, n);
    if (st == HB_OK && program.relinearizes) {
        st = hb_elements_add(list, HB_RELINEARIZATION);
    }
    for (uint32_t i = 0; st == HB_OK && i < program.step_count; i++) {
        st = add_step(list, n, program.steps[i]);
    }
    if (st == HB_OK && program.swaps) {
        st = hb_elements_add(list, hb_galois_swap(n));
    }
    hb_program_clear(&program);
    return st;
}

static hb_status add_everything(hb_elements *list, const hb_keygen_request *request, size_t n)
{
    if (request->relin) {
        HB_TRY(hb_elements_add(list, HB_RELINEARIZATION));
    }
    if (request->expression != NULL) {
        HB_TRY(add_expression(list, n, request->expression));
    }
    if (request->swap) {
        HB_TRY(hb_elements_add(list, hb_galois_swap(n)));
    }
    return request->rotations != NULL ? add_rotations(list, n, request->rotations) : HB_OK;
}

/* Whether the parameters can do with the keys what the keys are for. */
static hb_status check_params(const hb_elements *list, const hb_params *params)
{
    if (list->count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_params_require_switching(params));
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->element[i] != HB_RELINEARIZATION) {
            return hb_params_require_slots(params);
        }
    }
    return HB_OK;
}

hb_status hb_keygen_elements(hb_elements *list, const hb_keygen_request *request, const hb_params *params)
{
    hb_elements found = {NULL, 0};
    hb_status st = add_everything(&found, request, params->ring.n);
    if (st == HB_OK) {
        st = check_params(&found, params);
    }
    if (st != HB_OK) {
        free(found.element);
        return st;
    }
    *list = found;
    return HB_OK;
}
