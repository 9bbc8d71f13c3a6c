#include "graph_keys.h"

#include "lang/analysis/ciphertext_size.h"
#include "lang/ir/blocks.h"
#include "lang/ir/rules.h"
#include "lang/ir/semantics.h"
#include "scheme/slots.h"
#include "scheme/spread.h"

/* Wants of one key for a node, at its level where levels are known. */
static hb_status request(const hb_graph *g, const hb_node *node, hb_key_requests *requests, uint32_t element,
                         int64_t step)
{
    const hb_key_source source = hb_key_purpose_of(g->spec, element).source;
    return hb_key_requests_add(requests, (hb_key_request){.source = source,
                                                          .element = element,
                                                          .step = step,
                                                          .limbs = g->params != NULL ? node->shape.limbs : 0});
}

static hb_status request_square(const hb_facts *f, const hb_node *node, hb_key_requests *requests)
{
    const hb_graph *g = f->graph;
    if (!hb_node_relinearizes(f, node)) {
        return HB_OK;
    }
    /* A product that is relinearized and rescaled at once has the level of its factors. */
    const hb_node_size *size = hb_facts_size(f, node);
    const hb_node *at = size->size == size->raw_size ? &g->nodes[node->a] : node;
    return request(g, at, requests, HB_RELINEARIZATION, 0);
}

static hb_status request_rotation(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    return request(g, node, requests, hb_slots_rotation(g->spec, node->number), node->number);
}

/* By a key of its own, which is a spare one, or one that there must be. */
static hb_status request_key(const hb_graph *g, const hb_node *node, hb_key_requests *requests, int64_t step,
                             bool spare)
{
    const uint32_t element = hb_slots_rotation(g->spec, step);
    const hb_key_source source = hb_key_purpose_of(g->spec, element).source;
    int swap;
    const int64_t shortest = hb_slots_step(g->spec, element, &swap);
    return hb_key_requests_add(requests, (hb_key_request){.source = source,
                                                          .element = element,
                                                          .step = shortest,
                                                          .limbs = g->params != NULL ? node->shape.limbs : 0,
                                                          .exact = true,
                                                          .spare = spare});
}

static hb_status request_step(const hb_graph *g, const hb_node *node, hb_key_requests *requests, int64_t step)
{
    return request_key(g, node, requests, step, false);
}

/* For a sum of `terms` slots, `step` apart. */
static hb_status request_window(const hb_graph *g, const hb_node *node, hb_key_requests *requests, int64_t step,
                                uint64_t terms)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t count = hb_galois_window_steps(step, terms, steps);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t triple = hb_galois_window_triple(steps, count, i);
        HB_TRY(request_step(g, node, requests, steps[i]));
        if (triple != 0 && hb_spec_switches_first(g->spec)) {
            HB_TRY(request_key(g, node, requests, triple, true));
        }
    }
    return HB_OK;
}

/* Each automorphism of its steps by a key of its own. */
static hb_status request_spread(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    const hb_spread_way way = hb_spread_way_of(node->number);
    for (uint32_t i = way.first; i < way.first + way.count; i++) {
        uint32_t elements[HB_SPREAD_MOST_ELEMENTS];
        const uint32_t count = hb_spread_elements(g->spec, i, elements);
        for (uint32_t e = 0; e < count; e++) {
            int swap;
            const int64_t step = hb_slots_step(g->spec, elements[e], &swap);
            const hb_status st =
                step != 0 ? request_step(g, node, requests, step) : request(g, node, requests, elements[e], 0);
            HB_TRY(st);
        }
    }
    return HB_OK;
}

/* For rows within slots by whole blocks. */
static hb_status request_sum(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    const uint64_t block = g->block > 1 ? g->block : 1;
    return request_window(g, node, requests, (int64_t)block, hb_slots_shape(g->spec).columns / block);
}

static hb_status request_row_sum(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    return request_window(g, node, requests, 1, (uint64_t)node->number);
}

