/* The reference of the language: the pages in src/lang/pages, which are compiled in (language.cmake). `hebatch help
 * NAME` prints one of them. The list of functions is a page too, made from their rows (lang/functions/page.h). */
#ifndef HB_LANG_TEXT_LANGUAGE_H
#define HB_LANG_TEXT_LANGUAGE_H

typedef struct hb_page {
    const char *name; /* "language" is the first page, pages/README.md; the others have the names of their files */
    const char *text; /* Markdown, UTF-8; ends with a line end */
} hb_page;

extern const hb_page hb_language_pages[]; /* a row without a name stands at the end */

#endif
