/* An expression as a program: instructions on registers, which hold one ciphertext for every row block of a batch, and
 * a plan of the resources that they need and of the results.
 *
 * Programs work on tables column by column: every instruction is about one column. A row block is the N rows that one
 * ciphertext of a column holds. Row instructions are run for all row blocks, batch after batch, in any order and on any
 * rank. They accumulate one ciphertext for the whole column (a total), on which the totals' instructions of the pass
 * work, and the row instructions of later passes. Where rows stand in blocks of slots, a ciphertext holds all columns
 * of N/2 / block rows, and instructions treat it as a single column. Pure: no files, no engine. */
#ifndef HB_LANG_PROGRAM_PROGRAM_H
#define HB_LANG_PROGRAM_PROGRAM_H

#include <stdbool.h>

#include "blocks.h"
#include "bootstrapping/chain.h"
#include "derived.h"
#include "interval.h"
#include "number.h"
#include "opcode.h"
#include "polynomials.h"
#include "rlwe/codec.h"
#include "rlwe/quality.h"
#include "rlwe/switch_key.h"
#include "table/packing.h"
#include "table/schema.h"
#include "tables.h"

/* The owner of a plain table reads its columns for computations in the clear (derived.h). */
typedef struct hb_plain_source hb_plain_source;
struct hb_plain_source {
    /* Sets *cells to the cells of a column, which stay as they are while the source lives. HB_EDATA for numbers that
     * 127 bits do not hold; HB_ENOMEM; errors of reading. */
    hb_status (*column)(hb_plain_source *source, uint32_t column, hb_plain_cells *cells);
};

/* A name in an expression that files are bound to, as the expression sees it. */
typedef struct hb_operand {
    const char *name;        /* borrowed, as is ... */
    const hb_schema *schema; /* ... this */
    bool encrypted;          /* a dataset; else a plain table */
    hb_encoding encoding;    /* datasets: these four */
    hb_packing_order order;
    uint64_t block; /* slots of a row, of datasets by rows that have blocks; else 0 */
    uint32_t limbs;
    double scale; /* of its ciphertexts, of which another may have the level (lang/ir/scales.h); 0: it is that */
    hb_quality quality;
    double approximate;    /* how much of its proven error comes of functions that were approximated; 0: nothing */
    bool dirty_padding;    /* slots that hold no row may not be 0: hb_output below */
    bool filled;           /* a dataset of one row, which stands in the place of every row */
    uint64_t spread;       /* `filled`: its row has so many numbers, which are the coefficients of one ciphertext, or of
                           few, and are taken apart (scheme/spread.h); 0: they stand in slots */
    uint32_t spread_first; /* of `spread`: number j is coefficient 2^spread_first j; above 0, it came from another ring
                              (scheme/ring_switch.h) */
    bool loose;            /* its type does not bound its values, which are unchecked */
    bool ranged;           /* its values lie in [least, most]: declared; else what schema and scheme allow */
    int64_t least, most;
    hb_interval values;               /* known: the declared range, instead of [least, most] */
    const hb_interval *column_ranges; /* [columns of the schema]: the known ones say it of one column instead; NULL */
    /* [rows * columns] the cells of a table as the scheme's numbers (hb_number), where it was read; else NULL. */
    const hb_number *cells;
    hb_plain_source *source; /* of a plain table: where derived columns read it, borrowed; NULL: from `cells` */
    bool constants;          /* its cells are constants of the expression: nothing of it is ever loaded */
    /* No operand, but a name that is assigned, whose values are believed to lie in `values`, in every slot. The schema
     * has no columns. */
    bool believed;
} hb_operand;

/* Returns the declared range of an operand that is `ranged`. */
hb_interval hb_operand_declared(const hb_operand *operand);

/* Which bound of the error is believed: the proven one, one that all but 2^-64 of ciphertexts keep, or a likely one. In
 * schemes that have no drawn bounds these are likely ones. */
typedef enum hb_quality_trust {
    HB_QUALITY_WORST,
    HB_QUALITY_EXPECTED,
    HB_QUALITY_DRAWN,
    HB_QUALITY_BY_DEFAULT /* of options: hb_trust_by_default, once parameters are known */
} hb_quality_trust;
/* Returns the bound that is believed unless another is asked for: the proven one, but where noise of integers is
 * bootstrapped. */
