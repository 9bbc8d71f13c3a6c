#include "noise_levels.h"

#include <math.h>
#include <stdlib.h>

#include "lang/analysis/transfer_functions.h"
#include "lang/ir/rules.h"
#include "rlwe/bounds.h"
#include "scheme/quality.h"

/* The budget of operands of which it is found what operations take: far from none, and from a fresh ciphertext. */
static const double usual_bits = 60;

/* Powers of the secret in it: after a product or two. */
enum { USUAL_POWERS = 2 };

typedef struct finder {
    const hb_graph *g;
    hb_facts usual; /* with errors of its own */
    hb_noise_wanted wanted;
    double unit; /* of the levels */
} finder;

static double most_bits(const finder *f, uint32_t limbs)
{
    return hb_log_modulus(f->g->params, limbs) - 1;
}

/* Returns the bits of budget that are trusted to be left. */
static double bits_of(const finder *f, uint32_t limbs, hb_quality quality)
{
    const hb_params *params = f->g->params;
    return most_bits(f, limbs) - hb_quality_bound(quality, f->wanted.certainty, hb_quality_margin(params));
}

/* Returns noise with so many bits of budget left, by any bound. */
static hb_quality noise_of(const finder *f, uint32_t limbs, double bits)
{
    const double bound = most_bits(f, limbs) - bits, margin = hb_quality_margin(f->g->params);
    return (hb_quality){.worst = bound,
                        .expected = f->wanted.certainty == HB_CERTAINTY_PROVEN ? bound : bound - margin,
                        .powers = USUAL_POWERS,
                        .certainty = f->wanted.certainty};
}

/* Limbs that the operands of a node have, where they meet. */
static uint32_t operand_limbs(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_MOD_SWITCH ? g->nodes[node->a].shape.limbs : node->shape.limbs;
}

/* Finds the most bits that a look-up leaves, and the fewest bits of its operand that leave within one of them. */
static double find_lookup(const finder *f, double *operand)
{
    const uint32_t limbs = hb_params_fresh_limbs(f->g->params);
    hb_quality out;
    double most = 0;
    *operand = usual_bits;
    for (double bits = usual_bits; bits > 0; bits--) {
        if (hb_quality_table(f->g->params, f->wanted.certainty, noise_of(f, limbs, bits), &out) != HB_OK) {
            break;
        }
        const double left = bits_of(f, limbs, out);
        most = bits == usual_bits ? left : most;
        *operand = left > most - 1 ? bits : *operand;
    }
    return most;
}

static double bits_taken(finder *f, const hb_node *node)
{
    const hb_graph *g = f->g;
    const hb_node_list operands = hb_node_operands(g, node);
    const hb_quality usual = noise_of(f, operand_limbs(g, node), usual_bits);
    double operand;
    if (node->op == HB_OP_LOOKUP) {
        const double most = find_lookup(f, &operand);
        return operand - most;
    }
    for (uint32_t j = 0; j < operands.count && !hb_operations[node->op].loads; j++) {
        f->usual.error[operands.node[j]] = (hb_node_error){.quality = usual};
    }
    hb_facts_find_error(&f->usual, node);
    const double left = bits_of(f, node->shape.limbs, hb_node_quality(&f->usual, node));
    return hb_operations[node->op].loads ? left : usual_bits - left;
}

/* Rounded to the nearest number: too few are made up for by the reserve. */
static uint8_t levels_taken(finder *f, const hb_node *node)
{
    const bool loads = hb_operations[node->op].loads;
    const double levels = bits_taken(f, node) / f->unit;
    const double reserve = hb_rule_of(node->op)->product ? f->wanted.reserve / f->unit : 0;
    return (uint8_t)fmin(fmax(loads ? floor(levels) : round(levels + reserve), 0), UINT8_MAX);
}

/* A second pass adds as many bits as all behind it: where its range begins is a whole number of bits behind the first
 * one's. The highest is where noise of no size leads to. */
static hb_status find_passes(const finder *f, hb_noise_levels *out)
{
    const hb_params *params = f->g->params;
    const hb_certainty certainty = f->wanted.certainty;
    const uint32_t limbs = hb_params_fresh_limbs(params);
    const hb_quality none = {.powers = 1};
    hb_quality a = noise_of(f, limbs, usual_bits), best;
    uint32_t first, second, most;
    HB_TRY(hb_quality_refresh_bits(params, certainty, a, &first));
    HB_TRY(hb_quality_refresh(params, certainty, first, a, &a));
    HB_TRY(hb_quality_refresh_bits(params, certainty, a, &second));
    HB_TRY(hb_quality_refresh_bits(params, certainty, none, &most));
    HB_TRY(hb_quality_refresh(params, certainty, most, none, &best));
    uint32_t bits;
    double operand;
    if (hb_quality_table_bits(params, &bits) == HB_OK) {
        out->looked_up = (uint32_t)fmax(floor(find_lookup(f, &operand) / f->unit), 1);
    }
    out->unit = f->unit;
    out->least = (uint32_t)ceil(2 / f->unit); /* a budget of one whole bit, however it is rounded */
    out->operand = (uint32_t)ceil((usual_bits - first) / f->unit);
    out->gain = (uint32_t)fmax(floor((second - first) / f->unit), 1);
    out->highest = (uint32_t)fmax(floor(bits_of(f, limbs, best) / f->unit), 0);
    return HB_OK;
}

hb_status hb_noise_levels_find(const hb_facts *facts, hb_noise_wanted wanted, hb_noise_levels *out)
{
    const hb_graph *g = facts->graph;
    finder f = {.g = g, .usual = *facts, .wanted = wanted};
    const double most = most_bits(&f, hb_params_fresh_limbs(g->params));
    f.unit = ceil(most / UINT8_MAX);
    f.usual.certainty = wanted.certainty;
    *out = (hb_noise_levels){.taken = malloc((size_t)g->count + 1)};
    f.usual.error = calloc((size_t)g->count + 1, sizeof *f.usual.error);
    hb_status st = out->taken != NULL && f.usual.error != NULL
                       ? find_passes(&f, out)
                       : HB_FAIL(HB_ENOMEM, "no memory for the noise of an expression");
    for (uint32_t i = 0; st == HB_OK && i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        out->taken[i] = facts->size[i].used && !node->shape.plain ? levels_taken(&f, node) : 0;
    }
    free(f.usual.error);
    return st;
}
