/* The language reference that src/lang/README.md is: made from it when the program is built (language.cmake). `hebatch
 * help language` prints it with a line for each function (lang/functions/page.h). */
#ifndef HB_LANG_TEXT_LANGUAGE_H
#define HB_LANG_TEXT_LANGUAGE_H

extern const char hb_language[]; /* Markdown, UTF-8; ends with a line end */

#endif
