/* The language reference that README.md of this folder is, as `hebatch help language` prints it: made from it when the
 * program is built (language.cmake). */
#ifndef HB_EXPRESSION_TEXT_LANGUAGE_H
#define HB_EXPRESSION_TEXT_LANGUAGE_H

extern const char hb_language[]; /* Markdown, UTF-8; ends with a line end */

#endif
