/* hebatch params: presets, everything that follows from a choice of parameters, and whether a choice is allowed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "batch/cells/table_options.h"
#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "cli/params_options.h"
#include "cli/report.h"
#include "commands.h"
#include "io/keys/switch_key_file.h"
#include "scheme/bootstrap.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "suggest/suggest.h"

/* Stored bytes of one component of a fresh ciphertext. */
static size_t component_bytes(const hb_params *params)
{
    return hb_packed_bytes(&params->ring, params->ids, params->fresh_limbs);
}

static json_t *preset_json(const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    const json_int_t bytes = (json_int_t)component_bytes(params);
    json_t *chain = json_pack("{s:s, s:I, s:i, s:i}", "name", params->name, "n", (json_int_t)spec->n, "primes",
                              (int)spec->key_limbs, "chain_bits", (int)params->chain_bits);
    json_t *rest = json_pack("{s:i, s:i, s:b, s:I, s:I, s:o}", "security", (int)spec->security.level, "security_table",
                             (int)hb_security_year(spec->security.table), "insecure", (int)spec->insecure,
                             "ciphertext_bytes_public", 2 * bytes, "ciphertext_bytes_secret", bytes + HB_SEED_BYTES,
                             "bootstrap_leaves", hb_params_words_of(&params->spec)->left_json(params));
    return hb_report_joined(chain, hb_params_words_of(spec)->json(spec), rest);
}

/* Prints what bootstrapping leaves under the presets that have it, by scheme. */
static hb_status list_bootstrapping(const hb_group *group, const hb_common *common)
{
    const hb_params_words *words = NULL;
    const char *name;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params_spec spec;
        hb_params *params;
        char row[HB_PARAMS_LEFT];
        HB_TRY(hb_params_preset(name, &spec));
        HB_TRY(hb_params_open(&spec, &params));
        const hb_params_words *own = hb_params_words_of(&spec);
        if (own->left(row, params)) {
            if (words != own) {
                words = own;
                hb_console_result(group, common, "%-15s %s", "bootstrapping", own->left_heading);
            }
            hb_console_result(group, common, "%-15s %s", name, row);
        }
        hb_params_close(params);
    }
    return HB_OK;
}

static hb_status list(const hb_group *group, const hb_common *common)
{
    json_t *presets = json_array();
    const hb_params_words *words = NULL;
    hb_params *params = NULL;
    hb_status st = HB_OK;
    const char *name;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params_spec spec;
        HB_GOTO(hb_params_preset(name, &spec));
        HB_GOTO(hb_params_open(&spec, &params));
        if (words != hb_params_words_of(&spec)) { /* a scheme after another: columns have its own heading */
            words = hb_params_words_of(&spec);
            hb_console_result(group, common, "%-15s %6s %6s %6s %6s %9s %12s %14s %14s", "preset", "N", "primes",
                              "bits", "table", words->heading, "values each", "stored, public", "stored, secret");
        }
        const double bytes = (double)component_bytes(params);
        char value[HB_PARAMS_VALUE];
        words->value(value, &spec);
        hb_console_result(group, common,
                          "%-15s %6zu %6" PRIu32 " %6" PRIu32 " %6" PRIu32 " %9s %12" PRIu64 " %14s %14s%s", name,
                          spec.n, spec.key_limbs, params->chain_bits, hb_security_year(spec.security.table), value,
                          hb_codec_capacity(&spec, HB_ENCODE_SLOTS), hb_human_bytes(2 * bytes).text,
                          hb_human_bytes(bytes + HB_SEED_BYTES).text, params->spec.insecure ? "  INSECURE" : "");
        if (json_array_append_new(presets, preset_json(params)) != 0) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the list of presets"));
        }
        hb_params_close(params);
        params = NULL;
    }
    HB_GOTO(list_bootstrapping(group, common));
    if (common->json) {
        HB_GOTO(hb_report_results(group, "params list", json_pack("{s:O}", "presets", presets)));
    }
done:
    hb_params_close(params);
    json_decref(presets);
    return st;
}

