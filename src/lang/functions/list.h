/* The functions of the language: all rows of this folder, by their names. Made from the files when the program is built
 * (functions.cmake), so that a file with a row is all that a function takes. */
#ifndef HB_LANG_FUNCTIONS_LIST_H
#define HB_LANG_FUNCTIONS_LIST_H

#include "lang/text/signature.h"

/* Each is the first member of a hb_lang_function; NULL after the last. */
extern const hb_signature *const hb_lang_functions[];

#endif
