#include "dialect.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "table/meaning.h"

uint64_t hb_na_find(const hb_dialect *dialect, const char *text, size_t length)
{
    const char *said = dialect->missing, *end = said != NULL ? said + dialect->missing_bytes : NULL;
    uint64_t found = 0;
    for (uint64_t i = 0; said < end; said += strlen(said) + 1, i++) {
        found |= strlen(said) == length && memcmp(said, text, length) == 0 ? hb_na_bit(i) : 0;
    }
    return found;
}

bool hb_dialect_is_missing(const hb_dialect *dialect, const char *text, size_t length)
{
    /* As Excel, pandas, R and databases write them. */
    static const char *const words[] = {"NA",  "N/A",  "#N/A", "#NV",  "#NA",  "<NA>",    "#N/A N/A",
                                        "NaN", "-NaN", "NaT",  "null", "None", "1.#QNAN", "-1.#IND"};
    static const char first[] = "Nn#<-1"; /* of these words */
    const size_t most = strlen("#N/A N/A"), count = length <= most ? sizeof words / sizeof *words : 0;
    size_t i = length == 0 || memchr(first, *text, sizeof first) != NULL ? 0 : count;
    while (i < count && (strlen(words[i]) != length || strncasecmp(text, words[i], length) != 0)) {
        i++;
    }
    return length == 0 || i < count || hb_dialect_is_said(dialect, text, length);
}

bool hb_dialect_may_be_missing(const char *text)
{
    static const char *const words[] = {"unknown", "missing", "not known", "not available", "n.a.",    "n.a", "na.",
                                        "nil",     "k.a.",    "k. a.",     "unbekannt",     "inconnu", "?",   "-",
                                        "--",      ".",       "*"};
    size_t i = 0;
    while (i < sizeof words / sizeof *words && strcasecmp(text, words[i]) != 0) {
        i++;
    }
    return i < sizeof words / sizeof *words;
}

hb_status hb_dialect_copy(hb_dialect *to, const hb_dialect *from)
{
    *to = *from;
    to->missing = NULL;
    if (from->missing != NULL) {
        to->missing = malloc(from->missing_bytes);
        if (to->missing == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for what is said of columns");
        }
        memcpy(to->missing, from->missing, from->missing_bytes);
    }
    return HB_OK;
}

void hb_dialect_clear(hb_dialect *dialect)
{
    free(dialect->missing);
    *dialect = (hb_dialect){0};
}

hb_status hb_na_add(char **texts, size_t *bytes, const char *text)
{
    const size_t more = strlen(text) + 1;
    char *longer = realloc(*texts, *bytes + more);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for what is said of columns");
    }
    memcpy(longer + *bytes, text, more);
    *texts = longer;
    *bytes += more;
    return HB_OK;
}

/* Writes dd.mm.yyyy as d.m.y: the same letter in a row counts once, and years have four digits. An order that is none
 * stays as it is. */
static void shorten(const char *format, char form[HB_DATE_FORM])
{
    size_t to = 0;
    while (*format != '\0' && to + 1 < HB_DATE_FORM) {
        const char letter = (char)tolower((unsigned char)*format);
        const size_t run = strspn(format, (const char[]){*format, letter, '\0'});
        const bool whole = run == 1 || (letter == 'y' ? run == 4 : run == 2 && (letter == 'd' || letter == 'm'));
        form[to++] = whole ? letter : '?';
        format += run;
    }
    form[to] = '\0';
    if (*format != '\0') {
        form[0] = '\0'; /* more letters than an order has */
    }
}

static hb_status parse_charset(const char *text, hb_charset *charset)
{
    static const struct {
        const char *word;
        hb_charset charset;
    } words[] = {{"utf-8", HB_CHARSET_UTF8},          {"utf8", HB_CHARSET_UTF8},
                 {"latin-1", HB_CHARSET_LATIN1},      {"latin1", HB_CHARSET_LATIN1},
                 {"iso-8859-1", HB_CHARSET_LATIN1},   {"windows-1252", HB_CHARSET_WINDOWS_1252},
                 {"cp1252", HB_CHARSET_WINDOWS_1252}, {"utf-16", HB_CHARSET_UTF16},
                 {"utf16", HB_CHARSET_UTF16}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i].word) == 0) {
            *charset = words[i].charset;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "--charset %.20s: it is utf-8, latin-1, windows-1252 or utf-16", text);
}

hb_status hb_dialect_parse(hb_dialect *dialect, const char *decimal, const char *date_format, const char *charset)
{
    if (decimal != NULL) {
        const bool comma = strcmp(decimal, "comma") == 0 || strcmp(decimal, ",") == 0;
        if (!comma && strcmp(decimal, "point") != 0 && strcmp(decimal, ".") != 0) {
            return HB_FAIL(HB_EUSAGE, "--decimal %.20s: it is point or comma", decimal);
        }
        dialect->decimal = comma ? ',' : '.';
    }
    if (date_format != NULL) {
        char form[HB_DATE_FORM];
        shorten(date_format, form);
        if (!hb_date_form_is_possible(form)) {
            return HB_FAIL(
                HB_EUSAGE,
                "--date-format %.20s: it is d.m.y, m/d/y or another order, with ., / or - between the letters",
                date_format);
        }
        strcpy(dialect->date, form);
    }
    return charset != NULL ? parse_charset(charset, &dialect->charset) : HB_OK;
}

/* Digests of what was said before there were spellings stay as they are. */
void hb_dialect_digest(const hb_dialect *dialect, hb_digest_state *state)
{
    if (hb_dialect_says(dialect)) {
        hb_digest_add_u64(state, (uint64_t)dialect->decimal << 1 | (uint64_t)dialect->rounds);
        hb_digest_add(state, dialect->date, sizeof dialect->date);
        hb_digest_add_u64(state, dialect->missing_bytes);
        hb_digest_add(state, dialect->missing, dialect->missing_bytes);
        if (dialect->times != HB_TIMES_REFUSED) {
            hb_digest_add(state, "times", sizeof "times");
        }
        if (dialect->times > HB_TIMES_DROPPED) {
            hb_digest_add_u64(state, dialect->times);
        }
        if (dialect->charset != HB_CHARSET_FOUND) {
            hb_digest_add_u64(state, dialect->charset);
        }
    }
}