/* Bits of noise budget of ciphertexts that nothing was computed with. */
static hb_predicted fresh_budget(const hb_params *params, bool public_key)
{
    const hb_quality noise = hb_quality_fresh(params, public_key, HB_BINOMIAL); /* whose errors are the larger ones */
    return (hb_predicted){.scheme = params->spec.scheme,
                          .cells = hb_codec_cell_type(params->spec.scheme),
                          .worst = hb_quality_bits(params, params->fresh_limbs, noise.worst),
                          .expected = hb_quality_bits(params, params->fresh_limbs, noise.expected)};
}

static hb_human bits_proven(const hb_params *params, double bits)
{
    const bool real = hb_codec_cell_type(params->spec.scheme) == HB_CELL_REAL;
    return hb_human_bits(bits, real, "bits proven", "no bits proven");
}

static hb_human bits_expected(const hb_params *params, double bits)
{
    return hb_human_bits(bits, hb_codec_cell_type(params->spec.scheme) == HB_CELL_REAL, "expected", "none expected");
}

/* Says where keys add more to ciphertexts than roundings do, and how much is left. */
static void say_long_digit(const hb_group *group, const hb_common *common, const hb_params *params)
{
    const uint32_t digit = hb_params_long_digit(params);
    if (digit == params->data_limbs) {
        return;
    }
    const uint32_t limbs = params->fresh_limbs, special = params->ring.moduli[params->ids[params->data_limbs]].bits,
                   longer = params->ring.moduli[params->ids[digit]].bits;
    const hb_quality fresh = hb_quality_fresh(params, true, HB_BINOMIAL),
                     switched = hb_quality_switch(params, limbs, fresh, HB_SWITCH_GALOIS);
    hb_console_result(group, common,
                      "warning: the special prime has %" PRIu32 " bits, fewer than the %" PRIu32 " of q_%" PRIu32
                      ", so each rotation adds a large error: after one %s, %s; take "
                      "a special prime of %" PRIu32 " bits or more",
                      special, longer, digit, bits_proven(params, hb_quality_bits(params, limbs, switched.worst)).text,
                      bits_expected(params, hb_quality_bits(params, limbs, switched.expected)).text, longer);
}

/* Prints the bits of reals within 1 after one product: where primes are far above the scale, few or none. */
static void say_product(const hb_group *group, const hb_common *common, const hb_params *params, const char *title)
{
    const uint32_t limbs = params->fresh_limbs, own = hb_params_level_limbs(params);
    if (hb_codec_cell_type(params->spec.scheme) != HB_CELL_REAL || limbs <= own || !hb_params_can_switch(params)) {
        return;
    }
    if (!hb_codec_products_go_down(&params->spec, limbs)) {
        hb_console_result(group, common,
                          "warning: the scale is too far from q_%" PRIu32
                          ": rescaled, a product of fresh values has none that anything can be computed with",
                          limbs - 1);
        return;
    }
    const hb_quality fresh = hb_quality_fresh(params, true, HB_BINOMIAL);
    const hb_quality_factor within_1 = {.quality = fresh, .size = 2};
    const hb_quality product =
        hb_quality_relinearize_rescale(params, limbs, hb_quality_square(params, limbs, within_1));
    hb_console_result(group, common, "%s %s, %s after a product of values within 1", title,
                      bits_proven(params, hb_quality_bits(params, limbs - own, product.worst)).text,
                      bits_expected(params, hb_quality_bits(params, limbs - own, product.expected)).text);
}

/* Prints, for parameters with bootstrapping, how many keys it takes and how large they are together. */
static void print_keys(const hb_group *group, const hb_common *common, const hb_params *params)
{
    hb_key_purpose *list;
    uint32_t count;
    double disk = 0, memory = 0;
    if (!hb_params_can_bootstrap(params) || hb_bootstrap_key_purposes(params, &list, &count) != HB_OK) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const hb_key_name name = hb_key_name_of(&params->spec, &list[i]);
        const hb_key_purpose purpose = hb_key_purpose_of_name(&params->spec, name);
        disk += (double)hb_switch_key_file_bytes(&params->spec, name);
        memory += (double)hb_key_purpose_bytes(params, &purpose);
    }
    hb_console_result(group, common,
                      "keys          of bootstrapping %" PRIu32 ", %s on disk, %s in the memory of a device", count,
                      hb_human_bytes(disk).text, hb_human_bytes(memory).text);
    free(list);
}

