#include "levels_pass.h"

#include <stdlib.h>

#include "lang/analysis/ciphertext_size.h"
#include "lang/analysis/data_passes.h"
#include "lang/bootstrapping/place_levels.h"
#include "lang/ir/bootstrap.h"
#include "lang/ir/semantics.h"

/* Refuses a statement with the reason. */
static hb_status fail_at(hb_lowering *l, const hb_value_classes *statements, uint32_t statement)
{
    const hb_graph *g = &l->graph;
    const uint32_t i = statements->first[statement];
    const hb_placement_problem *p = &statements->problem;
    const hb_node *node = &g->nodes[i];
    char what[64];
    HB_TRY(hb_graph_check_bootstrap(g, i));
    l->stuck = true;
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, node->origin.from, node->origin.to);
    return HB_FAIL_AT(
        HB_EDATA, g->syntax->text, node->origin.at,
        "no level is left for values made from %s, and bootstrapping%s cannot help: it leaves values %u levels "
        "and takes those that have %u left",
        what, g->bootstrapped == HB_BOOTSTRAPPED_TWICE ? " twice" : "", p->result, p->operand);
}

/* Refuses a statement of integers whose noise cannot be refreshed. */
static hb_status fail_refresh(const hb_graph *g, const hb_value_classes *statements, const hb_noise_levels *noise,
                              uint32_t statement)
{
    const hb_node *node = &g->nodes[statements->first[statement]];
    char what[64];
    hb_excerpt_or_name(what, sizeof what, g->syntax->text, node->origin.from, node->origin.to);
    return HB_FAIL_AT(
        HB_EDATA, g->syntax->text, node->origin.at,
        "no noise budget is left for values made from %s, and bootstrapping cannot help: it leaves values "
        "%g bits at most and takes those that have %g; a smaller t, or a chain with more primes of users, "
        "leaves more",
        what, noise->highest * noise->unit, noise->operand * noise->unit);
}

/* Nodes are those of the new graph from now on. */
static void take(hb_lowering *l, hb_graph *graph, const uint32_t *made)
{
    for (uint32_t i = 0; i < l->pool_count; i++) {
        l->pool[i] = l->pool[i] < l->graph.count ? made[l->pool[i]] : HB_NO_NODE;
    }
    hb_graph_clear(&l->graph);
    l->graph = *graph;
    *graph = (hb_graph){0};
}

/* bootstraps, refreshes: as of hb_graph_place_levels. */
static hb_status make_anew(hb_lowering *l, const hb_facts *facts, const hb_value_classes *statements,
                           const hb_bootstraps *bootstraps, const hb_placement *refreshes)
{
    hb_graph graph = {0};
    uint32_t *made = malloc(((size_t)l->graph.count + 1) * sizeof *made);
    hb_status st = made != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    HB_GOTO(st);
    HB_GOTO(hb_graph_place_levels(&graph, facts, statements, bootstraps, refreshes, made));
    take(l, &graph, made);
done:
    hb_graph_clear(&graph);
    free(made);
    return st;
}

static hb_status bootstrap(hb_lowering *l, hb_facts *facts)
{
    hb_value_classes statements = {0};
    hb_placement placement = {0};
    hb_bootstraps bootstraps = {0};
    hb_status st;
    HB_GOTO(hb_facts_find_data_passes(facts));
    HB_GOTO(hb_value_classes_find(facts, NULL, &statements));
    st = hb_placement_solve(&statements.problem, &placement);
    HB_GOTO(st != HB_EDATA ? st : fail_at(l, &statements, placement.stuck));
    HB_GOTO(hb_bootstraps_find(facts, &statements, &placement, &bootstraps));
    st = make_anew(l, facts, &statements, &bootstraps, NULL);
done:
    hb_bootstraps_clear(&bootstraps);
    hb_placement_clear(&placement);
    hb_value_classes_clear(&statements);
    return st;
}

static hb_status refresh(hb_lowering *l, hb_facts *facts, hb_noise_wanted wanted)
{
    hb_noise_levels noise = {0};
    hb_value_classes statements = {0};
    hb_placement placement = {0};
    hb_status st;
    HB_GOTO(hb_facts_find_data_passes(facts));
    HB_GOTO(hb_noise_levels_find(facts, wanted, &noise));
    HB_GOTO(hb_value_classes_find(facts, &noise, &statements));
    st = hb_placement_solve(&statements.problem, &placement);
    HB_GOTO(st != HB_EDATA ? st : fail_refresh(&l->graph, &statements, &noise, placement.stuck));
    st = make_anew(l, facts, &statements, NULL, &placement);
done:
    hb_placement_clear(&placement);
    hb_value_classes_clear(&statements);
    hb_noise_levels_clear(&noise);
    return st;
}

hb_status hb_lowering_place_levels(hb_lowering *l, hb_facts *facts, const hb_noise_wanted *refreshes)
{
    hb_facts_find_sizes(facts);
    if (refreshes != NULL) {
        return refresh(l, facts, *refreshes);
    }
    return l->graph.boundless ? bootstrap(l, facts) : make_anew(l, facts, NULL, NULL, NULL);
}
