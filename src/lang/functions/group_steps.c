#include "group_steps.h"

#include <stdlib.h>

hb_status hb_group_steps_make(hb_lowering *l, const hb_group_key *key, uint32_t *steps)
{
    /* One interval for all of them, so that one approximation of sign serves them. */
    const double most = (double)key->count - 1.5 > 0.5 ? (double)key->count - 1.5 : 0.5;
    steps[0] = HB_NO_NODE;
    for (uint32_t i = 1; hb_graph_at_column(&l->graph, i, key->count); i++) {
        hb_value apart = {.kind = HB_TYPE_ROWS}, step;
        uint32_t node;
        HB_TRY(hb_graph_add_constant(&l->graph, key->node, (hb_number){.real = 0.5 - (double)key->values[i]}, &node));
        HB_TRY(hb_lower_columns(l, 1, &apart));
        l->pool[apart.first] = node;
        HB_TRY(hb_lower_step(l, &apart, most, 0.5, &step));
        steps[i] = l->pool[step.first];
    }
    return HB_OK;
}

/* The sum of the rows where a step is 1; *total is HB_NO_NODE where everybody knows it. */
static hb_status sum_of_step(hb_graph *g, const hb_indicated *of, uint32_t step, uint32_t *total)
{
    uint32_t node = step == HB_NO_NODE ? of->a : step;
    *total = HB_NO_NODE;
    if (node == HB_NO_NODE) {
        return HB_OK;
    }
    if (step != HB_NO_NODE && of->a != HB_NO_NODE) {
        HB_TRY(hb_graph_multiply(g, of->a, step, &node));
    }
    if (of->mask != HB_NO_NODE) {
        HB_TRY(hb_graph_with_plain(g, HB_OP_MULTIPLY_PLAIN, node, of->mask, true, &node));
    }
    return hb_graph_sum(g, node, total);
}

/* Adds a sum to a group's, or subtracts it. */
static hb_status put(hb_graph *g, uint32_t sum, bool minus, uint32_t *total)
{
    if (*total == HB_NO_NODE) {
        *total = sum;
        return minus ? hb_graph_negate(g, sum, total) : HB_OK;
    }
    return minus ? hb_graph_subtract(g, *total, sum, total) : hb_graph_add(g, *total, sum, total);
}

/* The sums at the ends of each run of values that a group has. */
static hb_status sum_group(hb_graph *g, const hb_group_key *key, const bool *chosen, const uint32_t *sums,
                           hb_plain_value all, uint32_t *total)
{
    hb_number constant = {0};
    *total = HB_NO_NODE;
    for (uint32_t i = 0; i < key->count; i++) {
        const bool before = i > 0 && chosen[i - 1];
        if (chosen[i] == before) {
            continue;
        }
        if (sums[i] == HB_NO_NODE) {
            constant = (hb_number){.real = all.real, .imaginary = all.imaginary};
        } else {
            HB_TRY(put(g, sums[i], before, total));
        }
    }
    if (*total == HB_NO_NODE) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "a group of all rows or of none: how many these are is no secret, and everyone could read it "
                          "(a transparent ciphertext, which is refused)");
    }
    return hb_graph_add_constant(g, *total, constant, total);
}

hb_status hb_group_steps_sums(hb_lowering *l, const hb_groups *groups, const uint32_t *steps, const hb_indicated *of,
                              uint32_t *totals)
{
    hb_graph *g = &l->graph;
    const hb_group_key *key = &groups->keys[0];
    uint32_t *sums = malloc(key->count * sizeof *sums);
    hb_status st = sums != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the sums of groups");
    for (uint32_t i = 0; st == HB_OK && i < key->count; i++) {
        st = sum_of_step(g, of, steps[i], &sums[i]);
    }
    for (uint32_t group = 0; st == HB_OK && hb_graph_at_column(g, group, groups->count); group++) {
        st = sum_group(g, key, groups->chosen[group], sums, of->total, &totals[group]);
    }
    free(sums);
    return st;
}