static inline hb_quality_trust hb_trust_by_default(const hb_params_spec *spec)
{
    const bool integers = hb_spec_can_bootstrap(spec) && hb_bootstrapping_of_integers(&spec->bootstrapping);
    return integers ? HB_QUALITY_DRAWN : HB_QUALITY_WORST;
}
/* Returns the certainty of bounds that are believed. */
static inline hb_certainty hb_certainty_of(hb_quality_trust trust)
{
    return trust == HB_QUALITY_WORST   ? HB_CERTAINTY_PROVEN
           : trust == HB_QUALITY_DRAWN ? HB_CERTAINTY_DRAWN
                                       : HB_CERTAINTY_EXPECTED;
}

typedef struct hb_instruction {
    hb_opcode op;
    uint16_t to, a, b; /* registers; `to` may be `a` where the operation allows it (scheme/evaluator.h) */
    bool apart;        /* it is not done together with the one before it, even if it looks so */
    union {
        int64_t number; /* a constant that the scheme computes with, a step, or limbs */
        double real;    /* a constant that is one (hb_operation) */
    };
    uint32_t operand; /* of a load; output of a store */
    uint32_t column;  /* of the operand; with an encoded constant: the columns of rows within slots */
    uint32_t at;      /* character of the expression that asked for this, from 1 */
    uint32_t iteration,
        iterations; /* in a loop: which iteration of the outermost one asked first, from 1, of how many; else 0 */
} hb_instruction;

/* The sum of registers times numbers: integers, at the scale of the registers, or reals; the other list is NULL. */
typedef struct hb_linear_terms {
    uint32_t count;
    uint16_t *registers; /* [count], and so are the numbers; owned */
    int64_t *integers;
    double *reals;
} hb_linear_terms;

typedef struct hb_register {
    bool plain;     /* a plaintext a row block (a total: one); else ciphertexts */
    bool total;     /* one ciphertext, kept to the end of the program */
    bool coupled;   /* one ciphertext for two row blocks, from one COUPLE to an UNCOUPLE (operations.def) */
    uint32_t size;  /* 0: plain */
    uint32_t limbs; /* plain: those of the highest level that it meets, or of the only one */
} hb_register;

/* Where a long list of instructions may be left and gone on with later (resume_points.h). */
typedef struct hb_resume_point {
    uint32_t at;                    /* instructions before it, 1 or more */
    uint32_t iteration, iterations; /* the iteration that goes on there, of how many; 0: none */
} hb_resume_point;

typedef struct hb_pass {
    hb_instruction *rows, *totals;
    uint32_t row_count, total_count;
    hb_resume_point *resume_points; /* [resume_point_count] of the row instructions, ascending; owned */
    uint32_t resume_point_count;
} hb_pass;

/* Why several totals are stored in ciphertexts of their own (lang/compile/compact.h). */
typedef enum hb_unpacked {
    HB_PACKED_OR_SINGLE, /* they are not, or there is one, or compact results were not asked for */
    HB_UNPACKED_ROWS,    /* rows stand within slots */
    HB_UNPACKED_MANY,    /* more than half as many as coefficients */
    HB_UNPACKED_FORM,    /* one is complex, a constant, or a product that is not rescaled */
    HB_UNPACKED_LEVEL,   /* they are above the level of fresh ciphertexts */
    HB_UNPACKED_BITS     /* the noise of all together leaves too few bits */
} hb_unpacked;

typedef struct hb_output {
    char *name;
    hb_schema schema; /* owned; with the ranges of its columns, and whether they may wrap */
    bool total;       /* one row: stored by totals' instructions */
    uint32_t limbs;
    uint32_t computed_limbs; /* before it was made compact for its file (compact.h); 0: it was not */
    bool packed;             /* each total is stored in a coefficient of one ciphertext of `limbs` limbs, ... */
    bool reversed;           /* ... total i in that of the bits of i in reverse (scheme/merge.h); else in number i */
    uint32_t summed_limbs;   /* limbs in which the sums of slots merge; 0: slots were summed before */
    hb_unpacked unpacked;
    hb_quality quality; /* the largest of its columns, without the systematic part, and so are these: */
    double likely;      /* hb_quality_likely, which knows the systematic part of each column */
    double approximate; /* how much of its proven error comes of functions that were approximated; 0: nothing */
    int64_t least,
        most; /* all its values, over the integers, before anything wraps; saturated at INT64_MIN, INT64_MAX */
    hb_interval values; /* the same; of reals, where least and most say nothing */
    bool dirty_padding; /* slots that hold no row are not 0, as in every total: sums of it must mask them */
    uint32_t at;        /* its character in the expression, from 1 */
    char *unranged;     /* the missing --range of inputs without a known range, owned; NULL: none */
} hb_output;

