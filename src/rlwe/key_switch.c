/* Key switching: relinearization, changes of keys and automorphisms (evaluator.h; semantics.md 6.8, 6.9). */
#include "evaluator_private.h"

/* How the inner products of key switching are had: modulo each prime of the level and the special ones, or over the
 * integers (key_switch_integer.h), which is a fast path of SEAL's key switching. */
typedef struct switch_way {
    bool integers;
    uint32_t digits;
    const uint16_t *ids; /* [limbs], in which digits are transformed and multiplied */
    uint32_t limbs;
    uint32_t outputs, row; /* of hb_key_products with the key */
} switch_way;

static switch_way way_of(const hb_params *params, uint32_t k, bool integers)
{
    const hb_key_switch_integer *base = &params->key_switch_integer;
    const hb_gadget_level *level = &params->gadget.levels[k];
    if (!integers) {
        return (switch_way){false, level->digits, level->switch_ids, level->switch_limbs, 2, 2};
    }
    return (switch_way){.integers = true,
                        .digits = k,
                        .ids = base->basis.ids,
                        .limbs = base->basis.limbs,
                        .outputs = 2 * hb_key_switch_blocks(base, k),
                        .row = 2 * base->blocks};
}

/* Digits, and `sums` times the outputs. */
static size_t way_words(const hb_params *params, uint32_t k, bool integers, uint32_t sums)
{
    const switch_way way = way_of(params, k, integers);
    return hb_words_of(params, way.digits + (size_t)sums * way.outputs, way.ids, way.limbs);
}

/* Remainders [2][k] stand where the digits were. */
static size_t modular_words(const hb_params *params, uint32_t k)
{
    return hb_larger(way_words(params, k, false, 0), hb_words_of(params, 2, params->ids, k));
}

size_t hb_switch_words(const hb_params *params, uint32_t k)
{
    const hb_gadget_level *level = &params->gadget.levels[k];
    const size_t integers = hb_params_switch_by_integers(params) ? way_words(params, k, true, 1) : 0;
    /* Where digits are residues, three polynomials stand apart from the products; else one. */
    return hb_larger(integers, modular_words(params, k)) +
           hb_words_of(params, 2, level->switch_ids, level->switch_limbs) +
           hb_words_of(params, level->up == NULL ? 3 : 1, params->ids, k);
}

/* The workspace of one batch of ciphertexts: digits and sums [outputs * count] in the limbs of the way, products
 * [2 * count][switch limbs], permuted components [2 * count][k] and a component [count][k] in coefficient form. Sums
 * modulo each prime are the products. Where digits are centred, the first of the permuted has a place of its own, and
 * the rest stands where the products come: by then its digits are made. Residues may become digits while there are
 * products already, so all of it stands apart. Where products are divided in NTT form, remainders [2 * count][k] stand
 * where the digits were. */
typedef struct switching {
    switch_way way;
    hb_form form;
    bool divided; /* over the integers, by members that share limbs: quotients stand in the products' leading limbs */
    size_t count;
    const hb_gadget_level *level;
    hb_batch digits, sums, products, permuted, coefficients, remainders;
} switching;

static switching take(hb_evaluator *ev, hb_ciphertexts a, const hb_switch_key *key, size_t count)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const uint32_t k = a.all.limbs;
    const bool integers = hb_key_integers(key);
    HB_ASSERT(key->gadget == &ev->params->gadget && key->limbs >= k);
    HB_ASSERT(a.form == HB_COEFFICIENT_FORM || !integers);
    switching s = {.way = way_of(ev->params, k, integers),
                   .form = a.form,
                   .divided = integers && ev->engine->map != NULL,
                   .count = count};
    const switch_way *way = &s.way;
    s.level = hb_gadget_level_of(ev, k);
    hb_workspace behind_remainders = workspace;
    s.digits = hb_workspace_take(&workspace, ev, count * way->digits, way->limbs, way->ids);
    if (a.form == HB_NTT_FORM) {
        s.remainders = hb_workspace_take(&behind_remainders, ev, 2 * count, k, a.all.ids);
        workspace = behind_remainders.words < workspace.words ? behind_remainders : workspace;
    }
    s.sums = hb_workspace_take(&workspace, ev, integers ? way->outputs * count : 0, way->limbs, way->ids);
    hb_workspace behind = workspace;
    s.permuted = hb_workspace_take(&behind, ev, 2 * count, k, a.all.ids);
    if (a.form == HB_NTT_FORM) {
        s.coefficients = hb_workspace_take(&behind, ev, count, k, a.all.ids);
    }
    (void)hb_workspace_take(&workspace, ev, (s.level->up == NULL ? 3 : 1) * count, k, a.all.ids);
    s.products = hb_workspace_take(&workspace, ev, 2 * count, s.level->switch_limbs, s.level->switch_ids);
    s.sums = integers ? s.sums : s.products;
    return s;
}

