#include "bootstrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/outward.h"
#include "bootstrap_private.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "polynomial.h"
#include "ring/galois.h"

/* The coarsest scale at which a map is encoded: entries are of size 1. */
enum { LEAST_MAP_BITS = 20 };

/* The origin of a map, whose values may be left out. */
typedef struct map_use {
    hb_slot_direction direction;
    uint32_t i;          /* of its direction */
    uint32_t range_bits; /* where values are read at a smaller scale */
} map_use;

static uint32_t map_count(const hb_bootstrapping_spec *chain, const hb_bootstrap_spec *spec)
{
    return chain->stc_levels - 1 + chain->cts_levels + spec->ranges;
}

/* Returns map number m of a bootstrap. */
static map_use use_of(const hb_bootstrapping_spec *chain, const hb_bootstrap_spec *spec, uint32_t m)
{
    const uint32_t first = chain->stc_levels - 1, others = first + chain->cts_levels;
    if (m < first) {
        return (map_use){HB_SLOTS_BECOME_COEFFICIENTS, m, 0};
    }
    return m < others ? (map_use){HB_COEFFICIENTS_BECOME_SLOTS, m - first, 0}
                      : (map_use){HB_SLOTS_BECOME_COEFFICIENTS, first, spec->range_bits[m - others]};
}

static hb_linear_spec linear_spec(const hb_params *params, bool lowest, map_use use, const hb_slot_factor *factor)
{
    const hb_bootstrapping_levels levels = hb_bootstrap_levels(params, lowest);
    return (hb_linear_spec){.limbs = hb_bootstrap_map_limbs(&levels, use.direction, use.i),
                            .baby = hb_bootstrap_baby(factor->diagonals.count),
                            .scale = hb_bootstrap_map_scale(params, lowest, use.direction, use.i, use.range_bits),
                            .count = 0};
}

/* Returns how many ciphertexts go at a time. */
static size_t together(const hb_bootstrap_spec *spec)
{
    return spec->count < HB_BOOTSTRAP_TOGETHER ? spec->count : HB_BOOTSTRAP_TOGETHER;
}

/* --- tables */

static void close_tables(hb_polynomial **tables, uint32_t count)
{
    for (uint32_t i = 0; tables != NULL && i < count; i++) {
        hb_ckks_polynomial_close(tables[i]);
    }
    free(tables);
}

/* Plans every table of a spec; the caller closes them, also after a failure. */
static hb_status open_tables(const hb_params *params, const hb_bootstrap_spec *spec, hb_polynomial ***tables)
{
    *tables = NULL;
    if (spec->table_count == 0) {
        return HB_OK;
    }
    *tables = calloc(spec->table_count, sizeof **tables);
    if (*tables == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for tables");
    }
    for (uint32_t i = 0; i < spec->table_count; i++) {
        HB_TRY(hb_ckks_eval_mod_open(params, 0, &spec->tables[i], &(*tables)[i]));
    }
    return HB_OK;
}

/* --- memory */

/* Memory of the engine: maps, other constants, and workspace for one ciphertext. */
typedef struct bootstrap_memory {
    uint64_t map_bytes, constant_bytes;
    size_t words;
} bootstrap_memory;