/* A switching key that a program computes with. */
typedef struct hb_key_request {
    hb_key_source source;
    uint32_t element; /* of an automorphism; else HB_RELINEARIZATION */
    int64_t step;     /* of a rotation, as the expression has it; 0: it is none */
    uint32_t limbs;   /* the highest level at which it is used; 0: any */
    /* Bootstrapping wants it: this key, and not those of a step's terms. */
    bool bootstrapping;
    bool exact; /* of a rotation: keys of other steps do not do */
    bool spare; /* optional: without this key the program does more work */
} hb_key_request;

/* A growing list of them; zeroed at first. */
typedef struct hb_key_requests {
    hb_key_request *request; /* [count], owned */
    uint32_t count;
} hb_key_requests;

/* Adds a request; of one source, element, step and use the list has one, at the highest level. HB_ENOMEM. Clear allows
 * a zeroed list. */
hb_status hb_key_requests_add(hb_key_requests *requests, hb_key_request request);
/* Adds requests of all keys that the chain's bootstrapping takes. HB_ECONFIG where it has none; HB_ENOMEM. */
hb_status hb_key_requests_add_bootstrapping(hb_key_requests *requests, const hb_params *params);
void hb_key_requests_clear(hb_key_requests *requests);

/* One line of the plan for people: a node of the graph and its remaining quality. */
typedef struct hb_node_note {
    char text[64];             /* "a*b + rotate(a,1)" or its beginning */
    const char *operation;     /* of a step; NULL of a result; static */
    uint32_t at, limbs, depth; /* depth: products of ciphertexts on the longest path */
    double worst, expected;    /* bits left (hb_quality_bits), by the bound that is said (hb_quality_said) */
    hb_certainty certainty;    /* of `worst` */
    hb_interval values;        /* its range */
    double approximate;        /* how much of its proven error comes of functions that were approximated */
    uint32_t computed;   /* of a statement of a loop: in so many iterations it is computed, and has the least, ... */
    uint32_t iterations; /* ... of so many: in the others it is part of something else; else 0 */
} hb_node_note;

/* A function that is approximated, for people. */
enum { HB_FUNCTION_NOTE_STAGES = 16 };
typedef struct hb_function_note {
    const char *name; /* of the function; static */
    char text[64];    /* of the expression that asked for it first */
    uint32_t at;
    double low, high; /* between which it is good */
    double gap;       /* of sign: nothing is said of arguments below it in magnitude; else 0 */
    double error;     /* of its result, proven, as it is used: of 0.5 sign + 0.5 the half */
    uint32_t levels, stages, degrees[HB_FUNCTION_NOTE_STAGES];
} hb_function_note;

/* Values that are bootstrapped, columns of one result: for people. */
enum { HB_BOOTSTRAP_NOTE_PASSES = 16 };
typedef struct hb_bootstrap_note {
    char text[64]; /* of the expression that made them */
    uint32_t at;
    uint32_t iteration, iterations; /* of a loop, from 1, of how many; 0: of none */
    uint32_t values;                /* as many columns */
    uint32_t complex, singles, pairs, neighbours;
    bool total;                           /* one ciphertext each; else one for every row block */
    uint32_t range_bits;                  /* 2^range_bits holds them */
    uint32_t limbs_before, limbs_after;   /* of the operand, before it was brought down, and of the result */
    double worst_before, expected_before; /* bits left (hb_quality_bits), of the column with the fewest ... */
    double worst_after, expected_after;
    uint32_t depth;
    /* The passes over integers, and the ranges of the first ones: then the bits beside the expected ones are those by
     * the bound that is trusted; 0: of reals. */
    uint32_t passes, ranges[HB_BOOTSTRAP_NOTE_PASSES];
} hb_bootstrap_note;