static void show_text(const hb_group *group, const hb_common *common, const hb_params *params, uint32_t limit,
                      size_t bytes)
{
    const hb_params_spec *spec = &params->spec;
    hb_console_result(group, common, "name          %s", params->name);
    hb_console_result(group, common, "N             %zu", spec->n);
    hb_params_words_of(spec)->print(group, common, params);
    print_keys(group, common, params);
    hb_console_result(group, common, "security      %s",
                      hb_security_claim(spec->security, spec->n, params->chain_bits).text);
    hb_console_result(group, common, "chain         %" PRIu32 " of %" PRIu32 " bits that this table allows",
                      params->chain_bits, limit);
    hb_console_result(group, common, "primes        %-5s %-18s %s", "bits", "value", "smallest 2N-th root of -1");
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        const hb_modulus *m = &params->ring.moduli[params->ids[i]];
        hb_console_result(group, common, "  q%-3" PRIu32 "%-8s %-5" PRIu32 " 0x%-16" PRIx64 " 0x%" PRIx64, i,
                          i >= params->data_limbs ? " special" : "", m->bits, m->value,
                          params->ring.psi[params->ids[i]]);
    }
    hb_console_result(group, common, "ciphertext    %s made with the public key, %s with the secret key (seeded)",
                      hb_human_bytes(2.0 * (double)bytes).text, hb_human_bytes((double)(bytes + HB_SEED_BYTES)).text);
    for (int public_key = 0; public_key < 2; public_key++) {
        const hb_predicted fresh = fresh_budget(params, public_key);
        hb_console_result(group, common, "%-13s %s, %s in fresh ciphertexts of the %s key",
                          public_key ? "" : hb_quality_name(params->spec.scheme), bits_proven(params, fresh.worst).text,
                          bits_expected(params, fresh.expected).text, public_key ? "public" : "secret");
    }
    say_product(group, common, params, "products     ");
    say_long_digit(group, common, params);
}

static json_t *show_json(const hb_params *params, uint32_t limit, size_t bytes)
{
    json_t *roots = json_array();
    for (uint32_t i = 0; i < params->key_limbs; i++) {
        char text[32];
        snprintf(text, sizeof text, "0x%" PRIx64, params->ring.psi[params->ids[i]]);
        if (json_array_append_new(roots, json_string(text)) != 0) {
            json_decref(roots);
            return NULL;
        }
    }
    const hb_predicted secret = fresh_budget(params, false), public = fresh_budget(params, true);
    return json_pack(
        "{s:o, s:b, s:i, s:i, s:i, s:i, s:o, s:I, s:I, s:b, s:o, s:{s:{s:f, s:f}, s:{s:f, s:f}}}", "params",
        hb_report_params(params), "batching", (int)hb_params_has_slots(params), "data_limbs", (int)params->data_limbs,
        "fresh_limbs", (int)params->fresh_limbs, "chain_bits", (int)params->chain_bits, "security_limit_bits",
        (int)limit, "roots", roots, "ciphertext_bytes_public", 2 * (json_int_t)bytes, "ciphertext_bytes_secret",
        (json_int_t)bytes + HB_SEED_BYTES, "long_digit", (int)(hb_params_long_digit(params) < params->data_limbs),
        "bootstrap_leaves", hb_params_words_of(&params->spec)->left_json(params), "fresh_budget", "secret", "proven",
        secret.worst, "expected", secret.expected, "public", "proven", public.worst, "expected", public.expected);
}

static hb_status show(const hb_group *group, const hb_common *common, const hb_params_choice *choice, bool check_only)
{
    hb_params_spec spec;
    hb_params *params = NULL;
    hb_status st;
    HB_GOTO(hb_params_choose(choice, &spec));
    HB_GOTO(hb_params_open(&spec, &params));
    HB_GOTO(check_only ? hb_quality_require_fresh(params, true) : HB_OK); /* the secret key's have more */
    uint32_t limit = hb_security_limit(spec.security, spec.n);
    const size_t bytes = component_bytes(params);
    if (common->json) {
        HB_GOTO(hb_report_results(group, check_only ? "params check" : "params show", show_json(params, limit, bytes)));
    } else if (check_only) {
        char brief[HB_PARAMS_BRIEF];
        hb_params_brief(brief, &spec);
        hb_console_result(group, common, "allowed%s: %s, N %zu, %" PRIu32 " of %" PRIu32 " bits, %s%s",
                          params->spec.insecure ? " only as INSECURE" : "", params->name, spec.n, params->chain_bits,
                          limit, brief, hb_params_has_slots(params) ? ", batching" : "");
        hb_console_result(group, common, "security: %s",
                          hb_security_claim(spec.security, spec.n, params->chain_bits).text);
        const hb_predicted secret = fresh_budget(params, false), public = fresh_budget(params, true);
        hb_console_result(group, common, "%s: %s, %s in fresh ciphertexts of the secret key; %s, %s of the public one",
                          hb_quality_name(spec.scheme), bits_proven(params, secret.worst).text,
                          bits_expected(params, secret.expected).text, bits_proven(params, public.worst).text,
                          bits_expected(params, public.expected).text);
        say_product(group, common, params, "products:");
        say_long_digit(group, common, params);
    } else {
        show_text(group, common, params, limit, bytes);
    }
done:
    hb_params_close(params);
    return st;
}

