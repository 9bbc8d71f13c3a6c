#include "phrase_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lang/text/binding.h"

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Takes the word at *at. Returns false where it has no end. */
static bool take_word(const char **at, hb_phrase_word *out)
{
    static const char *const pairs[] = {"==", "!=", "<=", ">=", "=<", "=>", "<>", "..", "&&", "||"};
    const char *p = *at;
    int length = 1;
    *out = (hb_phrase_word){.at = p, .kind = *p};
    if (*p == '\'' || *p == '"' || *p == '`') {
        const char *end = strchr(p + 1, *p);
        *out = (hb_phrase_word){.at = p + 1, .length = end != NULL ? (int)(end - p - 1) : 0, .kind = *p};
        *at = end != NULL ? end + 1 : p;
        return end != NULL;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        length = strncmp(p, pairs[i], 2) == 0 ? 2 : length;
    }
    const bool letter = is_letter(*p), digit = isdigit((unsigned char)*p) != 0;
    out->kind = letter ? 'a' : digit ? '0' : *p;
    while ((letter || digit) && (is_letter(p[length]) || isdigit((unsigned char)p[length]) ||
                                 (digit && p[length] == '.' && isdigit((unsigned char)p[length + 1])))) {
        length++;
    }
    out->length = length;
    *at = p + length;
    return true;
}

/* Returns the column whose name, which has other signs than names in questions, stands at `at` without quotes, the
 * longest one; NULL: none does, or a column has the name that stands there up to its first such sign. */
static const hb_phrase_column *odd_column(const hb_phrase_words *p, const char *at)
{
    const hb_phrase_column *found = NULL;
    size_t longest = 0, plain = 0;
    while (is_letter(at[plain]) || isdigit((unsigned char)at[plain])) {
        plain++;
    }
    for (size_t c = 0; c < p->column_count; c++) {
        const char *name = p->columns[c].name;
        const size_t length = strlen(name);
        const bool ends =
            !is_letter(name[length > 0 ? length - 1 : 0]) ||
            (strncasecmp(name, at, length) == 0 && !is_letter(at[length]) && !isdigit((unsigned char)at[length]));
        if (length == plain && plain > 0 && strncasecmp(name, at, length) == 0) {
            return NULL;
        }
        if (ends && length > longest && p->columns[c].odd && strncasecmp(name, at, length) == 0) {
            longest = length;
            found = &p->columns[c];
        }
    }
    return found;
}

bool hb_phrase_take(hb_phrase_words *p, const char *said)
{
    size_t depth = 0;
    while (p->count < HB_PHRASE_MOST_WORDS) {
        said += strspn(said, " \t\r\n");
        if (said[strspn(said, "?!. \t\r\n")] == '\0') {
            return p->count > 0 && depth == 0;
        }
        hb_phrase_word *next = &p->word[p->count];
        const hb_phrase_column *odd = odd_column(p, said);
        if (odd != NULL) {
            *next = (hb_phrase_word){odd->name, (int)strlen(odd->name), '"'};
            said += next->length;
        } else if (!take_word(&said, next) || (next->kind == ')' && depth == 0)) {
            return false;
        }
        depth += next->kind == '(';
        depth -= next->kind == ')';
        p->count++;
    }
    return false;
}

size_t hb_phrase_is(const hb_phrase_words *p, size_t i, const char *list)
{
    size_t count = 0;
    bool same = true;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, " |"), w = i + count;
        same = same && w < p->count && strchr("'\"`", p->word[w].kind) == NULL && length == (size_t)p->word[w].length &&
               strncasecmp(p->word[w].at, at, length) == 0;
        count++;
        at += length;
        if (*at != ' ' && (same || *at == '\0')) {
            return same ? count : 0;
        }
        count = *at == ' ' ? count : 0;
        same = *at == ' ' ? same : true;
    }
}

size_t hb_phrase_find_column(const hb_phrase_words *p, const char *name, size_t length, const hb_phrase_column **found)
{
    size_t count = 0;
    for (size_t c = 0; c < p->column_count; c++) {
        const char *own = p->columns[c].name;
        if (strlen(own) == length && strncasecmp(own, name, length) == 0) {
            *found = &p->columns[c];
            count++;
        }
    }
    for (size_t c = 0, named = count; c < p->column_count && named == 0; c++) {
        const char *own = p->columns[c].name;
        const bool begins = p->columns[c].odd && strlen(own) > length && strncasecmp(own, name, length) == 0;
        if (begins && !hb_name_goes_on(own[length])) {
            *found = &p->columns[c];
            count++;
        }
    }
    return count;
}

const hb_phrase_column *hb_phrase_column_at(const hb_phrase_words *p, size_t i)
{
    const hb_phrase_column *found = NULL;
    const bool name = i < p->count && strchr("a\"`", p->word[i].kind) != NULL;
    return name && hb_phrase_find_column(p, p->word[i].at, (size_t)p->word[i].length, &found) == 1 ? found : NULL;
}

size_t hb_phrase_behind(const hb_phrase_words *p, size_t i, size_t to)
{
    size_t depth = 0;
    for (; i < to; i++) {
        depth += p->word[i].kind == '(';
        depth -= p->word[i].kind == ')' && depth > 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return to;
}

bool hb_phrase_has(const hb_phrase_words *p, hb_phrase_span of, const char *list)
{
    bool found = false;
    for (size_t i = of.from; i < of.to && !found;) {
        found = hb_phrase_is(p, i, list) > 0;
        i = hb_phrase_kind_at(p, i) == '(' ? hb_phrase_behind(p, i, of.to) : i + 1;
    }
    return found;
}

const hb_phrase_column *hb_phrase_distinct_at(const hb_phrase_words *p, size_t i)
{
    const bool counts = hb_phrase_is(p, i, "count") > 0 && hb_phrase_is(p, i + 1, "(") > 0 &&
                        hb_phrase_is(p, i + 2, "distinct") > 0 && hb_phrase_is(p, i + 4, ")") > 0;
    return counts ? hb_phrase_column_at(p, i + 3) : NULL;
}

bool hb_phrase_is_table(const hb_phrase_words *p, size_t i)
{
    const hb_phrase_column *column = hb_phrase_column_at(p, i + 2);
    const hb_phrase_word *w = &p->word[i];
    const bool picks = hb_phrase_kind_at(p, i) == 'a' && hb_phrase_is(p, i + 1, ".") && column != NULL;
    const char *point = picks && column->written[0] != '"' ? strchr(column->written, '.') : NULL;
    return picks && (point == NULL || ((size_t)(point - column->written) == (size_t)w->length &&
                                       strncasecmp(column->written, w->at, (size_t)w->length) == 0));
}
