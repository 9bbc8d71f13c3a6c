/* The semantics of expressions in a scheme, beyond its front ends (src/scheme): one table a scheme. A new scheme is a
 * new file with its table, and a row of hb_semantics_of. */
#ifndef HB_LANG_IR_SEMANTICS_H
#define HB_LANG_IR_SEMANTICS_H

#include "graph.h"

typedef struct hb_semantics {
    /* Returns the range of constants that encrypted values may be combined with. Where it is an interval of reals, all
     * constants are reals. */
    hb_interval (*numbers)(const hb_params_spec *spec);
    /* Returns the constant that stands for such an integer. */
    int64_t (*computed)(const hb_params_spec *spec, int64_t number);
    /* Returns the constant that, in all slots of a ciphertext, adds up to this one, of those that are computed with. */
    hb_number (*share)(const hb_params_spec *spec, hb_number number);
    /* Returns the modulus of values and constants; 0: they are reals. */
    uint64_t (*modulus)(const hb_params_spec *spec);
    /* Makes a literal, of scheme and ring degree, one whose numbers are those of any parameters. */
    void (*widen)(hb_params_spec *spec);

    /* Returns whether an expression has the same graph under both literals, but for its levels, which are all as much
     * higher or lower as those of its operands are. NULL: it never has. */
    bool (*alike)(const hb_params_spec *x, const hb_params_spec *y);

    bool reals;                 /* numbers and values are reals */
    bool scales;                /* products are to be rescaled, and a plaintext serves one level */
    hb_opcode add_number, mask; /* by which of the operations these are done */
    /* Brings two operands of a sum, or two at rest of a product, to one level, and to one scale: for the pass that
     * places levels (levels.h). */
    hb_status (*meet)(hb_graph *graph, uint32_t *a, uint32_t *b);
    /* Brings `a`, at rest, one level down, all values kept. */
    hb_status (*level_down)(hb_graph *graph, uint32_t a, uint32_t *out);
    /* Makes `a` times a number, which is neither 0, 1 nor -1. */
    hb_status (*multiple)(hb_graph *graph, uint32_t a, hb_number number, uint32_t *out);
    /* Replace the factors of a product of ciphertexts, and of one with a plain column, by others with the same product
     * that take fewer levels; they stay where there are none. NULL: there never are. */
    hb_status (*factors)(hb_graph *graph, uint32_t *a, uint32_t *b);
    hb_status (*plain_factor)(hb_graph *graph, uint32_t *a, uint32_t *plain);
    /* Makes the sum of nodes[i] times numbers[i], which are not all 0, as one linear combination, scaled: at the scale
     * of products also of integers; *out is HB_NO_NODE where products and sums cost less. nodes, numbers: [count],
     * destroyed. */
    hb_status (*combine)(hb_graph *graph, uint32_t *nodes, hb_number *numbers, uint32_t count, bool scaled,
                         uint32_t *out);
    /* Makes the sum of the rows of `a` by another way than its node; *out stays where there is none. NULL: there never
     * is. */
    hb_status (*sum)(hb_graph *graph, uint32_t a, uint32_t *out);

    /* Returns advice for values that the parameters do not hold. */
    const char *(*wider)(hb_interval values, bool is_signed);
    /* Gives the literal of a preset the members that decide which values these parameters hold. HB_ECONFIG where it
     * cannot have them. */
    hb_status (*adapt)(hb_params_spec *preset, const hb_params *params);
    /* Explanations behind "no preset would do" and the like: the part that stays as it is, the rule of the lowest
     * level, and the needs of key switching. */
    const char *kept, *lowest, *chain;
} hb_semantics;

extern const hb_semantics hb_bfv_semantics;  /* bfv_semantics.c */
extern const hb_semantics hb_ckks_semantics; /* ckks_semantics.c */

/* Returns the table of a scheme. */
static inline const hb_semantics *hb_semantics_of(hb_scheme scheme)
{
    static const hb_semantics *const semantics[] = {[HB_BFV] = &hb_bfv_semantics, [HB_CKKS] = &hb_ckks_semantics};
    HB_ROW_PER_SCHEME(semantics);
    HB_ASSERT((size_t)scheme < HB_SCHEMES);
    return semantics[scheme];
}
/* Returns whether a scheme has an operation. */
static inline bool hb_semantics_has_operation(const hb_semantics *semantics, hb_opcode op)
{
    return semantics->reals ? !hb_operations[op].of_integers : !hb_operations[op].of_reals;
}
/* Returns whether encrypted integers are computed with this one, by a scheme of integers. */
static inline bool hb_semantics_has(const hb_semantics *semantics, const hb_params_spec *spec, int64_t integer)
{
    const hb_interval all = semantics->numbers(spec);
    return integer >= all.least && integer <= all.most;
}

#endif