/* The options of suggest. */
typedef struct suggest_words {
    uint64_t rows, precision, share, block, owners, results;
    const char *ranges, *one_row, *filled, *spread, *columns, *tables, *plain_tables, *noise, *gap, *model, *keys;
    bool wrap;
    hb_table_words table;
} suggest_words;

/* Parts of decryptions take proven noise alone. */
static hb_status check_owners(const hb_suggest_request *request, const suggest_words *words)
{
    if ((words->owners > 0) != (words->results > 0)) {
        return HB_FAIL(HB_EUSAGE, "--owners and --results go together: so many owners of joint keys, and ciphertexts "
                                  "that will ever be decrypted under these");
    }
    if (words->owners == 0) {
        return HB_OK;
    }
    if (words->owners < 2 || words->owners > HB_MOST_OWNERS) {
        return HB_FAIL(HB_EUSAGE, "--owners %" PRIu64 ": joint keys have 2 to %d", words->owners, HB_MOST_OWNERS);
    }
    if (words->noise != NULL && strcmp(words->noise, "expected") == 0) {
        return HB_FAIL(HB_EUSAGE, "--owners: parts of decryptions need the proven bound: leave out --noise expected");
    }
    if (request->scheme != HB_BFV) {
        return HB_FAIL(HB_ECONFIG, "--owners: joint keys are of BFV");
    }
    return words->keys == NULL ? HB_OK : HB_FAIL(HB_EUSAGE, "--owners: the keys of --keys say how many they have");
}

/* Checks the words that are no plain texts, and puts their values into the request. */
static hb_status ask(hb_suggest_request *request, const hb_params_choice *choice, const suggest_words *words)
{
    HB_TRY(hb_params_choose_scheme(choice, &request->scheme));
    HB_TRY(hb_suggest_take_options(request, choice));
    if (request->model != NULL && hb_codec_cell_type(request->scheme) != HB_CELL_REAL) {
        return HB_FAIL(HB_EUSAGE, "--model: models work on reals; add --scheme ckks");
    }
    if (words->precision != HB_NOT_GIVEN) {
        request->precision = words->precision < UINT32_MAX ? (uint32_t)words->precision : UINT32_MAX;
    }
    HB_TRY(hb_parse_gap(words->gap, &request->gap));
    HB_TRY(check_owners(request, words));
    const bool expected = words->noise != NULL && strcmp(words->noise, "expected") == 0;
    if (words->noise != NULL && !expected && strcmp(words->noise, "worst") != 0) {
        return HB_FAIL(HB_EUSAGE, "--noise %s: worst or expected", words->noise);
    }
    request->trust = expected ? HB_QUALITY_EXPECTED : HB_QUALITY_WORST;
    request->bfv.trust_given = words->noise != NULL;
    request->rows = words->rows == HB_NOT_GIVEN && words->tables != NULL ? 0 : words->rows;
    if (request->rows == HB_NOT_GIVEN || words->rows == 0) {
        return HB_FAIL(HB_EUSAGE, "the number of rows is not known: give it with --rows N, 1 or more");
    }
    return hb_security_choose(choice->security, choice->security_table, &request->security);
}