/* Returns the conversion from the base to the limbs that block b has at the level of k limbs; its tables are borrowed.
 */
static hb_base_conversion block_conversion(const hb_key_switch_integer *base, uint32_t b, uint32_t k)
{
    hb_base_conversion conversion = base->block[b].from_base;
    conversion.to_limbs = hb_key_switch_block_limbs(base, b, k);
    return conversion;
}

/* Divides the sums in coefficient form, all blocks in one exchange there and one back. */
static hb_status divide_blocks(hb_evaluator *ev, const switching *s)
{
    const hb_key_switch_integer *base = &ev->params->key_switch_integer;
    hb_batch sums[HB_MAX_LIMBS];
    hb_base_conversion conversion[HB_MAX_LIMBS];
    hb_block_operands x = {.sums = sums,
                           .conversion = conversion,
                           .blocks = s->way.outputs / 2,
                           .dropped = hb_batch_limbs(ev->engine, s->products, s->level->limbs, 1),
                           .quotient = &s->level->down.quotient};
    for (uint32_t b = 0; b < x.blocks; b++) {
        sums[b] = hb_batch_slice(s->sums, b * s->products.count, s->products.count);
        conversion[b] = block_conversion(base, b, s->level->limbs);
    }
    return hb_divide_blocks(ev->engine, hb_batch_limbs(ev->engine, s->products, 0, s->level->limbs), &x);
}

/* Brings the NTT-form sums to coefficient form in the products, [2 * count][switch limbs]. Modulo each prime both name
 * the same memory. Destroys the sums. */
static hb_status finish(hb_evaluator *ev, const switching *s)
{
    if (!s->way.integers) {
        HB_ASSERT(s->sums.data == s->products.data);
        return hb_intt(ev->engine, s->sums);
    }
    const hb_key_switch_integer *base = &ev->params->key_switch_integer;
    HB_TRY(hb_intt_scaled(ev->engine, s->sums, base->basis.inverse_punctured));
    if (s->divided) {
        return divide_blocks(ev, s);
    }
    for (uint32_t b = 0; b < s->way.outputs / 2; b++) {
        hb_limb_address limb_addresses[HB_MAX_LIMBS];
        const hb_batch to = hb_key_switch_block_view(ev->engine, base, b, s->products, limb_addresses);
        const hb_base_conversion conversion = block_conversion(base, b, s->level->limbs);
        HB_TRY(hb_base_convert(ev->engine, to, hb_batch_slice(s->sums, b * to.count, to.count), &conversion));
    }
    return HB_OK;
}

/* The polynomials to switch, [count][k]. */
typedef struct switch_target {
    hb_batch of;
    /* It stays as it is until the products are there: digits need not copy its words. */
    bool stays;
    const hb_batch *plus; /* [2], [count][k] each: P times these is added to the products; NULL: nothing */
} switch_target;

