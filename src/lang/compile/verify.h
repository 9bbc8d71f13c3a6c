/* Conditions that hold after the passes of the compiler, for every source. */
#ifndef HB_LANG_COMPILE_VERIFY_H
#define HB_LANG_COMPILE_VERIFY_H

#include "compilation.h"

typedef enum hb_property {
    HB_IS_POSTFIX,      /* each item finds the values that it takes, and each statement leaves none */
    HB_IS_GRAPH,        /* operands are older than the nodes made of them; operations are the scheme's, and change no
                           scale before levels are placed */
    HB_HAS_RESULTS,     /* the same, and columns of a result are ciphertexts in which something encrypted is left */
    HB_HAS_LEVELS,      /* the same; levels are placed; they and scales follow from those of operands, which have
                           one each; columns of a result are at rest, and at one level. All that follow ask for it */
    HB_HAS_SIZES,       /* all operands of a used node are used; there are 2 components where so many are taken */
    HB_HAS_DATA_PASSES, /* no node is of an earlier pass over the data than its operands are there in */
    HB_HAS_ERRORS,      /* bounds are numbers */
    HB_HAS_FACTS,       /* all of these */
    HB_IS_SCHEDULED,    /* values are made before they are read, and each column of a result is stored once */
    HB_IS_PROGRAM       /* registers are written before they are read, and are as operations take them: ciphertexts or
                     plaintexts, components, levels; resume points are within the row instructions, in their order */
} hb_property;

/* HB_EINTERNAL, naming the first thing that is not as it must be; HB_ENOMEM. Takes one walk for each property. */
hb_status hb_verify(const hb_compilation *compilation, hb_property property);

#endif
