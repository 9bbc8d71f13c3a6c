#include "compact.h"

#include <math.h>
#include <stdlib.h>

#include "joint/part_plan.h"
#include "lang/analysis/deferred_sums.h"
#include "lang/analysis/moments.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "packed_quality.h"
#include "scheme/merge.h"
#include "scheme/params.h"
#include "scheme/quality.h"

static double trusted(const hb_graph *g, const hb_compaction *how, hb_quality quality, uint32_t limbs)
{
    const bool worst = how->trust == HB_QUALITY_WORST;
    /* As where bits are checked that are wanted (error_analysis.h). */
    return hb_quality_bits(g->params, limbs, worst ? quality.worst : hb_quality_likely(g->params, quality));
}

/* The proven bits that exact results do not lose: 1, or those that parts of owners take. */
static double proven_bits(const hb_graph *g)
{
    return fmax(hb_part_budget(g->params), 1);
}

/* Whether an exact result keeps enough bits after modulus switches down to that level. */
static bool keeps_budget(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = f->graph;
    const uint32_t from = node->shape.limbs;
    hb_quality quality = hb_node_quality(f, node);
    const bool proven = hb_quality_bits(g->params, from, quality.worst) >= proven_bits(g);
    const double least = how->own ? fmin(how->bits, trusted(g, how, quality, from)) : how->bits;
    for (uint32_t l = from; l > to; l -= hb_graph_level_limbs(g)) {
        quality = hb_quality_mod_switch(g->params, l, quality, hb_facts_size(f, node)->size);
    }
    return trusted(g, how, quality, to) >= least &&
           (!proven || hb_quality_bits(g->params, to, quality.worst) >= proven_bits(g));
}

/* Bits of reals at a level; none where it has no room for the values. */
static double real_bits(const hb_graph *g, const hb_compaction *how, hb_quality quality, hb_magnitude values,
                        uint32_t limbs)
{
    hb_quality believed = quality;
    if (how->trust != HB_QUALITY_WORST) {
        believed.worst = hb_quality_likely(g->params, believed);
    }
    return values.most <= hb_quality_room(g->params, limbs, believed)
               ? trusted(g, how, hb_quality_decoded(g->params, limbs, quality, values), limbs)
               : -INFINITY;
}

/* Bits that are left of reals once they are at that level. */
static double bits_adjusted(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = f->graph;
    const uint32_t from = node->shape.limbs;
    const hb_magnitude values = hb_node_values(f, node);
    const hb_quality_factor factor = {hb_node_quality(f, node), hb_facts_size(f, node)->size, values, false};
    const hb_quality quality = to < from ? hb_quality_adjust(g->params, from, factor, to) : factor.quality;
    return real_bits(g, how, quality, values, to);
}

static bool keeps_precision(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const double bits = bits_adjusted(f, node, how, to);
    const double own = bits_adjusted(f, node, how, node->shape.limbs);
    return bits >= how->bits && (!how->own || bits >= own - HB_COMPACT_LOSS);
}

static bool keeps(const hb_lowering *l, const hb_facts *f, const hb_value *value, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = &l->graph;
    bool enough = true;
    for (uint32_t i = 0; enough && i < value->columns; i++) {
        const hb_node *node = &g->nodes[l->pool[value->first + i]];
        enough = g->semantics->reals ? keeps_precision(f, node, how, to) : keeps_budget(f, node, how, to);
    }
    return enough;
}

/* --- totals in one ciphertext */

static bool has_several(const hb_value *value)
{
    return value->kind == HB_TYPE_TOTALS && value->columns > 1;
}

/* Returns what forbids to pack totals, before their noise is looked at. Imaginary parts come to the upper half of the
 * coefficients, where no total is. */
static hb_unpacked forbids(const hb_lowering *l, const hb_value *value)
{
    const hb_graph *g = &l->graph;
    if (!has_several(value)) {
        return HB_PACKED_OR_SINGLE;
    }
    if (g->encoding != HB_ENCODE_SLOTS || hb_graph_packed(g) || value->width != 0) {
        return HB_UNPACKED_ROWS;
    }
    if (value->columns > g->params->spec.n / 2) {
        return HB_UNPACKED_MANY;
    }
    for (uint32_t i = 0; i < value->columns; i++) {
        const hb_node_shape *shape = &hb_packed_column(l, value, i)->shape;
        if (!shape->total || shape->plain || shape->scaled || shape->halves != HB_HALVES_REAL) {
            return HB_UNPACKED_FORM;
        }
        if (shape->limbs > g->params->fresh_limbs) {
            return HB_UNPACKED_LEVEL;
        }
    }
    return HB_PACKED_OR_SINGLE;
}

/* Whether each column is a total of its own ciphertext that stands in every slot. */
static bool are_totals(const hb_lowering *l, const hb_value *value)
{
    return has_several(value) && forbids(l, value) == HB_PACKED_OR_SINGLE;
}

