/* From the text of an expression to the program that computes it. */
#ifndef HB_LANG_COMPILE_COMPILE_H
#define HB_LANG_COMPILE_COMPILE_H

#include "lang/program/program.h"

/* Whether values are bootstrapped where levels do not suffice and parameters have bootstrapping: once, or with their
 * errors bootstrapped as well, which takes twice as long. */
typedef enum hb_bootstrap_choice { HB_BOOTSTRAP_AUTO, HB_BOOTSTRAP_NEVER, HB_BOOTSTRAP_TWICE } hb_bootstrap_choice;

/* Whether a program keeps the text forms of its graph and of itself, and whether these show constants, which may be the
 * cells of a private table. */
typedef enum hb_listing_choice {
    HB_LISTING_NONE,
    HB_LISTING_WITHOUT_NUMBERS,
    HB_LISTING_WITH_NUMBERS
} hb_listing_choice;

/* Results that compilations share, for callers that compile often: functions and comparisons that were approximated or
 * interpolated, matrices, the text that was parsed last, its computations from plain tables, and, for integers, graphs,
 * which are the same for chains of any length. One thread at a time uses it. Everything that sources and their operands
 * borrow stays unchanged while it is open. */
typedef struct hb_compile_cache hb_compile_cache;
/* Opens an empty cache. HB_ENOMEM. The caller closes it; closing wipes contents that may be private, and takes NULL. */
hb_status hb_compile_cache_open(hb_compile_cache **out);
void hb_compile_cache_close(hb_compile_cache *cache);

/* The default of the bits that results keep (compact.h). */
#define HB_COMPACT_AUTO (-1.0)

/* The source of a program; all of it is borrowed. */
typedef struct hb_program_source {
    const char *text; /* statements `name = expression`, separated by ; or line ends */
    const hb_params *params;
    const hb_operand *operands; /* [operand_count] */
    uint32_t operand_count;
    const char *const *outputs; /* [output_count] assigned names that are stored, in this order; others are between */
    uint32_t output_count;
    hb_quality_trust trust;
    bool hidden;   /* results whose likely error may hide their values are compiled, too */
    double bits;   /* of precision that every result is to have (hb_quality_bits), of reals; 0: no number is wanted */
    double gap;    /* around 0 where sign and functions made of it jump, in units of the largest magnitude; 0: 2^-8, and
                    where results are continuous as small as bits ask */
    bool measured; /* results may have fewer bits than that: asked are their bounds, and the cost of functions of
                      as many bits */
    hb_bootstrap_choice bootstrap;
    hb_listing_choice listing;
    bool each_pass;          /* a listing has the graph as each pass of the compiler leaves it, too */
    double compact;          /* results are stored at the lowest level where they keep so many bits by `trust`
                                (compact.h); 0: at that where they were computed; HB_COMPACT_AUTO */
    hb_compile_cache *cache; /* NULL: nothing is kept */
    /* Called after each pass of the compiler, with its name and times (hb_now); NULL: not called. */
    void (*ran)(const char *pass, double begun, double ended);
} hb_program_source;

/* Compiles a source. HB_EUSAGE with the place where the text is no expression, for unbound names, and for shapes that
 * do not match; HB_EDATA, naming the node, where the bound leaves no bits, no level is left, or values are larger than
 * the parameters hold. The caller clears *program, also after a failure. */
hb_status hb_program_compile(hb_program *program, const hb_program_source *source);
/* The same with advice: a source that HB_EDATA refuses is tried with each preset, and the message names the smallest
 * that would do. */
hb_status hb_program_compile_with_hint(hb_program *program, const hb_program_source *source);

/* The kinds of a text's operands, known before their files are read: lists of names, "w,c", of plain tables "w=FILE";
 * NULL: none. */
typedef struct hb_keys_operands {
    uint64_t block;      /* slots of a row, where rows stand within slots; 0, 1: they do not */
    const char *one_row; /* datasets of one row beside others of more, or that stand encrypted on the left of @ */
    const char *filled;  /* datasets whose one row stands in every row already, and needs no keys for that */
    const char *spread;  /* datasets whose one row stands in one ciphertext (encrypt --spread): "q=128,r", with their
                            columns or, without, as many as any has */
    const char *masked;  /* datasets of which every column may have a mask; none of one_row or filled */
    const char *plain;   /* plain tables, which are not read; other names but weights before @ are datasets */
    const char *rings;   /* those of `spread` that come from a smaller ring (scheme/ring_switch.h), with its degree:
                            "q=4096" */
} hb_keys_operands;

/* The keys that `text` needs, for any level, without looking at any operand: for keygen. Only scheme and ring degree of
 * the literal count. The caller clears *keys, also after a failure. HB_EUSAGE also where keys follow from operands. */
hb_status hb_program_keys(hb_key_requests *keys, const char *text, const hb_params_spec *spec,
                          const hb_keys_operands *operands);

/* The names that `text` reads before it assigns them, and the names that it assigns; NULL-terminated, owned by the
 * caller, free each list with hb_names_free. HB_EUSAGE for text that is no expression; HB_ENOMEM. */
hb_status hb_program_names(const char *text, char ***reads, char ***assigns);
/* The names that stand on the left of @, in the same way. */
hb_status hb_program_weights(const char *text, char ***weights);
/* Returns whether `text` may read tables of weights, or such that numbers are looked up in. */
bool hb_program_may_weigh(const char *text);
void hb_names_free(char **names);
/* Returns whether such a list has the name. */
bool hb_names_have(char *const *names, const char *name);

#endif