/* Finds the needed memory; words are those of the largest map or of EvalMod. */
static hb_status find_memory(bootstrap_memory *m, const hb_params *params, const hb_bootstrap_spec *spec,
                             const hb_polynomial *eval_mod, hb_polynomial *const *tables)
{
    const hb_bootstrapping_spec *chain = &params->spec.bootstrapping;
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    size_t words = 2 * eval_mod->words, period;
    for (uint32_t i = 0; i < spec->table_count; i++) {
        words = hb_larger(words, 2 * tables[i]->words);
    }
    int64_t trace[HB_GALOIS_MOST_STEPS];
    HB_TRY(hb_bootstrap_period(params, spec->period, &period));
    const size_t permutations = 1 + hb_bootstrap_trace_steps(params, period, trace); /* and the conjugation */
    *m = (bootstrap_memory){.constant_bytes = permutations * 2 * params->ring.n * sizeof(uint32_t)};
    for (uint32_t i = 0; i < map_count(chain, spec); i++) {
        const map_use use = use_of(chain, spec, i);
        const hb_slot_transform t = hb_bootstrap_transform(params, use.direction, period);
        hb_linear_shape shape;
        hb_slot_factor factor;
        HB_TRY(hb_slot_factor_init(&factor, &t, use.i, false));
        const hb_linear_spec linear = linear_spec(params, spec->lowest, use, &factor);
        const hb_status st = hb_linear_shape_of(&shape, params->ring.n / 2, linear.baby, &factor.diagonals);
        hb_slot_factor_clear(&factor);
        HB_TRY(st);
        const hb_linear_memory taken = hb_linear_memory_of(params, &linear, shape);
        m->map_bytes += taken.bytes;
        words = hb_larger(words, taken.words);
    }
    words = hb_larger(words, hb_bootstrap_switch_words(params, &params->sparse_gadget.levels[1]) +
                                 hb_bootstrap_switch_words(params, &params->gadget.levels[levels.top + 1]));
    m->words = words + hb_bootstrap_ciphertext_words(params);
    return HB_OK;
}

static hb_status require(const hb_params *params, const hb_bootstrap_spec *spec)
{
    if (!hb_params_can_bootstrap(params)) {
        return HB_FAIL(HB_ECONFIG, "parameters %s have no levels for bootstrapping", params->name);
    }
    HB_ASSERT(!spec->lowest || (!spec->twice && spec->period == 0 && spec->table_count == 0));
    for (uint32_t i = 0; spec->lowest && i < spec->ranges; i++) {
        HB_TRY(hb_bootstrap_require_lowest(params, spec->range_bits[i]));
    }
    return HB_OK;
}

hb_status hb_ckks_bootstrap_memory(const hb_params *params, const hb_bootstrap_spec *spec, hb_bootstrap_memory *out)
{
    bootstrap_memory m;
    hb_polynomial *eval_mod, **tables;
    *out = (hb_bootstrap_memory){0};
    HB_TRY(require(params, spec));
    HB_TRY(hb_ckks_eval_mod_open(params, 0, NULL, &eval_mod));
    hb_status st = open_tables(params, spec, &tables);
    st = st == HB_OK ? find_memory(&m, params, spec, eval_mod, tables) : st;
    close_tables(tables, spec->table_count);
    hb_ckks_polynomial_close(eval_mod);
    HB_TRY(st);
    *out = (hb_bootstrap_memory){m.map_bytes, m.constant_bytes + together(spec) * m.words * sizeof(uint64_t)};
    return HB_OK;
}

/* --- opening */

static hb_status open_map(hb_ckks_bootstrap *b, map_use use, hb_linear_map **out)
{
    const hb_params *params = b->rlwe.params;
    const hb_slot_transform t = hb_bootstrap_transform(params, use.direction, b->period);
    const hb_exact_scale scale = hb_bootstrap_map_scale(params, b->lowest, use.direction, use.i, use.range_bits);
    if (hb_exact_scale_log2(scale) < LEAST_MAP_BITS) {
        return HB_FAIL(HB_EDATA,
                       "values up to 2^%u are too large for bootstrapping with parameters %s: make them smaller, at "
                       "most 2^%.0f",
                       use.range_bits, params->name,
                       hb_decimal_down(hb_exact_scale_log2(scale) + use.range_bits - LEAST_MAP_BITS, 0));
    }
    hb_slot_factor factor;
    HB_TRY(hb_slot_factor_init(&factor, &t, use.i, true));
    const hb_linear_spec spec = linear_spec(params, b->lowest, use, &factor);
    const hb_status st = hb_linear_map_open(b->engine, params, &spec, &factor.diagonals, out);
    hb_slot_factor_clear(&factor);
    return st;
}