/* The size of the values of any column. */
static hb_magnitude values_of_any(const hb_lowering *l, const hb_facts *f, const hb_value *value)
{
    hb_magnitude all = hb_node_values(f, hb_packed_column(l, value, 0));
    for (uint32_t i = 1; i < value->columns; i++) {
        const hb_magnitude one = hb_node_values(f, hb_packed_column(l, value, i));
        all.most = fmax(all.most, one.most);
        all.mean = fmax(all.mean, one.mean);
        all.peak = fmax(all.peak, one.peak);
    }
    all.common = 0;
    return all;
}

/* The bound of packed totals; summed: 0 where slots do not merge. */
static hb_quality bound_of(const hb_lowering *l, const hb_facts *f, const hb_value *value, uint32_t summed,
                           uint32_t limbs)
{
    return hb_packed_quality(l, f, value, values_of_any(l, f, value), summed, limbs);
}

/* Bits of packed totals of that bound; of reals none where the level has no room for them. */
static double packed_bits(const hb_lowering *l, const hb_facts *f, const hb_value *value, const hb_compaction *how,
                          hb_quality quality, uint32_t limbs)
{
    const hb_graph *g = &l->graph;
    return g->semantics->reals ? real_bits(g, how, quality, values_of_any(l, f, value), limbs)
                               : trusted(g, how, quality, limbs);
}

/* The bits that packed totals keep, and whether these are proven. */
typedef struct packed_least {
    double bits;
    bool proven;
} packed_least;

/* Whether any column is proven, of exact ones: packed totals have one bound, that of all together. */
static bool any_proven(const hb_lowering *l, const hb_facts *f, const hb_value *value)
{
    bool proven = false;
    for (uint32_t i = 0; !l->graph.semantics->reals && !proven && i < value->columns; i++) {
        const hb_node *node = hb_packed_column(l, value, i);
        proven = hb_quality_bits(l->graph.params, node->shape.limbs, hb_node_quality(f, node).worst) >=
                 proven_bits(&l->graph);
    }
    return proven;
}

/* The least that packed totals keep; quality: theirs at the level where the columns are. */
static packed_least least_of(const hb_lowering *l, const hb_facts *f, const hb_value *value, const hb_compaction *how,
                             hb_quality quality)
{
    const uint32_t from = hb_packed_column(l, value, 0)->shape.limbs;
    packed_least least = {how->bits, any_proven(l, f, value)};
    if (how->own && !l->graph.semantics->reals) {
        least.bits = fmax(fmin(HB_COMPACT_PACKED, packed_bits(l, f, value, how, quality, from)), 1);
    } else if (how->own) {
        double own = INFINITY;
        for (uint32_t i = 0; i < value->columns; i++) {
            own = fmin(own, bits_adjusted(f, hb_packed_column(l, value, i), how, from));
        }
        least.bits = fmax(least.bits, own - HB_COMPACT_LOSS);
    }
    return least;
}

/* Whether totals of that bound keep enough. */
static bool keeps_packed(const hb_lowering *l, const hb_facts *f, const hb_value *value, const hb_compaction *how,
                         packed_least least, hb_quality quality, uint32_t limbs)
{
    return packed_bits(l, f, value, how, quality, limbs) >= least.bits &&
           (!least.proven || hb_quality_bits(l->graph.params, limbs, quality.worst) >= proven_bits(&l->graph));
}

static bool has_level(const hb_graph *g, uint32_t limbs)
{
    return limbs > 0 && g->params->levels[limbs].basis.limbs > 0;
}

/* Merges the slots of totals in the fewest limbs with which the ciphertext that is stored keeps enough. */
static void lower_sums(const hb_lowering *l, const hb_facts *f, hb_symbol *symbol, const hb_compaction *how,
                       packed_least least)
{
    const hb_graph *g = &l->graph;
    const uint32_t own = hb_graph_level_limbs(g), to = symbol->packed_limbs;
    bool lower = true;
    while (lower && symbol->summed_limbs > to && has_level(g, symbol->summed_limbs - own)) {
        const hb_quality quality = bound_of(l, f, &symbol->value, symbol->summed_limbs - own, to);
        lower = keeps_packed(l, f, &symbol->value, how, least, quality, to);
        if (lower) {
            symbol->summed_limbs -= own;
            symbol->packed_quality = quality;
        }
    }
}

