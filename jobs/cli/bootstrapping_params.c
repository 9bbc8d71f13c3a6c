#include "bootstrapping_params.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/outward.h"
#include "bootstrapping/chain.h"
#include "console.h"
#include "parse.h"

static const char *const words[HB_EVAL_MODS] = {[HB_EVAL_MOD_CUBIC] = "cubic",
                                                [HB_EVAL_MOD_SURE] = "sure",
                                                [HB_EVAL_MOD_LIGHT] = "light",
                                                [HB_EVAL_MOD_FINE] = "fine",
                                                [HB_EVAL_MOD_FINE_SURE] = "fine-sure"};

const char *hb_eval_mod_word(hb_eval_mod form)
{
    return words[form];
}

hb_status hb_eval_mod_choose(const char *word, hb_eval_mod *form)
{
    const size_t found = hb_parse_choice(word, words, HB_EVAL_MODS);
    if (found == HB_EVAL_MODS) {
        return HB_FAIL(HB_EUSAGE, "--eval-mod %.32s: cubic, sure, light, fine or fine-sure", word);
    }
    *form = (hb_eval_mod)found;
    return HB_OK;
}

hb_failure_number hb_failure_number_of(double failure_bits)
{
    hb_failure_number text = {"never"};
    if (isfinite(failure_bits)) {
        snprintf(text.text, sizeof text.text, "2^%.1f", hb_decimal_up(failure_bits, 1));
    }
    return text;
}

hb_failure_text hb_failure_text_of(double failure_bits)
{
    hb_failure_text text = {"cannot fail"};
    if (isfinite(failure_bits)) {
        snprintf(text.text, sizeof text.text, "fails with probability %s a ciphertext",
                 hb_failure_number_of(failure_bits).text);
    }
    return text;
}

json_t *hb_bootstrapping_json(const hb_params_spec *spec, double failure_bits)
{
    if (!hb_spec_can_bootstrap(spec)) {
        return json_null();
    }
    const hb_bootstrapping_spec *b = &spec->bootstrapping;
    const hb_bootstrapping_levels l = hb_bootstrapping_levels_of(spec);
    json_t *tables = b->table_levels > 0 ? json_integer(b->table_levels) : NULL;
    return json_pack("{s:s, s:i, s:i, s:o*, s:i, s:o, s:{s:i, s:i, s:i, s:i, s:i}}", "form", words[b->eval_mod],
                     "stc_levels", (int)b->stc_levels, "cts_levels", (int)b->cts_levels, "table_levels", tables,
                     "sparse_weight", (int)b->sparse_weight, "failure_bits",
                     isfinite(failure_bits) ? json_real(failure_bits) : json_null(), "levels", "stc", (int)l.stc, "out",
                     (int)l.out, "join", (int)l.join, "eval_mod", (int)l.eval_mod, "top", (int)l.top);
}

void hb_bootstrapping_print_sparse(const hb_group *group, const hb_common *common, const hb_params_spec *spec)
{
    const uint32_t bits = hb_bootstrapping_sparse_bits(spec), limit = hb_security_sparse_limit(spec->security, spec->n);
    char known[64] = "INSECURE";
    if (bits <= limit) {
        snprintf(known, sizeof known, "of %" PRIu32 " known to be safe", limit);
    }
    hb_console_result(group, common,
                      "              in bootstrapping one of weight %" PRIu32 ", under keys of %" PRIu32 " bits, %s",
                      spec->bootstrapping.sparse_weight, bits, known);
}