/* The words of a program about itself, for people. */
typedef struct hb_description {
    hb_node_note *notes; /* results of statements, and the nodes with the least quality left; most interesting first */
    uint32_t note_count;
    hb_node_note *steps; /* [step_count] every operation on ciphertexts, in order; the first thousand */
    uint32_t step_count;
    hb_bootstrap_note *bootstraps; /* [bootstrap_count] in the order of the program */
    uint32_t bootstrap_count;
    hb_function_note *functions; /* [function_count] */
    uint32_t function_count;
    char **warnings; /* values that these parameters may not hold, and the like */
    uint32_t warning_count;
    char *wraps;   /* the warning about the first output that may not be held; NULL: none is known to */
    char *listing; /* the text forms of the graph and of the program (hb_program_source); NULL: not asked for */
} hb_description;

/* Constants that instructions, and nodes of a graph, name by number. */
typedef struct hb_constants {
    hb_polynomials polynomials;
    hb_block_lists blocks;
    hb_tables tables;
    hb_derived derived; /* from plain operands: its loads are columns behind those of their tables (opcode.h) */
} hb_constants;
static inline void hb_constants_clear(hb_constants *constants)
{
    hb_polynomials_clear(&constants->polynomials);
    hb_block_lists_clear(&constants->blocks);
    hb_tables_clear(&constants->tables);
    hb_derived_clear(&constants->derived);
}

typedef struct hb_program {
    uint64_t plain_least; /* of integers: comparisons need a t of at least that; 0: any does */
    char *text;           /* the expression */
    hb_encoding encoding;
    uint64_t rows;  /* of every operand that has rows of its own */
    uint64_t block; /* slots of a row, a power of two, in ciphertexts that hold all columns; 1: each holds one */
    hb_register *registers;
    uint32_t register_count;
    hb_pass *passes;
    uint32_t pass_count;
    hb_linear_terms *combinations; /* of instructions, one each */
    uint32_t combination_count;
    hb_constants constants;
    hb_output *outputs;
    uint32_t output_count;
    hb_key_requests keys;     /* that of products first, the others in the order of the expression */
    uint32_t products, depth; /* of ciphertexts */
    double magnitude; /* of reals: the largest of any value that ciphertexts hold, results or not; 0: of integers */
    hb_description description;
} hb_program;

/* Slots of a row of a program, also of one that says nothing of blocks. */
static inline uint64_t hb_program_block(const hb_program *program)
{
    return program->block > 1 ? program->block : 1;
}
/* Returns how many ciphertexts, or plaintexts, a register with rows has for so many row blocks. */
static inline size_t hb_register_count(const hb_register *r, size_t blocks)
{
    return r->coupled ? (blocks + 1) / 2 : blocks;
}
/* Returns how many row blocks are computed together: batches of a pass begin at multiples of it, and only the last one
 * of the table may end elsewhere. 2 where two row blocks are bootstrapped, or coupled, as one; else 1. */
uint32_t hb_program_blocks_together(const hb_program *program);
/* Returns how many registers an instruction reads, and number k of them. A pair that is bootstrapped reads both where
 * its first one stands, and the second one is still there then. */
uint32_t hb_instruction_reads(const hb_program *program, const hb_instruction *i);
uint16_t hb_instruction_read(const hb_program *program, const hb_instruction *i, uint32_t k);
/* Returns whether an instruction multiplies by that matrix, or pair, of the program's: not by those of pairs alone. */
bool hb_program_multiplies_by(const hb_program *program, uint32_t matrix);
/* Returns whether it writes the register `to`, and nothing else: it neither stores nor accumulates. */
bool hb_instruction_makes(const hb_instruction *i);
/* Returns how many ciphertexts passes of bootstrapping integers go over, of so many row blocks: each as often as one
 * does; and over how many of these look-ups do. */
double hb_program_passes_over(const hb_program *program, uint64_t blocks);
double hb_program_lookups_over(const hb_program *program, uint64_t blocks);
/* Do row instructions of the pass accumulate into this register; into any? */
bool hb_pass_accumulates(const hb_pass *pass, uint32_t total);
bool hb_pass_accumulates_any(const hb_pass *pass);
/* Do its row instructions, or its totals' instructions, store to this output? */
bool hb_pass_stores_rows(const hb_pass *pass, uint32_t output);
bool hb_pass_stores_totals(const hb_pass *pass, uint32_t output);

/* Frees everything that the program owns; a zeroed one is allowed. */
void hb_program_clear(hb_program *program);

#endif
