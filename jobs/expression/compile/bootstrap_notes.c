/* What people are told of bootstrapped values: one note for the columns of a result. */
#include <math.h>
#include <stdlib.h>

#include "expression/graph/annotate.h"
#include "expression/graph/bootstrap.h"
#include "expression/program/bootstrap.h"
#include "outcome.h"

/* The value before it was brought down. */
static const hb_node *value_of(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    return a->op == HB_OP_ADJUST ? &g->nodes[a->a] : a;
}

/* Whether a node is of a column beside those of a note. */
static bool belongs(const hb_bootstrap_note *note, const hb_node *node)
{
    return note->at == node->at && note->depth == node->depth && note->total == node->total;
}

static void add(hb_bootstrap_note *note, const hb_graph *g, const hb_node *node)
{
    const hb_node *before = value_of(g, node);
    const hb_bootstrap_kind kind = hb_bootstrap_kind_of(node->number);
    const uint32_t range_bits = hb_bootstrap_range_bits(node->number);
    note->values++;
    note->complex += kind == HB_BOOTSTRAP_COMPLEX;
    note->singles += kind == HB_BOOTSTRAP_REAL;
    note->pairs += kind == HB_BOOTSTRAP_PAIR; /* halves of pairs, until all are there */
    note->neighbours += kind == HB_BOOTSTRAP_NEIGHBOURS;
    note->range_bits = range_bits > note->range_bits ? range_bits : note->range_bits;
    note->limbs_before = before->limbs < note->limbs_before ? before->limbs : note->limbs_before;
    note->limbs_after = node->limbs;
    note->worst_before = fmin(note->worst_before, hb_node_bits(g, before, HB_QUALITY_WORST));
    note->expected_before = fmin(note->expected_before, hb_node_bits(g, before, HB_QUALITY_EXPECTED));
    note->worst_after = fmin(note->worst_after, hb_node_bits(g, node, HB_QUALITY_WORST));
    note->expected_after = fmin(note->expected_after, hb_node_bits(g, node, HB_QUALITY_EXPECTED));
}

static hb_bootstrap_note note_of(const hb_graph *g, const hb_node *node)
{
    hb_bootstrap_note note = {.at = node->at,
                              .total = node->total,
                              .depth = node->depth,
                              .limbs_before = UINT32_MAX,
                              .worst_before = HUGE_VAL,
                              .expected_before = HUGE_VAL,
                              .worst_after = HUGE_VAL,
                              .expected_after = HUGE_VAL};
    hb_excerpt(note.text, sizeof note.text, g->syntax->text, node->from, node->to);
    return note;
}

hb_status hb_program_describe_bootstraps(hb_program *program, const hb_graph *g)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        most += g->nodes[i].used && g->nodes[i].op == HB_OP_BOOTSTRAP;
    }
    program->bootstraps = calloc((size_t)most + 1, sizeof *program->bootstraps);
    if (program->bootstraps == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the notes on an expression");
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const hb_node *node = &g->nodes[i];
        if (!node->used || node->op != HB_OP_BOOTSTRAP) {
            continue;
        }
        uint32_t k = program->bootstrap_count; /* columns are made one after another, or nearly */
        while (k > 0 && program->bootstrap_count - k < 64 && !belongs(&program->bootstraps[k - 1], node)) {
            k--;
        }
        if (k == 0 || !belongs(&program->bootstraps[k - 1], node)) {
            k = ++program->bootstrap_count;
            program->bootstraps[k - 1] = note_of(g, node);
        }
        add(&program->bootstraps[k - 1], g, node);
    }
    return HB_OK;
}