static hb_status request_row_spread(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    return request_window(g, node, requests, -1, (uint64_t)hb_row_copies(node->number));
}

/* The map is at the level of its operand. */
static hb_status request_matrix(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    for (uint32_t i = 0; i < entry->step_count; i++) {
        const hb_node *at = i < entry->map_steps ? &g->nodes[node->a] : node;
        HB_TRY(request_step(g, at, requests, entry->steps[i]));
    }
    return HB_OK;
}

/* Its first products are at the level of its operand. */
static hb_status request_polynomial(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    return request(g, &g->nodes[node->a], requests, HB_RELINEARIZATION, 0);
}

/* Also that of a sum over slots in two rows. */
static hb_status request_swap(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    if ((node->op == HB_OP_SUM_SLOTS || node->op == HB_OP_FILL_ROWS) && hb_slots_shape(g->spec).rows == 1) {
        return HB_OK;
    }
    return request(g, node, requests, hb_slots_swap(g->spec), 0);
}

/* All that is bootstrapped shares one set of keys. */
static hb_status request_bootstrap(const hb_graph *g, const hb_node *node, hb_key_requests *requests)
{
    (void)node;
    return hb_key_requests_add_bootstrapping(requests, g->params);
}

/* The keys that operations need, in the order of the list, beside relinearizing; once: all nodes need the same ones. */
static const struct {
    hb_opcode op;
    hb_status (*request)(const hb_graph *g, const hb_node *node, hb_key_requests *requests);
    bool once;
} asked[] = {{HB_OP_POLYNOMIAL, request_polynomial, false},
             {HB_OP_ROTATE, request_rotation, false},
             {HB_OP_SUM_SLOTS, request_sum, false},
             {HB_OP_SUM_SLOTS, request_swap, false},
             {HB_OP_SWAP, request_swap, false},
             {HB_OP_CONJUGATE, request_swap, false},
             {HB_OP_UNCOUPLE, request_swap, false},
             {HB_OP_BOOTSTRAP, request_bootstrap, true},
             {HB_OP_REFRESH, request_bootstrap, true},
             {HB_OP_LOOKUP, request_bootstrap, true},
             {HB_OP_MATRIX, request_matrix, false},
             {HB_OP_MATRIX_PAIR, request_matrix, false},
             {HB_OP_ROW_SUM, request_row_sum, false},
             {HB_OP_ROW_SPREAD, request_row_spread, false},
             {HB_OP_FILL_ROWS, request_sum, false},
             {HB_OP_FILL_ROWS, request_swap, false},
             {HB_OP_SPREAD, request_spread, false}};

/* Rotations and swaps of ciphertexts of so many limbs, each by a key of its own. */
static hb_status request_merges(const hb_graph *g, uint32_t limbs, hb_key_requests *requests)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const hb_node at = {.op = HB_OP_SUM_SLOTS, .shape.limbs = limbs};
    const uint32_t count = hb_slots_sum_steps(g->spec, steps);
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(request_step(g, &at, requests, steps[i]));
    }
    return request_swap(g, &at, requests);
}

hb_status hb_graph_keys(const hb_facts *f, const hb_output *outputs, uint32_t count, hb_key_requests *requests)
{
    const hb_graph *g = f->graph;
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->size[i].used) {
            HB_TRY(request_square(f, &g->nodes[i], requests));
        }
    }
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        bool done = false;
        for (uint32_t i = 0; i < f->count && !done; i++) {
            const hb_node *node = &g->nodes[i];
            const bool waits = f->size[i].deferred && node->op == HB_OP_SUM_SLOTS;
            if (f->size[i].used && !waits && asked[k].op == node->op) {
                HB_TRY(asked[k].request(g, node, requests));
                done = asked[k].once;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (outputs[i].summed_limbs > 0) {
            HB_TRY(request_merges(g, outputs[i].summed_limbs, requests));
        }
    }
    return HB_OK;
}
