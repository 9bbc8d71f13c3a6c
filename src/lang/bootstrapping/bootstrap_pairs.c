#include "bootstrap_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "lang/ir/bootstrap.h"

/* A value that may be one of a pair. */
typedef struct single {
    uint32_t times; /* the most bootstraps on a way to its operands, or to those of values that are paired with it */
    uint32_t pass, total, bits;
    uint32_t statement, node;
} single;

void hb_bootstraps_clear(hb_bootstraps *x)
{
    free(x->wanted);
    free(x->mate);
    *x = (hb_bootstraps){0};
}

bool hb_bootstraps_taken(const hb_bootstraps *x, const hb_value_classes *s, uint32_t operand, uint32_t node)
{
    const uint32_t from = x->from[s->of[operand]];
    return from != HB_PLACEMENT_NEVER && from <= s->of[node];
}

/* Fills in `wanted`. */
static void look(const hb_graph *g, const hb_value_classes *s, hb_bootstraps *x)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (s->of[i] == HB_NO_NODE || s->root[i] != i) { /* a change of level takes no part of its own */
            continue;
        }
        const hb_node_list operands = hb_node_operands(g, &g->nodes[i]);
        for (uint32_t j = 0; j < operands.count; j++) {
            const uint32_t a = operands.node[j];
            if (s->of[a] != HB_NO_NODE && hb_bootstraps_taken(x, s, a, i)) {
                x->wanted[s->root[a]] = true;
            }
        }
    }
}

/* Fills in times [statements]: for the values that are bootstrapped from a statement on, the most bootstraps on a way
 * to their operands. Earlier statements make all of these values, and none of them takes one of them bootstrapped. own:
 * [statements], the same of one value. */
static void count_times(const hb_value_classes *s, const uint32_t *from, uint32_t *times, uint32_t *own)
{
    memset(times, 0, s->count * sizeof *times);
    for (uint32_t i = 0; i < s->count; i++) {
        own[i] = 0;
        for (uint32_t j = 0; j < s->steps[i].operand_count; j++) {
            const uint32_t a = s->steps[i].operands[j];
            const bool taken = from[a] != HB_PLACEMENT_NEVER && from[a] <= i;
            const uint32_t so_often = taken ? times[from[a]] + 1 : own[a];
            own[i] = so_often > own[i] ? so_often : own[i];
        }
        if (from[i] != HB_PLACEMENT_NEVER && own[i] > times[from[i]]) {
            times[from[i]] = own[i];
        }
    }
}

static int in_order(const void *x, const void *y)
{
    const single *a = x, *b = y;
    const uint32_t left[] = {a->times, a->pass, a->total, a->bits, a->statement, a->node},
                   right[] = {b->times, b->pass, b->total, b->bits, b->statement, b->node};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool may_pair(const single *a, const single *b)
{
    return a->times == b->times && a->pass == b->pass && a->total == b->total && a->bits == b->bits;
}

static void pair(const single *singles, uint32_t count, uint32_t *mate)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (may_pair(&singles[i], &singles[i + 1])) {
            mate[singles[i].node] = singles[i + 1].node;
            mate[singles[i + 1].node] = singles[i].node;
            i++;
        }
    }
}

hb_status hb_bootstraps_find(const hb_facts *f, const hb_value_classes *s, const hb_placement *placement,
                             hb_bootstraps *out)
{
    const hb_graph *g = f->graph;
    const size_t count = (size_t)g->count + 1, statements = (size_t)s->count + 1;
    const uint32_t *from = placement->from;
    *out = (hb_bootstraps){.from = from, .spare = placement->spare, .enough = placement->enough};
    uint32_t *times = malloc(2 * statements * sizeof *times), found = 0;
    single *singles = malloc(count * sizeof *singles);
    out->wanted = calloc(count, sizeof *out->wanted);
    out->mate = malloc(count * sizeof *out->mate);
    hb_status st = HB_OK;
    if (!times || !singles || !out->wanted || !out->mate) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the bootstrapped values of an expression");
    } else {
        memset(out->mate, 0xff, count * sizeof *out->mate); /* HB_NO_NODE */
        look(g, s, out);
        count_times(s, from, times, times + statements);
        for (uint32_t i = 0; i < g->count; i++) {
            const hb_node *node = &g->nodes[i];
            if (out->wanted[i] && node->shape.halves == HB_HALVES_REAL) {
                singles[found++] = (single){times[from[s->of[i]]],
                                            f->size[i].pass,
                                            node->shape.total,
                                            (uint32_t)hb_node_bootstrap_bits(g, node),
                                            s->of[i],
                                            i};
            }
        }
        qsort(singles, found, sizeof *singles, in_order);
        pair(singles, found, out->mate);
    }
    free(times);
    free(singles);
    return st;
}