/* Steps 1 and 2: products, in the form of the ciphertexts, of the digits of the target and the key. */
static hb_status switch_key(hb_evaluator *ev, const switching *s, switch_target target, const hb_switch_key *key)
{
    if (s->way.integers || s->level->up == NULL) {
        hb_digit_operands x = {.a = target.of,
                               .digits = s->digits,
                               .key = s->way.integers ? key->integers : key->parts,
                               .outputs = s->way.outputs,
                               .row = s->way.row};
        HB_ASSERT(target.plus == NULL);
        if (s->form == HB_NTT_FORM) {
            HB_TRY(hb_intt_of(ev->engine, s->coefficients, target.of, NULL));
            x.known = target.of;
            x.a = s->coefficients;
        }
        HB_TRY(hb_digit_products(ev->engine, s->sums, &x));
        return s->form == HB_NTT_FORM ? HB_OK : finish(ev, s);
    }
    hb_digits digits = {&ev->params->gadget, s->level, s->count, s->digits, {.data = NULL}};
    if (target.stays && s->form == HB_NTT_FORM) {
        digits.own = target.of;
    }
    HB_TRY(hb_digits_make(ev->engine, digits, target.of, s->coefficients, s->form));
    const hb_batch scratch = target.plus != NULL ? hb_batch_slice(s->remainders, 0, s->count) : target.of;
    HB_TRY(hb_digits_multiply(ev->engine, s->products, digits, key->parts, target.plus, scratch));
    return s->form == HB_NTT_FORM ? HB_OK : finish(ev, s);
}

/* Polynomials first .. of `to` = b + products first .. / P (step 3); b may have fewer, or none. */
static hb_status divide(hb_evaluator *ev, const switching *s, hb_batch to, hb_batch b, size_t first)
{
    if (s->divided) {
        const hb_batch quotients = hb_batch_limbs(ev->engine, s->products, 0, to.limbs);
        return hb_add_leading(ev->engine, to, hb_batch_slice(quotients, first, to.count), b);
    }
    const hb_batch remainders =
        s->form == HB_NTT_FORM ? hb_batch_slice(s->remainders, first, to.count) : (hb_batch){.data = NULL};
    return hb_mod_down_apply(ev->engine, to, b, hb_batch_slice(s->products, first, to.count), remainders,
                             &s->level->down, s->form);
}

/* r = b + products / P in ciphertexts first .. first + count of r. b: those of a batch like r, or `count` ciphertexts;
 * where it has but one component, the other one of r is the quotient. */
static hb_status add_quotients(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts b, const switching *s, size_t first)
{
    const uint32_t runs = hb_component_runs(r, s->count);
    const size_t length = 2 * s->count / runs, b_first = hb_ciphertexts_count(b) == s->count ? 0 : first;
    for (uint32_t i = 0; i < runs; i++) {
        const hb_batch to = hb_component_run(r, i, first, s->count);
        hb_batch plus = hb_batch_slice(to, 0, 0);
        if (runs == 1) {
            plus = b.all;
        } else if (i < b.size) {
            plus = hb_component_slice(b, i, b_first, s->count);
        }
        HB_TRY(divide(ev, s, to, plus, i * length));
    }
    return HB_OK;
}

hb_status hb_evaluator_relinearize(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    const size_t count = hb_ciphertexts_count(a);
    (void)hb_level_of(ev, a);
    HB_ASSERT(r.form == a.form && ev->requirements.switching);
    HB_ASSERT(a.size == 3 && r.size == 2 && hb_ciphertexts_count(r) == count && key->source == HB_FROM_SQUARE);
    const hb_ciphertexts a01 = {hb_batch_slice(a.all, 0, 2 * count), 2, a.form};
    const size_t step = hb_evaluator_fit(ev, 0, hb_switch_words(ev->params, a.all.limbs), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const switching s = take(ev, a, key, c.count);
        HB_TRY(switch_key(ev, &s, (switch_target){hb_component_slice(a, 2, c.first, c.count), true, NULL}, key));
        HB_TRY(add_quotients(ev, r, a01, &s, c.first));
    }
    return HB_OK;
}

