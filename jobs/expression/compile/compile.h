/* From the text of an expression to the program that computes it. */
#ifndef HB_EXPRESSION_COMPILE_COMPILE_H
#define HB_EXPRESSION_COMPILE_COMPILE_H

#include "approx/found.h"
#include "base/interpolations.h"
#include "expression/program/program.h"

/* Whether values are bootstrapped where levels do not suffice and parameters have bootstrapping: once, or with their
 * errors bootstrapped as well, which takes twice as long. */
typedef enum hb_bootstrap_choice { HB_BOOTSTRAP_AUTO, HB_BOOTSTRAP_NEVER, HB_BOOTSTRAP_TWICE } hb_bootstrap_choice;

/* What a program is compiled from; all of it is borrowed. */
typedef struct hb_program_source {
    const char *text; /* statements `name = expression`, separated by ; or line ends */
    const hb_params *params;
    const hb_operand *operands; /* [operand_count] */
    uint32_t operand_count;
    const char *const *outputs; /* [output_count] assigned names that are stored, in this order; others are between */
    uint32_t output_count;
    hb_quality_trust trust;
    double bits; /* of precision that every result is to have (hb_quality_bits), of reals; 0: no number is wanted */
    double gap;  /* around 0 where sign and what is made of it jumps, in units of the largest magnitude; 0: 2^-8, and
                    where results are continuous as small as bits ask */
    bool bits_optional;  /* results may have fewer bits than that: it is asked what functions take that have so many */
    bool no_preset_hint; /* what is refused is not tried with every preset, to say which would do */
    hb_bootstrap_choice bootstrap;
    hb_approximations *found; /* those that were found before, for who compiles often; NULL: they are not kept */
    hb_interpolations *interpolations; /* likewise */
    hb_kept_matrices *matrices;        /* likewise: those that were made before */
    double compact; /* results are stored at the lowest level where they keep so many bits by `trust` (compact.h); 0: at
                       that where they were computed */
} hb_program_source;

/* Compiles a source. HB_EUSAGE with the place for what is no expression, for names that nothing is bound to, for shapes
 * that do not match; HB_EDATA where the bound leaves no bits, or no level is left, or values are more than one holds:
 * names the node and the smallest preset that would do. The caller clears *program, also after a failure. */
hb_status hb_program_compile(hb_program *program, const hb_program_source *source);

/* What keys `text` needs, for any level, with every name taken for an encrypted operand, without looking at any: for
 * keygen. Of the literal, scheme and ring degree count. block: slots of a row, where rows stand within slots; 0, 1:
 * they do not. one_row: names, "w,c", of those that have one row beside others of more, or stand
 * on the left of @ and are encrypted; filled: of those whose one row stands in the place of every row already, and
 * needs no keys for that; NULL: none. The caller clears *keys, also after a failure. HB_EUSAGE also where keys follow
 * from operands. */
hb_status hb_program_keys(hb_key_requests *keys, const char *text, const hb_params_spec *spec, uint64_t block,
                          const char *one_row, const char *filled);

/* The names that `text` reads before it assigns them, and those that it assigns; NULL-terminated, owned by the caller,
 * free each list with hb_names_free. */
hb_status hb_program_names(const char *text, char ***reads, char ***assigns);
/* Those that stand on the left of @, in the same way. */
hb_status hb_program_weights(const char *text, char ***weights);
void hb_names_free(char **names);

#endif
