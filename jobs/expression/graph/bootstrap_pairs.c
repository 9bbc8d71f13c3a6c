#include "bootstrap_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "bootstrap.h"

/* A value that may be one of a pair. */
typedef struct single {
    uint32_t times; /* how often, at most, what it is made of was bootstrapped */
    uint32_t pass, total, bits;
    uint32_t statement, node;
} single;

void hb_bootstraps_clear(hb_bootstraps *x)
{
    free(x->wanted);
    free(x->mate);
    *x = (hb_bootstraps){0};
}

bool hb_bootstraps_taken(const hb_bootstraps *x, const hb_statements *s, uint32_t operand, uint32_t node)
{
    const uint32_t from = x->from[s->of[operand]];
    return from != HB_PLACEMENT_NEVER && from <= s->of[node];
}

/* Fills in `wanted`, and [nodes] how often what a node is made of was bootstrapped. */
static void look(const hb_graph *g, const hb_statements *s, hb_bootstraps *x, uint32_t *times)
{
    for (uint32_t i = 0; i < g->count; i++) {
        times[i] = 0;
        if (s->of[i] == HB_NO_NODE) {
            continue;
        }
        const hb_node_list operands = hb_node_operands(g, &g->nodes[i]);
        for (uint32_t j = 0; j < operands.count; j++) {
            const uint32_t a = operands.node[j];
            if (s->of[a] == HB_NO_NODE) {
                continue;
            }
            /* A change of level takes no part of its own. */
            const bool taken = s->root[i] == i && hb_bootstraps_taken(x, s, a, i);
            const uint32_t own = times[a] + taken;
            times[i] = own > times[i] ? own : times[i];
            if (taken) {
                x->wanted[s->root[a]] = true;
            }
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

hb_status hb_bootstraps_find(const hb_graph *g, const hb_statements *s, const uint32_t *from, hb_bootstraps *out)
{
    const size_t count = (size_t)g->count + 1;
    *out = (hb_bootstraps){.from = from};
    uint32_t *times = malloc(count * sizeof *times), found = 0;
    single *singles = malloc(count * sizeof *singles);
    out->wanted = calloc(count, sizeof *out->wanted);
    out->mate = malloc(count * sizeof *out->mate);
    hb_status st = HB_OK;
    if (!times || !singles || !out->wanted || !out->mate) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the bootstrapped values of an expression");
    } else {
        memset(out->mate, 0xff, count * sizeof *out->mate); /* HB_NO_NODE */
        look(g, s, out, times);
        for (uint32_t i = 0; i < g->count; i++) {
            const hb_node *node = &g->nodes[i];
            if (out->wanted[i] && node->halves == HB_HALVES_REAL) {
                singles[found++] =
                    (single){times[i], node->pass, node->total, (uint32_t)hb_node_bootstrap_bits(node), s->of[i], i};
            }
        }
        qsort(singles, found, sizeof *singles, in_order);
        pair(singles, found, out->mate);
    }
    free(times);
    free(singles);
    return st;
}