hb_status hb_evaluator_change_key(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    const size_t count = hb_ciphertexts_count(a);
    (void)hb_level_of(ev, a);
    HB_ASSERT(r.form == a.form && ev->requirements.switching && key->source == HB_FROM_SECRET);
    HB_ASSERT(a.size == 2 && r.size == 2 && hb_ciphertexts_count(r) == count && r.all.limbs == a.all.limbs);
    const size_t step = hb_evaluator_fit(ev, 0, hb_switch_words(ev->params, a.all.limbs), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const switching s = take(ev, a, key, c.count);
        const hb_ciphertexts a0 = {hb_component_slice(a, 0, c.first, c.count), 1, a.form};
        HB_TRY(switch_key(ev, &s, (switch_target){hb_component_slice(a, 1, c.first, c.count), true, NULL}, key));
        HB_TRY(add_quotients(ev, r, a0, &s, c.first));
    }
    return HB_OK;
}

/* Divides the products of ciphertexts first .. first + count by P and the primes that the level owns. `a` is added to
 * them where that is one division; else between the two divisions. */
static hb_status relinearize_rescale(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const switching *s,
                                     size_t first)
{
    const uint32_t k = a.all.limbs, runs = hb_component_runs(r, s->count);
    const size_t length = 2 * s->count / runs;
    const bool at_once = s->level->down_rescale.limbs > 0;
    const hb_mod_down *down = at_once ? &s->level->down_rescale : &ev->params->levels[k].rescale;
    /* The quotients by P alone stand in the leading limbs of the products. */
    const hb_batch dividends = at_once ? s->products : hb_batch_limbs(ev->engine, s->products, 0, k);
    const hb_batch remainders = hb_batch_on(ev->engine, s->remainders.data, 2 * s->count, down->limbs, r.all.ids);
    for (uint32_t i = 0; !at_once && i < runs; i++) {
        HB_TRY(divide(ev, s, hb_batch_slice(dividends, i * length, length), hb_component_run(a, i, first, s->count),
                      i * length));
    }
    for (uint32_t i = 0; i < runs; i++) {
        HB_TRY(hb_mod_down_apply(ev->engine, hb_component_run(r, i, first, s->count), (hb_batch){.data = NULL},
                                 hb_batch_slice(dividends, i * length, length),
                                 hb_batch_slice(remainders, i * length, length), down, HB_NTT_FORM));
    }
    return HB_OK;
}

hb_status hb_evaluator_relinearize_rescale(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a,
                                           const hb_switch_key *key)
{
    const size_t count = hb_ciphertexts_count(a);
    (void)hb_level_of(ev, a);
    HB_ASSERT(a.form == HB_NTT_FORM && r.form == HB_NTT_FORM && ev->requirements.switching);
    HB_ASSERT(a.size == 3 && r.size == 2 && hb_ciphertexts_count(r) == count && key->source == HB_FROM_SQUARE);
    HB_ASSERT(r.all.limbs + hb_params_level_limbs(ev->params) == a.all.limbs && r.all.data != a.all.data);
    const hb_ciphertexts a01 = {hb_batch_slice(a.all, 0, 2 * count), 2, a.form};
    const size_t step = hb_evaluator_fit(ev, 0, hb_switch_words(ev->params, a.all.limbs), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const switching s = take(ev, a, key, c.count);
        const hb_batch plus[2] = {hb_component_slice(a, 0, c.first, c.count),
                                  hb_component_slice(a, 1, c.first, c.count)};
        const hb_batch square = hb_component_slice(a, 2, c.first, c.count);
        const bool at_once = s.level->down_rescale.limbs > 0;
        HB_TRY(switch_key(ev, &s, (switch_target){square, true, at_once ? plus : NULL}, key));
        HB_TRY(relinearize_rescale(ev, r, a01, &s, c.first));
    }
    return HB_OK;
}

