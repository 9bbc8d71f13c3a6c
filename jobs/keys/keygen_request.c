#include "keygen_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "expression/compile/compile.h"
#include "expression/program/program.h"
#include "scheme/params.h"
#include "scheme/slots.h"

/* What is asked for of one literal. */
typedef struct wanted {
    const hb_params_spec *spec;
    hb_key_requests requests;
} wanted;

/* For every level. */
static hb_status add_element(wanted *w, uint32_t element, int64_t step)
{
    const hb_key_source source = hb_key_purpose_of(w->spec, element).source;
    return hb_key_requests_add(&w->requests, (hb_key_request){source, element, step, 0});
}

static hb_status add_step(wanted *w, int64_t step)
{
    const int64_t row = (int64_t)hb_slots_shape(w->spec).columns;
    if (step == 0 || step <= -row || step >= row) {
        return HB_FAIL(HB_EUSAGE,
                       "a rotation by %" PRId64 ": steps are 1 to %" PRId64 " to the left, -1 to %" PRId64
                       " to the right",
                       step, row - 1, 1 - row);
    }
    return add_element(w, hb_slots_rotation(w->spec, step), step);
}

static hb_status add_swap(wanted *w)
{
    return add_element(w, hb_slots_swap(w->spec), 0);
}

/* By the name of what it does in one scheme, which another has not. */
static hb_status add_named(wanted *w, const char *word)
{
    return strcmp(word, hb_slots_swap_word(w->spec)) == 0
               ? add_swap(w)
               : HB_FAIL(HB_EUSAGE, "--%s: slots of %s have no such key; that of %s(x) is made by --%s", word,
                         hb_scheme_name(w->spec->scheme), hb_slots_swap_word(w->spec), hb_slots_swap_word(w->spec));
}

/* What SEAL makes unasked: the swap, and powers of two both ways (semantics.md 6.10). */
static hb_status add_all(wanted *w)
{
    const hb_slot_shape slots = hb_slots_shape(w->spec);
    if (slots.rows == 2) {
        HB_TRY(add_swap(w));
    }
    for (int64_t step = 1; step < (int64_t)slots.columns; step *= 2) {
        HB_TRY(add_step(w, step));
        HB_TRY(add_step(w, -step));
    }
    return HB_OK;
}

static hb_status add_sum(wanted *w)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_slots_sum_steps(w->spec, steps);
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(add_step(w, steps[i]));
    }
    return hb_slots_shape(w->spec).rows == 2 ? add_swap(w) : HB_OK;
}

static hb_status add_word(wanted *w, const char *word)
{
    if (strcmp(word, "all") == 0) {
        return add_all(w);
    }
    if (strcmp(word, "sum") == 0) {
        return add_sum(w);
    }
    const char *digits = word + (word[0] == '-' || word[0] == '+');
    const size_t length = strlen(digits);
    if (length == 0 || length > 18 || strspn(digits, "0123456789") != length) { /* below 10^18 < 2^63 */
        return HB_FAIL(HB_EUSAGE,
                       "--rotations: '%s' is no step; give whole numbers with commas between them, 'all' or "
                       "'sum'",
                       word);
    }
    return add_step(w, strtoll(word, NULL, 10));
}

static hb_status add_rotations(wanted *w, const char *text)
{
    char *words = strdup(text), *rest = words;
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of rotations");
    }
    hb_status st = HB_OK;
    for (const char *word; st == HB_OK && (word = strsep(&rest, ",")) != NULL;) {
        st = add_word(w, word);
    }
    free(words);
    return st;
}

static hb_status add_expression(wanted *w, const char *text)
{
    hb_key_requests own;
    hb_status st = hb_program_keys(&own, text, w->spec);
    for (uint32_t i = 0; st == HB_OK && i < own.count; i++) {
        st = hb_key_requests_add(&w->requests, own.request[i]);
    }
    hb_key_requests_clear(&own);
    return st;
}

static hb_status add_everything(wanted *w, const hb_keygen_request *request)
{
    if (request->relin) {
        HB_TRY(add_element(w, HB_RELINEARIZATION, 0));
    }
    if (request->expression != NULL) {
        HB_TRY(add_expression(w, request->expression));
    }
    if (request->swap) {
        HB_TRY(add_named(w, "swap"));
    }
    if (request->conj) {
        HB_TRY(add_named(w, "conj"));
    }
    return request->rotations != NULL ? add_rotations(w, request->rotations) : HB_OK;
}

/* Whether the parameters can do with the keys what the keys are for. */
static hb_status check_params(const hb_key_requests *requests, const hb_params *params)
{
    if (requests->count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_params_require_switching(params));
    for (uint32_t i = 0; i < requests->count; i++) {
        if (requests->request[i].source != HB_FROM_SQUARE) {
            return hb_params_require_slots(params);
        }
    }
    return HB_OK;
}

static hb_status list_elements(hb_elements *list, const hb_key_requests *requests)
{
    for (uint32_t i = 0; i < requests->count; i++) {
        HB_TRY(hb_elements_add(list, requests->request[i].element));
    }
    return HB_OK;
}

hb_status hb_keygen_elements(hb_elements *list, const hb_keygen_request *request, const hb_params *params)
{
    wanted w = {.spec = &params->spec};
    hb_elements found = {NULL, 0};
    hb_status st;
    HB_GOTO(add_everything(&w, request));
    HB_GOTO(check_params(&w.requests, params));
    HB_GOTO(list_elements(&found, &w.requests));
    *list = found;
    found.element = NULL;
done:
    free(found.element);
    hb_key_requests_clear(&w.requests);
    return st;
}