static hb_status suggest_with(const hb_group *group, const hb_common *common, const hb_params_choice *choice,
                              const suggest_words *words, const hb_reading *reading, const char *expression,
                              hb_model *model)
{
    hb_suggest_request request = {.expression = expression,
                                  .model = model,
                                  .ranges = words->ranges,
                                  .rows_of = {words->one_row, words->filled, words->spread},
                                  .columns = words->columns,
                                  .tables = words->tables,
                                  .plain_tables = words->plain_tables,
                                  .judged.keys = words->keys,
                                  .reading = reading,
                                  .words = &words->table,
                                  .group = group,
                                  .common = common,
                                  .wrap = words->wrap,
                                  .share = words->share,
                                  .block = words->block,
                                  .bfv.joint = {.owners = (uint32_t)words->owners,
                                                .threshold = (uint32_t)words->owners,
                                                .results = words->results},
                                  .security = hb_security_default()};
    hb_suggestion suggestion;
    if (expression == NULL) {
        return HB_FAIL(HB_EUSAGE, "suggest 'EXPRESSION', as suggest 'y = a*b' --rows 1000 --range a=0..9,b=0..9");
    }
    HB_TRY(ask(&request, choice, words));
    hb_status st = hb_params_suggest(&suggestion, &request);
    if (st == HB_OK) {
        st = hb_suggestion_print(group, common, &suggestion, &request);
    }
    hb_suggestion_clear(&suggestion);
    return st;
}

/* Refuses options that say how a table is read where none is. Tables of a model may be in other files. */
static hb_status check_tables(suggest_words *words)
{
    const bool follows = words->table.follow_files, reads = words->tables != NULL || words->plain_tables != NULL;
    words->table.follow_files = follows && words->model == NULL;
    const char *given = reads ? NULL : hb_table_words_given(&words->table);
    words->table.follow_files = follows;
    return given == NULL ? HB_OK : HB_FAIL(HB_EUSAGE, "--%s says how a table is read: it goes with --table", given);
}

/* Columns of a table to read have no counts. */
static hb_status suggest(const hb_group *group, const hb_common *common, const hb_params_choice *choice,
                         suggest_words *words, const char *expression)
{
    hb_reading reading;
    hb_model model = {0};
    if (words->model != NULL && expression != NULL) {
        return HB_FAIL(HB_EUSAGE, "--model stands in the place of an expression: leave out '%.40s'", expression);
    }
    if (words->columns != NULL && strchr(words->columns, '=') == NULL) {
        words->table.columns = words->columns;
        words->columns = NULL;
    }
    HB_TRY(check_tables(words));
    HB_TRY(hb_table_words_check_round(&words->table));
    hb_status st = hb_table_words_parse(&words->table, &reading);
    reading.columns_optional = true;
    HB_GOTO(st);
    if (words->model != NULL) {
        HB_GOTO(hb_model_read(&model, words->model, words->table.follow_files));
        expression = model.text;
    }
    st = suggest_with(group, common, choice, words, &reading, expression, words->model != NULL ? &model : NULL);
done:
    hb_model_clear(&model);
    hb_reading_clear(&reading);
    return st;
}

/* Options of suggest alone but for those of tables. */
enum { OWN_OPTIONS = 18 };

