/* The text form of a program: one line a register, an instruction, a result and a key. It shows which program an
 * expression became, and tests compare it line by line. */
#ifndef HB_LANG_PROGRAM_PRINT_H
#define HB_LANG_PROGRAM_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "lang/text/walk.h"
#include "program.h"
#include "rlwe/params.h"

/* Writes the text form of a program under these parameters to an open stream. numbers: constants, and ranges that
 * follow from them, are shown; false: "*" stands for each, because constants may be the cells of a private table. The
 * stream keeps its own error state, which the caller checks. */
void hb_program_print(const hb_program *program, const hb_params *params, bool numbers, FILE *to);

/* Writes a range for the text form, "not known" where it is not. */
void hb_print_range(char text[HB_INTERVAL_TEXT], bool numbers, hb_interval range);

/* Writes ", error 2^24.3, expected 2^14.6" of a value of so many limbs. A bound beside which the value could not be
 * decrypted says nothing of it: it is "not proven", or "not known". */
void hb_print_errors(const hb_params *params, uint32_t limbs, hb_quality quality, FILE *to);

/* Writes the line "repeat 2 of 10:" where another iteration begins than the one that was shown last, and "outside of
 * repeat:" where a loop is left. shown: zeroed before the first line of a list. */
void hb_print_iteration(hb_iteration *shown, uint32_t number, uint32_t of, FILE *to);

/* Writes " 3" of an integer constant and " 0.25" of a real one, to 9 significant digits; " *" where `numbers` is
 * false. */
void hb_print_constant(bool numbers, bool real, int64_t integer, double value, FILE *to);

/* Writes which number of a row an HB_OP_SPREAD makes; number: that of the instruction or the node. */
void hb_print_spread(uint32_t operand, uint32_t column, int64_t number, FILE *to);

#endif