/* summed_limbs: 0 where slots do not merge. */
static void pack_output(const hb_lowering *l, const hb_facts *f, hb_symbol *symbol, const hb_compaction *how)
{
    const hb_graph *g = &l->graph;
    const hb_value *value = &symbol->value;
    symbol->packed_limbs = 0;
    symbol->unpacked = forbids(l, value);
    if (!are_totals(l, value)) {
        return;
    }
    symbol->unpacked = HB_UNPACKED_BITS;
    const bool merges = symbol->summed_limbs > 0;
    const uint32_t own = hb_graph_level_limbs(g), from = hb_packed_column(l, value, 0)->shape.limbs;
    uint32_t to = from;
    symbol->summed_limbs =
        merges ? from : 0; /* an earlier round may have lowered it, and the bound is that of `from` */
    hb_quality quality = bound_of(l, f, value, symbol->summed_limbs, to);
    const packed_least least = least_of(l, f, value, how, quality);
    bool kept = true;
    while (kept && keeps_packed(l, f, value, how, least, quality, to)) {
        symbol->unpacked = HB_PACKED_OR_SINGLE;
        symbol->packed_limbs = to;
        symbol->packed_quality = quality;
        symbol->computed_limbs = from;
        kept = to > own && has_level(g, to - own);
        if (kept) {
            to -= own;
            quality = bound_of(l, f, value, symbol->summed_limbs, to);
        }
    }
    if (merges && symbol->packed_limbs > 0) {
        lower_sums(l, f, symbol, how, least);
    }
}

/* --- sums of slots that merge */

bool hb_compact_merges(const hb_graph *g)
{
    return hb_spec_merges(&g->params->spec);
}

hb_status hb_compact_defer(const hb_lowering *l, hb_facts *facts, hb_symbol *const *symbols, uint32_t count)
{
    hb_deferral *outputs = calloc((size_t)count + 1, sizeof *outputs);
    if (outputs == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the results of an expression");
    }
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *value = &symbols[i]->value;
        outputs[i] = (hb_deferral){l->pool + value->first, value->columns, symbols[i]->summed_limbs > 0};
    }
    const hb_status st = hb_facts_defer_sums(facts, outputs, count);
    for (uint32_t i = 0; st == HB_OK && i < count; i++) {
        symbols[i]->summed_limbs = outputs[i].merged ? symbols[i]->summed_limbs : 0;
    }
    free(outputs);
    return st;
}

/* Finds the outputs that are packed, and those of them whose sums merge: one that cannot be packed so is no reason for
 * others to wait. */
static hb_status pack_outputs(const hb_lowering *l, hb_facts *f, hb_symbol *const *symbols, uint32_t count,
                              const hb_compaction *how)
{
    const hb_graph *g = &l->graph;
    for (uint32_t i = 0; i < count; i++) {
        const hb_value *value = &symbols[i]->value;
        const bool merges = hb_compact_merges(g) && are_totals(l, value);
        symbols[i]->summed_limbs = merges ? hb_packed_column(l, value, 0)->shape.limbs : 0;
    }
    bool found = false;
    while (!found) {
        HB_TRY(hb_compact_defer(l, f, symbols, count));
        found = true;
        for (uint32_t i = 0; i < count; i++) {
            const bool merges = symbols[i]->summed_limbs > 0;
            pack_output(l, f, symbols[i], how);
            found = found && !(merges && symbols[i]->packed_limbs == 0);
            symbols[i]->summed_limbs = symbols[i]->packed_limbs > 0 ? symbols[i]->summed_limbs : 0;
        }
    }
    return HB_OK;
}

/* --- columns of their own */

static hb_status lower_output(hb_lowering *l, const hb_facts *facts, hb_symbol *symbol, const hb_compaction *how,
                              bool *changed)
{
    hb_graph *g = &l->graph;
    const hb_value *value = &symbol->value;
    const uint32_t own = hb_graph_level_limbs(g), from = g->nodes[l->pool[value->first]].shape.limbs;
    uint32_t to = from;
    /* Bits only become fewer on the way, so that the first level that is too low is the end of it. */
    while (from <= g->params->fresh_limbs && to > own && has_level(g, to - own) &&
           keeps(l, facts, value, how, to - own)) {
        to -= own;
    }
    hb_graph_at_item(g, symbol->item, symbol->iteration);
    for (uint32_t i = 0; hb_graph_at_column(g, i, value->columns); i++) {
        uint32_t *node = &l->pool[value->first + i];
        for (uint32_t limbs = from; limbs > to; limbs -= own) {
            HB_TRY(hb_graph_mod_switch(g, *node, node));
        }
    }
    symbol->computed_limbs = to < from ? from : 0;
    *changed = *changed || to < from;
    return HB_OK;
}

hb_status hb_compact_outputs(hb_lowering *l, hb_facts *facts, hb_symbol *const *symbols, uint32_t count,
                             const hb_compaction *how, bool *changed)
{
    *changed = false;
    HB_TRY(pack_outputs(l, facts, symbols, count, how));
    for (uint32_t i = 0; i < count; i++) {
        if (symbols[i]->packed_limbs == 0) {
            HB_TRY(lower_output(l, facts, symbols[i], how, changed));
        }
    }
    return HB_OK;
}

uint32_t hb_computed_node(const hb_lowering *l, const hb_symbol *symbol, uint32_t column)
{
    const hb_node *nodes = l->graph.nodes;
    uint32_t node = l->pool[symbol->value.first + column];
    while (nodes[node].shape.limbs < symbol->computed_limbs &&
           (nodes[node].op == HB_OP_MOD_SWITCH || nodes[node].op == HB_OP_ADJUST)) {
        node = nodes[node].a;
    }
    return node;
}