static hb_status open_maps(hb_ckks_bootstrap *b, const hb_bootstrap_spec *spec)
{
    const hb_bootstrapping_spec *chain = &b->rlwe.params->spec.bootstrapping;
    const hb_ckks_bootstrap *of = (const hb_ckks_bootstrap *)spec->of;
    const size_t list = spec->ranges * sizeof *b->range_bits;
    if (of != NULL) {
        HB_ASSERT(of->rlwe.params == b->rlwe.params && of->period == b->period && of->ranges == spec->ranges &&
                  of->lowest == b->lowest);
        HB_ASSERT(memcmp(of->range_bits, spec->range_bits, list) == 0);
        b->borrowed = true;
        b->ranges = of->ranges;
        b->range_bits = of->range_bits;
        b->maps = of->maps;
        return HB_OK;
    }
    b->range_bits = malloc(list);
    b->maps = calloc(map_count(chain, spec), sizeof *b->maps);
    if (b->range_bits == NULL || b->maps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for bootstrapping");
    }
    memcpy(b->range_bits, spec->range_bits, list);
    b->ranges = spec->ranges;
    for (uint32_t i = 0; i < map_count(chain, spec); i++) {
        HB_TRY(open_map(b, use_of(chain, spec, i), &b->maps[i]));
    }
    return HB_OK;
}

static hb_status fill(hb_ckks_bootstrap *b, const hb_bootstrap_spec *spec)
{
    const hb_params *params = b->rlwe.params;
    const hb_bootstrapping_spec *chain = &params->spec.bootstrapping;
    void *work = NULL;
    bootstrap_memory m;
    HB_TRY(hb_bootstrap_period(params, spec->period, &b->period));
    HB_TRY(hb_ckks_eval_mod_open(params, 0, NULL, &b->eval_mod));
    b->table_count = spec->table_count;
    HB_TRY(open_tables(params, spec, &b->tables));
    HB_TRY(find_memory(&m, params, spec, b->eval_mod, b->tables));
    HB_TRY(open_maps(b, spec));
    HB_TRY(hb_mod_up_init(&b->raise, &params->ring, params->ids, b->levels.top + 1, 0, 1));
    HB_TRY(hb_permutation_init_galois(&b->conjugation, b->engine, hb_galois_swap(params->ring.n)));
    int64_t trace[HB_GALOIS_MOST_STEPS];
    const uint32_t traces = hb_bootstrap_trace_steps(params, b->period, trace);
    while (b->traces < traces) { /* counted one by one, so that clearing knows which exist */
        const uint32_t element = hb_galois_rotation(params->ring.n, hb_ckks_generator(&params->spec), trace[b->traces]);
        HB_TRY(hb_permutation_init_galois(&b->trace[b->traces], b->engine, element));
        b->traces++;
    }
    if (spec->twice) {
        const hb_eval_mod_form *form = hb_eval_mod_form_of(chain->eval_mod);
        HB_TRY(hb_ckks_eval_mod_open(params, form->error_bits, NULL, &b->eval_mod_of_errors));
    }
    HB_TRY(hb_alloc(b->engine, b->count * m.words * sizeof *b->work, &work));
    b->work = work;
    b->work_words = b->count * m.words;
    return HB_OK;
}

hb_status hb_ckks_bootstrap_open(hb_engine *engine, const hb_params *params, const hb_bootstrap_spec *spec,
                                 hb_bootstrap **out)
{
    *out = NULL;
    HB_ASSERT(spec->count >= 1 && spec->ranges >= 1);
    HB_TRY(require(params, spec));
    hb_ckks_bootstrap *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for bootstrapping");
    }
    *b = (hb_ckks_bootstrap){.rlwe = {.params = params},
                             .engine = engine,
                             .levels = hb_bootstrap_levels(params, spec->lowest),
                             .lowest = spec->lowest,
                             .count = together(spec),
                             .stc = params->spec.bootstrapping.stc_levels,
                             .cts = params->spec.bootstrapping.cts_levels};
    const bool last = hb_bootstrap_reads_noise(b) || spec->lowest; /* slots become coefficients last */
    b->rlwe.limbs = last ? 1 : b->levels.stc + 1;
    b->rlwe.result_limbs = (last ? b->levels.coefficients : b->levels.out) + 1;
    const hb_status st = fill(b, spec);
    if (st != HB_OK) {
        hb_ckks_bootstrap_close(&b->rlwe);
        return st;
    }
    *out = &b->rlwe;
    return HB_OK;
}

