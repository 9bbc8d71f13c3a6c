/* The text form of a program: one line a register, an instruction, a result and a key. It shows which program an
 * expression became, and tests compare it line by line. */
#ifndef HB_LANG_PROGRAM_PRINT_H
#define HB_LANG_PROGRAM_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "program.h"

/* Writes the text form to an open stream. numbers: constants, and ranges that follow from them, are shown; false: "*"
 * stands for each, because constants may be the cells of a private table. The stream keeps its own error state, which
 * the caller checks. */
void hb_program_print(const hb_program *program, bool numbers, FILE *to);

/* Writes a range for the text form, "not known" where it is not. */
void hb_print_range(char text[HB_INTERVAL_TEXT], bool numbers, hb_interval range);

/* Writes " 3" of an integer constant and " 0.25" of a real one, to 9 significant digits; " *" where `numbers` is
 * false. */
void hb_print_constant(bool numbers, bool real, int64_t integer, double value, FILE *to);

#endif
