#include "keygen_request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lang/compile/compile.h"
#include "lang/program/program.h"
#include "scheme/bootstrap.h"
#include "scheme/params.h"
#include "scheme/slots.h"

/* The wanted keys for some parameters. */
typedef struct wanted {
    const hb_params *params;
    const hb_params_spec *spec; /* theirs */
    hb_key_names names;
} wanted;

/* Adds a key; one that several ask for is for the highest of their levels. */
static hb_status add(wanted *w, const hb_key_purpose *purpose)
{
    const hb_key_name name = hb_key_name_of(w->spec, purpose);
    for (uint32_t i = 0; i < w->names.count; i++) {
        hb_key_name *there = &w->names.name[i];
        if (there->sort == name.sort && there->element == name.element) {
            *there = hb_key_name_serves(*there, name) ? *there : name;
            return HB_OK;
        }
    }
    return hb_key_names_add(&w->names, name);
}

/* For every level that users have. */
static hb_status add_element(wanted *w, uint32_t element)
{
    hb_key_purpose purpose = hb_key_purpose_of(w->spec, element);
    purpose.limbs = hb_params_fresh_limbs(w->params);
    return add(w, &purpose);
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
    return add_element(w, hb_slots_rotation(w->spec, step));
}

static hb_status add_swap(wanted *w)
{
    return add_element(w, hb_slots_swap(w->spec));
}

/* By the name of a rotation that one scheme has and another lacks. */
static hb_status add_named(wanted *w, const char *word)
{
    return strcmp(word, hb_slots_swap_word(w->spec)) == 0
               ? add_swap(w)
               : HB_FAIL(HB_EUSAGE, "--%s: slots of %s have no such key; that of %s(x) is made by --%s", word,
                         hb_scheme_name(w->spec->scheme), hb_slots_swap_word(w->spec), hb_slots_swap_word(w->spec));
}

/* The keys that SEAL makes by default: the swap, and powers of two both ways (semantics.md 6.10). */
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

/* Takes a whole number below 10^9 off the text. */
static bool take_number(const char **text, int64_t *number)
{
    const char *digits = *text + (**text == '-' || **text == '+');
    const size_t length = strspn(digits, "0123456789");
    *number = length > 0 && length < 10 ? strtoll(*text, NULL, 10) : 0;
    *text = digits + length;
    return length > 0 && length < 10;
}

static hb_status add_word(wanted *w, const char *word)
{
    if (strcmp(word, "all") == 0) {
        return add_all(w);
    }
    if (strcmp(word, "sum") == 0) {
        return add_sum(w);
    }
    int64_t first, last, apart = 1;
    const char *rest = word;
    bool good = take_number(&rest, &first);
    last = first;
    if (good && strncmp(rest, "..", 2) == 0) {
        rest += 2;
        good = take_number(&rest, &last);
        if (good && rest[0] == '/') {
            rest++;
            good = take_number(&rest, &apart) && apart > 0;
        }
    }
    if (!good || rest[0] != '\0' || last < first) {
        return HB_FAIL(HB_EUSAGE,
                       "--rotations: '%s' is no step; give whole numbers with commas between them, 1..7, 8..56/8, "
                       "'all' or 'sum'",
                       word);
    }
    for (int64_t step = first; step <= last; step += apart) {
        if (step != 0 || first == last) {
            HB_TRY(add_step(w, step));
        }
    }
    return HB_OK;
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

static hb_status add_bootstrapping(wanted *w)
{
    hb_key_purpose *list;
    uint32_t count;
    hb_status st = hb_bootstrap_key_purposes(w->params, &list, &count);
    for (uint32_t i = 0; st == HB_OK && i < count; i++) {
        st = add(w, &list[i]);
    }
    free(list);
    return st;
}

/* For levels nothing is known before there is data, so its keys are for all of them; nor whether it takes
 * bootstrapping. */
static hb_status add_expression(wanted *w, const hb_keygen_request *request)
{
    hb_key_requests own;
    hb_status st = hb_program_keys(&own, request->expression, w->spec,
                                   &(hb_keys_operands){.block = request->block,
                                                       .one_row = request->one_row,
                                                       .filled = request->filled,
                                                       .spread = request->spread,
                                                       .masked = request->masked,
                                                       .plain = request->plain,
                                                       .rings = request->rings});
    for (uint32_t i = 0; st == HB_OK && i < own.count; i++) {
        st = add_element(w, own.request[i].element);
    }
    hb_key_requests_clear(&own);
    return st == HB_OK && hb_params_can_bootstrap(w->params) ? add_bootstrapping(w) : st;
}

static hb_status add_everything(wanted *w, const hb_keygen_request *request)
{
    if (request->block > 0 && request->expression == NULL) {
        return HB_FAIL(HB_EUSAGE, "--block says where rows stand that --for EXPRESSION computes with");
    }
    if (request->plain != NULL && request->expression == NULL) {
        return HB_FAIL(HB_EUSAGE, "--plain-table names tables that --for EXPRESSION computes with");
    }
    const char *named = request->one_row != NULL  ? "--one-row"
                        : request->filled != NULL ? "--fill"
                        : request->spread != NULL ? "--spread"
                        : request->rings != NULL  ? "--from-ring"
                        : request->masked != NULL ? "--masked"
                                                  : NULL;
    if (named != NULL && request->expression == NULL) {
        return HB_FAIL(HB_EUSAGE, "%s names datasets that --for EXPRESSION computes with", named);
    }
    if (request->relin) {
        HB_TRY(add_element(w, HB_RELINEARIZATION));
    }
    if (request->expression != NULL) {
        HB_TRY(add_expression(w, request));
    }
    if (request->bootstrap) {
        HB_TRY(add_bootstrapping(w));
    }
    if (request->swap) {
        HB_TRY(add_named(w, "swap"));
    }
    if (request->conj) {
        HB_TRY(add_named(w, "conj"));
    }
    return request->rotations != NULL ? add_rotations(w, request->rotations) : HB_OK;
}

/* Checks that the parameters can use the keys for their purpose. Bootstrapping rotates reals, whatever t is. */
static hb_status check_params(const hb_key_names *names, const hb_params *params, const hb_keygen_request *request)
{
    if (names->count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_params_require_switching(params));
    if (hb_params_can_bootstrap(params) && !request->swap && !request->conj && request->rotations == NULL) {
        return HB_OK;
    }
    for (uint32_t i = 0; i < names->count; i++) {
        if (names->name[i].sort != HB_KEY_RELINEARIZATION) {
            return hb_params_require_slots(params);
        }
    }
    return HB_OK;
}

bool hb_keygen_request_is_empty(const hb_keygen_request *r)
{
    return !r->relin && !r->swap && !r->conj && !r->bootstrap && r->rotations == NULL && r->expression == NULL &&
           r->one_row == NULL && r->filled == NULL && r->spread == NULL && r->rings == NULL && r->masked == NULL &&
           r->plain == NULL && r->block == 0;
}

hb_status hb_keygen_names(hb_key_names *list, const hb_keygen_request *request, const hb_params *params)
{
    wanted w = {.params = params, .spec = &params->spec};
    hb_status st;
    HB_GOTO(add_everything(&w, request));
    HB_GOTO(check_params(&w.names, params, request));
    *list = w.names;
    w.names.name = NULL;
done:
    free(w.names.name);
    return st;
}