void hb_ckks_bootstrap_close(hb_bootstrap *bootstrap)
{
    hb_ckks_bootstrap *b = (hb_ckks_bootstrap *)bootstrap; /* a struct begins where its first member does */
    if (b == NULL) {
        return;
    }
    for (uint32_t i = 0; !b->borrowed && b->maps != NULL && i < b->stc - 1 + b->cts + b->ranges; i++) {
        hb_linear_map_close(b->maps[i]);
    }
    hb_mod_up_clear(&b->raise);
    hb_permutation_clear(&b->conjugation, b->engine);
    for (uint32_t i = 0; i < b->traces; i++) {
        hb_permutation_clear(&b->trace[i], b->engine);
    }
    hb_ckks_polynomial_close(b->eval_mod);
    hb_ckks_polynomial_close(b->eval_mod_of_errors);
    close_tables(b->tables, b->table_count);
    hb_free(b->engine, b->work);
    if (!b->borrowed) {
        free(b->maps);
        free(b->range_bits);
    }
    free(b);
}

/* Bootstraps the errors of results, of which the operands tell. Errors of a pair are not real, so that they do not go
 * together: each takes the real part of its own. */
static hb_status correct(const hb_bootstrap_run *x, const hb_ciphertexts r[], const hb_ciphertexts a[], size_t first)
{
    const bool neighbours = x->kind == HB_BOOTSTRAP_NEIGHBOURS;
    hb_bootstrap_run y = *x;
    y.eval_mod = x->b->eval_mod_of_errors;
    y.kind = hb_bootstrap_as_one(x->kind) > 1 ? HB_BOOTSTRAP_REAL : x->kind;
    hb_bootstrap_lay_out(&y, x->count);
    for (uint32_t i = 0; i < hb_bootstrap_as_one(x->kind); i++) {
        const hb_op_part outer = hb_op_part_enter(&x->ev->progress, hb_op_part_of(i, 1, hb_bootstrap_as_one(x->kind)));
        const uint32_t batch = neighbours ? 0 : i;
        const size_t from = neighbours ? 2 * first + i * x->count : first;
        HB_TRY(hb_bootstrap_take_errors(&y, &a[batch], &r[batch], from));
        HB_TRY(hb_bootstrap_run_stages(&y, &r[batch], from));
        hb_op_part_leave(&x->ev->progress, outer);
    }
    return HB_OK;
}

/* Bootstraps the ciphertexts of a chunk, and then their errors. */
static hb_status run_chunk(hb_bootstrap_run *x, const hb_ciphertexts r[], const hb_ciphertexts a[], size_t first)
{
    const bool twice = x->b->eval_mod_of_errors != NULL;
    const hb_op_part outer = hb_op_part_enter(&x->ev->progress, hb_op_part_of(0, 1, 1 + twice));
    HB_TRY(hb_bootstrap_take(x, a, first));
    HB_TRY(hb_bootstrap_run_stages(x, r, first));
    if (twice) {
        hb_op_part_next(&x->ev->progress, outer, hb_op_part_of(1, 1, 2));
        HB_TRY(correct(x, r, a, first));
    }
    hb_op_part_leave(&x->ev->progress, outer);
    return HB_OK;
}

