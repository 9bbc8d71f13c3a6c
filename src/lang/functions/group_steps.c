#include "group_steps.h"

#include <stdlib.h>

/* The joined key, which is the place of the values of all keys, the last key changing first. A key of one value adds
 * nothing to it. */
static hb_status join(hb_graph *g, const hb_groups *groups, uint32_t *joined)
{
    double stride = 1;
    *joined = HB_NO_NODE;
    for (uint32_t k = groups->key_count; k-- > 0;) {
        const hb_group_key *key = &groups->keys[k];
        uint32_t place;
        if (key->count == 1) {
            continue;
        }
        HB_TRY(hb_graph_add_constant(g, key->node, (hb_number){.real = -(double)key->values[0]}, &place));
        HB_TRY(hb_graph_scale(g, place, (hb_number){.real = stride}, &place));
        if (*joined != HB_NO_NODE) {
            HB_TRY(hb_graph_add(g, place, *joined, &place));
        }
        *joined = place;
        stride *= key->count;
    }
    return HB_OK;
}

/* Returns whether a group has the value at a place of the joined key. */
static bool has(const hb_groups *groups, const bool *chosen, uint32_t place)
{
    uint32_t end = hb_groups_values(groups);
    bool all = true;
    for (uint32_t k = groups->key_count; k-- > 0;) {
        const uint32_t own = groups->keys[k].count;
        end -= own;
        all = all && chosen[end + place % own];
        place /= own;
    }
    return all;
}

static hb_status make_steps(hb_lowering *l, const hb_groups *groups, hb_group_steps *x)
{
    /* One interval for all of them, so that one approximation of sign serves them. */
    const double most = (double)x->count - 1.5 > 0.5 ? (double)x->count - 1.5 : 0.5;
    uint32_t key;
    HB_TRY(join(&l->graph, groups, &key));
    x->steps[0] = HB_NO_NODE;
    for (uint32_t i = 1; hb_graph_at_column(&l->graph, i, x->count); i++) {
        hb_value apart = {.kind = HB_TYPE_ROWS}, step;
        uint32_t node;
        HB_TRY(hb_graph_add_constant(&l->graph, key, (hb_number){.real = 0.5 - (double)i}, &node));
        HB_TRY(hb_lower_columns(l, 1, &apart));
        l->pool[apart.first] = node;
        HB_TRY(hb_lower_step(l, &apart, most, 0.5, &step));
        x->steps[i] = l->pool[step.first];
    }
    return HB_OK;
}

hb_status hb_group_steps_make(hb_lowering *l, const hb_groups *groups, hb_group_steps *x)
{
    x->count = 1;
    for (uint32_t k = 0; k < groups->key_count; k++) {
        x->count *= groups->keys[k].count; /* up to HB_MOST_GROUPED_VALUES */
    }
    x->steps = malloc(x->count * sizeof *x->steps);
    x->chosen = malloc((size_t)groups->count * x->count * sizeof *x->chosen + 1);
    if (x->steps == NULL || x->chosen == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the steps of %u values of keys", x->count);
    }
    for (uint32_t group = 0; group < groups->count; group++) {
        for (uint32_t i = 0; i < x->count; i++) {
            x->chosen[(size_t)group * x->count + i] = has(groups, groups->chosen[group], i);
        }
    }
    return make_steps(l, groups, x);
}

/* The sum of the rows where a step is 1; *total is HB_NO_NODE where it is public. */
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
static hb_status sum_group(hb_graph *g, uint32_t count, const bool *chosen, const uint32_t *sums, hb_plain_value all,
                           uint32_t *total)
{
    hb_number constant = {0};
    *total = HB_NO_NODE;
    for (uint32_t i = 0; i < count; i++) {
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

hb_status hb_group_steps_sums(hb_lowering *l, const hb_groups *groups, const hb_group_steps *x, const hb_indicated *of,
                              uint32_t *totals)
{
    hb_graph *g = &l->graph;
    uint32_t *sums = malloc(x->count * sizeof *sums);
    hb_status st = sums != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the sums of groups");
    for (uint32_t i = 0; st == HB_OK && i < x->count; i++) {
        st = sum_of_step(g, of, x->steps[i], &sums[i]);
    }
    for (uint32_t group = 0; st == HB_OK && hb_graph_at_column(g, group, groups->count); group++) {
        st = sum_group(g, x->count, x->chosen + (size_t)group * x->count, sums, of->total, &totals[group]);
    }
    free(sums);
    return st;
}