static void own_options(hb_option rows[OWN_OPTIONS], suggest_words *words)
{
    const hb_option own[] = {
        {"model", 0, HB_OPTION_TEXT, &words->model, "NET.json",
         "suggest, in the place of an expression: a trained model, as eval takes it"},
        {"keys", 0, HB_OPTION_TEXT, &words->keys, "DIR",
         "suggest: no search: whether the parameters of the keys in this folder do;\n"
         "those of a preset with --params"},
        {"rows", 0, HB_OPTION_NUMBER, &words->rows, "N", "suggest: rows of the tables (default: those of --table)"},
        {"one-row", 0, HB_OPTION_TEXT, &words->one_row, "NAME,..",
         "suggest: names of datasets of one row, which stands in every row of\nthe others, as w,c, or W of W @ x that "
         "is encrypted (default: by --table)"},
        {"fill", 0, HB_OPTION_TEXT, &words->filled, "NAME,..",
         "suggest: names of datasets of one row that encrypt --fill will make"},
        {"spread", 0, HB_OPTION_TEXT, &words->spread, "NAME,..",
         "suggest: names of datasets of one row that encrypt --spread will make"},
        {"range", 0, HB_OPTION_TEXT, &words->ranges, "A=LO..HI,..",
         "suggest: values of a name, or of its columns: A.NAME=LO..HI, A.3=LO..HI"},
        {"table", 0, HB_OPTION_TEXT, &words->tables, "[A=]FILE,..",
         "suggest: tables to encrypt, for rows, columns, ranges, and weights of\nW @ x; the output shows their values: "
         "it is for people who may see them"},
        {"plain-table", 0, HB_OPTION_TEXT, &words->plain_tables, "A=FILE,..",
         "suggest: names that eval reads as plain tables, not as datasets"},
        {"block", 0, HB_OPTION_ABOVE_0, &words->block, "SLOTS", "suggest, for ckks: encrypt --pack rows --block SLOTS"},
        {"columns", 0, HB_OPTION_TEXT, &words->columns, "A=COUNT,..",
         "suggest: columns of names; NAME,..: those of --table to read (default: picked)"},
        {"noise", 0, HB_OPTION_TEXT, &words->noise, "BOUND",
         "suggest: worst (default, but of int-...): proven; expected: likely, cheaper"},
        {"precision", 0, HB_OPTION_ABOVE_0, &words->precision, "BITS",
         "suggest, for ckks: bits behind the binary point that results keep, by\nthe bound of --noise (default: 10 "
         "of the largest value of a column)"},
        {"share", 0, HB_OPTION_ABOVE_0, &words->share, "RESULTS",
         "suggest, for ckks: of results that are shown (decrypt --share), as --precision"},
        {"owners", 0, HB_OPTION_ABOVE_0, &words->owners, "N",
         "suggest: joint keys of so many owners, all of whom decrypt"},
        {"results", 0, HB_OPTION_ABOVE_0, &words->results, "N", "suggest, with --owners: as keygen --session takes it"},
        {"gap", 0, HB_OPTION_TEXT, &words->gap, "G", "suggest, for ckks: --gap of eval, 2^-8 if not given"},
        {"wrap", 0, HB_OPTION_FLAG, &words->wrap, NULL, "suggest: results may wrap around mod t"}};
    _Static_assert(sizeof own / sizeof *own == OWN_OPTIONS, "every row is there");
    memcpy(rows, own, sizeof own);
}

static hb_status act(const hb_group *group, const hb_parsed *parsed, hb_params_choice *choice, suggest_words *words)
{
    const char *action = parsed->operand_count > 0 ? parsed->operands[0] : "list";
    bool check_only = strcmp(action, "check") == 0;
    if (strcmp(action, "suggest") == 0) {
        return suggest(group, &parsed->common, choice, words, parsed->operand_count > 1 ? parsed->operands[1] : NULL);
    }
    if (strcmp(action, "list") == 0) {
        return parsed->operand_count > 1
                   ? HB_FAIL(HB_EUSAGE, "unexpected argument '%s' after list", parsed->operands[1])
                   : list(group, &parsed->common);
    }
    if (strcmp(action, "show") != 0 && !check_only) {
        return HB_FAIL(HB_EUSAGE, "unknown action '%s': list, show, check or suggest", action);
    }
    if (parsed->operand_count > 1) {
        if (choice->preset != NULL) {
            return HB_FAIL(HB_EUSAGE, "a preset is named twice: '%s' and '%s'", choice->preset, parsed->operands[1]);
        }
        choice->preset = parsed->operands[1];
    }
    choice->for_tests = !check_only;
    return show(group, &parsed->common, choice, check_only);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { TABLE = OWN_OPTIONS + HB_PARAMS_OPTIONS, ROWS = TABLE + HB_TABLE_OPTIONS };
    suggest_words words = {.rows = HB_NOT_GIVEN, .precision = HB_NOT_GIVEN};
    hb_params_choice choice;
    hb_parsed parsed;
    hb_option rows[ROWS];
    own_options(rows, &words);
    hb_params_options(rows + OWN_OPTIONS, &choice);
    hb_table_options(rows + TABLE, HB_TABLE_OPTIONS, &words.table);
    const hb_usage usage = {&hb_command_params, rows, ROWS, 0, 2, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    return parsed.help ? HB_OK : act(group, &parsed, &choice, &words);
}

const hb_command hb_command_params = {
    .name = "params",
    .arguments = "[list | show NAME | check NAME | suggest 'EXPRESSION' | suggest --model NET.json] [OPTIONS]",
    .summary = "list parameter presets; show what follows from one; check a choice; suggest one",
    .ranks = false,
    .run = run};