/* (phi(c_0) + d_0, d_1), d of phi(c_1), of ciphertexts first .. first + count. */
static hb_status automorphism_first(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key,
                                    bool add, hb_chunk c)
{
    const size_t first = c.first, count = c.count;
    const switching s = take(ev, a, key, count);
    const uint32_t runs = hb_component_runs(a, count);
    const size_t length = 2 * count / runs;
    for (uint32_t i = 0; i < runs; i++) {
        HB_TRY(hb_key_automorphism(ev, hb_batch_slice(s.permuted, i * length, length),
                                   hb_component_run(a, i, first, count), key, a.form));
    }
    /* Products come where it stands. */
    HB_TRY(switch_key(ev, &s, (switch_target){hb_batch_slice(s.permuted, count, count), false, NULL}, key));
    const hb_ciphertexts c0 = {hb_batch_slice(s.permuted, 0, count), 1, a.form};
    if (!add) {
        return add_quotients(ev, r, c0, &s, first);
    }
    const hb_batch r0 = hb_component_slice(r, 0, first, count);
    HB_TRY(hb_add(ev->engine, r0, r0, c0.all));
    return add_quotients(ev, r, r, &s, first);
}

/* r = phi(b + products / P) in ciphertexts first .. first + count, b the component c_0 of theirs. */
static hb_status permute_quotients(hb_evaluator *ev, hb_ciphertexts r, hb_batch c0, const switching *s, size_t first,
                                   const hb_permutation *phi)
{
    const uint32_t runs = hb_component_runs(r, s->count);
    const size_t length = 2 * s->count / runs;
    for (uint32_t i = 0; i < runs; i++) {
        HB_TRY(hb_mod_down_permute(ev->engine, hb_component_run(r, i, first, s->count),
                                   i == 0 ? c0 : (hb_batch){.data = NULL},
                                   hb_batch_slice(s->products, i * length, length),
                                   hb_batch_slice(s->remainders, i * length, length), &s->level->down, phi));
    }
    return HB_OK;
}

/* (phi(c_0 + d_0), phi(d_1)), d of c_1. In place, and where r is added to, the quotients first stand in the leading
 * limbs of the products. */
static hb_status automorphism_last(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key,
                                   bool add, hb_chunk c)
{
    const switching s = take(ev, a, key, c.count);
    const hb_batch c0 = hb_component_slice(a, 0, c.first, c.count);
    const hb_batch quotients = hb_batch_limbs(ev->engine, s.products, 0, a.all.limbs);
    const hb_batch permuted = hb_batch_slice(s.permuted, 0, c.count);
    HB_TRY(switch_key(ev, &s, (switch_target){hb_component_slice(a, 1, c.first, c.count), true, NULL}, key));
    if (!add && a.form == HB_NTT_FORM && r.all.data != a.all.data) {
        HB_TRY(hb_hoisted_prepare(ev, key, 0));
        return permute_quotients(ev, r, c0, &s, c.first, &hb_hoisted_find(ev, key, 0)->automorphism);
    }
    HB_TRY(divide(ev, &s, quotients, c0, 0));
    for (uint32_t i = 0; i < 2; i++) {
        const hb_batch from = hb_batch_slice(quotients, i * c.count, c.count);
        const hb_batch to = hb_component_slice(r, i, c.first, c.count);
        HB_TRY(hb_key_automorphism(ev, add ? permuted : to, from, key, a.form));
        if (add) {
            HB_TRY(hb_add(ev->engine, to, to, permuted));
        }
    }
    return HB_OK;
}

static hb_status automorphism(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key, bool add)
{
    const size_t count = hb_ciphertexts_count(a);
    (void)hb_level_of(ev, a);
    HB_ASSERT(r.form == a.form && ev->requirements.switching);
    HB_ASSERT(a.size == 2 && r.size == 2 && hb_ciphertexts_count(r) == count);
    HB_ASSERT(key->element != HB_RELINEARIZATION && r.all.limbs == a.all.limbs);
    const size_t step = hb_evaluator_fit(ev, 0, hb_switch_words(ev->params, a.all.limbs), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        if (hb_key_switches_first(key)) {
            HB_TRY(automorphism_last(ev, r, a, key, add, c));
        } else {
            HB_TRY(automorphism_first(ev, r, a, key, add, c));
        }
    }
    return HB_OK;
}

hb_status hb_evaluator_galois(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    return automorphism(ev, r, a, key, false);
}

hb_status hb_evaluator_galois_add(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    return automorphism(ev, r, a, key, true);
}