/* Bootstraps ciphertexts first .. first + count; of neighbours these are pairs. */
static hb_status run_chunks(hb_bootstrap_run *x, const hb_ciphertexts r[], const hb_ciphertexts a[], size_t first,
                            size_t count)
{
    for (hb_chunk c = hb_chunks(count, x->b->count); hb_chunk_next(&c);) {
        const hb_op_part outer = hb_op_part_enter(&x->ev->progress, hb_op_part_of(c.first, c.count, count));
        hb_bootstrap_lay_out(x, c.count);
        HB_TRY(run_chunk(x, r, a, first + c.first));
        hb_op_part_leave(&x->ev->progress, outer);
    }
    return HB_OK;
}

hb_status hb_ckks_bootstrap_apply(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_kind kind,
                                  uint32_t range_bits, hb_ciphertexts r[], hb_ciphertexts a[],
                                  const hb_switch_keys *keys)
{
    const hb_ckks_bootstrap *b = (const hb_ckks_bootstrap *)bootstrap;
    const size_t count = hb_ciphertexts_count(a[0]);
    HB_ASSERT(ev->requirements.limbs >= b->levels.top + 1 && ev->requirements.switching);
    HB_ASSERT(hb_bootstrap_of_integers(kind) == hb_bootstrap_reads_noise(b));
    HB_ASSERT((kind == HB_BOOTSTRAP_LOWEST) == b->lowest);
    HB_ASSERT(kind != HB_BOOTSTRAP_TABLE || range_bits < b->table_count);
    for (uint32_t i = 0; i < hb_bootstrap_batches(kind); i++) {
        HB_ASSERT(a[i].size == 2 && r[i].size == 2 && a[i].form == HB_NTT_FORM && r[i].form == HB_NTT_FORM);
        HB_ASSERT(hb_ciphertexts_count(a[i]) == count && hb_ciphertexts_count(r[i]) == count);
        HB_ASSERT(a[i].all.limbs == bootstrap->limbs && r[i].all.limbs == bootstrap->result_limbs);
    }
    const bool table = kind == HB_BOOTSTRAP_TABLE;
    hb_bootstrap_run x = {.ev = ev,
                          .b = b,
                          .keys = keys,
                          .kind = kind,
                          .range_bits = table ? 0 : range_bits,
                          .eval_mod = table ? b->tables[range_bits] : b->eval_mod};
    HB_TRY(hb_bootstrap_find_keys(&x));
    if (kind != HB_BOOTSTRAP_NEIGHBOURS) {
        return run_chunks(&x, r, a, 0, count);
    }
    const hb_op_part outer = hb_op_part_enter(&ev->progress, hb_op_part_of(0, count / 2 * 2, count));
    HB_TRY(run_chunks(&x, r, a, 0, count / 2));
    x.kind = HB_BOOTSTRAP_REAL; /* the last one, where there is one */
    hb_op_part_next(&ev->progress, outer, hb_op_part_of(count / 2 * 2, count % 2, count));
    HB_TRY(run_chunks(&x, r, a, count / 2 * 2, count % 2));
    hb_op_part_leave(&ev->progress, outer);
    return HB_OK;
}

hb_status hb_ckks_bootstrap_stage(hb_evaluator *ev, hb_bootstrap *bootstrap, hb_bootstrap_stage stage, size_t count,
                                  const hb_switch_keys *keys)
{
    const hb_ckks_bootstrap *b = (const hb_ckks_bootstrap *)bootstrap;
    hb_bootstrap_run x = {.ev = ev,
                          .b = b,
                          .keys = keys,
                          .kind = HB_BOOTSTRAP_COMPLEX,
                          .range_bits = b->range_bits[0],
                          .eval_mod = b->eval_mod};
    HB_ASSERT(count <= b->count && !b->lowest);
    HB_TRY(hb_bootstrap_find_keys(&x));
    hb_bootstrap_lay_out(&x, count);
    if (stage != HB_BOOTSTRAP_JOIN) {
        return hb_bootstrap_run_stage(&x, stage);
    }
    const hb_ciphertexts r = hb_ciphertexts_view(x.halves, b->engine, ev->params, 2, count, b->levels.out + 1);
    return hb_bootstrap_join(&x, &r, 0);
}
