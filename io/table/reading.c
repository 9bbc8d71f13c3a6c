#include "reading.h"
#include "base/nearest.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes a word from *at on: in double quotes, in which they are doubled, or up to one of `stops`. The caller frees it;
 * NULL for quotes that are not closed, for nothing, and without memory. */
static char *take_word(const char **at, const char *stops)
{
    const char *from = *at;
    const bool quoted = *from == '"';
    const size_t most = strlen(from);
    char *word = malloc(most + 1);
    size_t length = 0;
    if (word == NULL) {
        return NULL;
    }
    if (!quoted) {
        length = strcspn(from, stops);
        memcpy(word, from, length);
        from += length;
    } else {
        for (from++; *from != '\0' && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            word[length++] = *from;
        }
        length = *from == '"' ? length : 0;
        from += *from == '"';
    }
    word[length] = '\0';
    if (length == 0 || (*from != '\0' && strchr(stops, *from) == NULL)) {
        free(word);
        return NULL;
    }
    *at = from;
    return word;
}

static hb_status refuse(const char *option, const char *text, const char *expected)
{
    return HB_FAIL(HB_EUSAGE, "--%s %.200s: it is %s; names and labels with other signs in double quotes", option, text,
                   expected);
}

/* Applies an option to a column; `value` is the text behind its =, NULL where there is none. */
typedef hb_status (*applies)(hb_column_reading *column, const char *value, const char *text);

static hb_status select_column(hb_column_reading *column, const char *value, const char *text)
{
    (void)value;
    (void)text;
    if (column->selected) {
        return HB_FAIL(HB_EUSAGE, "--columns: column '%.64s' stands there twice", column->name);
    }
    column->selected = true;
    return HB_OK;
}

static hb_status set_meaning(hb_column_reading *column, hb_meaning meaning, const char *option)
{
    if (column->has_meaning) {
        return HB_FAIL(HB_EUSAGE, "--%s: column '%.64s' is given two meanings", option, column->name);
    }
    column->has_meaning = true;
    column->meaning = meaning;
    return HB_OK;
}

static hb_status set_folds(hb_column_reading *column, const char *value, const char *text)
{
    (void)value;
    (void)text;
    column->folds = true;
    return HB_OK;
}

static hb_status set_percent(hb_column_reading *column, const char *value, const char *text)
{
    (void)value;
    (void)text;
    column->percent = true;
    return HB_OK;
}

static hb_status set_date(hb_column_reading *column, const char *value, const char *text)
{
    (void)value;
    (void)text;
    return set_meaning(column, (hb_meaning){.kind = HB_MEANING_DATE}, "date");
}

static hb_status set_scale(hb_column_reading *column, const char *value, const char *text)
{
    char *end = NULL;
    const uint64_t scale = value != NULL && value[0] >= '0' && value[0] <= '9' ? strtoull(value, &end, 10) : 0;
    if (end == NULL || *end != '\0' || hb_scale_digits(scale) < 0) {
        return refuse("scale", text, "COLUMN=SCALE,..., powers of ten up to 10^18");
    }
    return set_meaning(column, (hb_meaning){.scale = scale}, "scale");
}

/* Takes NAME or NAME=VALUE, separated by commas. */
static hb_status take_list(hb_reading *reading, const char *option, const char *text, const char *expected,
                           applies apply)
{
    for (const char *at = text;; at++) {
        char *name = take_word(&at, ",="), *value = NULL;
        const bool given = name != NULL && *at == '=';
        if (given) {
            at++;
            value = take_word(&at, ",");
        }
        hb_column_reading *column;
        hb_status st =
            name == NULL || (given && (value == NULL || apply != set_scale)) ? refuse(option, text, expected) : HB_OK;
        st = st == HB_OK ? hb_reading_called(reading, name, &column) : st;
        st = st == HB_OK ? apply(column, value, text) : st;
        free(name);
        free(value);
        HB_TRY(st);
        if (*at == '\0') {
            return HB_OK;
        }
    }
}

/* Labels that are given, from behind the = on. */
static hb_status take_labels(const char *at, const char *text, const hb_labels **labels)
{
    char **label = NULL;
    size_t count = 0, room = 0;
    hb_status st = HB_OK;
    for (;; at++) {
        if (count == room) {
            room = room > 0 ? 2 * room : 16;
            char **grown = realloc(label, room * sizeof *label);
            if (grown == NULL) {
                HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for labels"));
            }
            label = grown;
        }
        label[count] = take_word(&at, ",");
        if (label[count] == NULL) {
            HB_GOTO(refuse("category", text, "COLUMN or COLUMN=LABEL,LABEL,..."));
        }
        count++;
        if (*at == '\0') {
            break;
        }
    }
    st = hb_labels_make((const char *const *)label, count, labels);
    if (st == HB_EDATA) {
        const hb_error cause = *hb_last_error();
        st = HB_FAIL(HB_EUSAGE, "--category: %.400s", cause.text);
    }
done:
    for (size_t i = 0; i < count; i++) {
        free(label[i]);
    }
    free(label);
    return st;
}

/* One column, as commas stand between labels. */
static hb_status take_category(hb_reading *reading, const char *text)
{
    const char *at = text;
    char *name = take_word(&at, "=");
    hb_column_reading *column;
    hb_meaning meaning = {.kind = HB_MEANING_CATEGORY};
    hb_status st = name == NULL ? refuse("category", text, "COLUMN or COLUMN=LABEL,LABEL,...") : HB_OK;
    st = st == HB_OK && *at == '=' ? take_labels(at + 1, text, &meaning.labels) : st;
    st = st == HB_OK ? hb_reading_called(reading, name, &column) : st;
    st = st == HB_OK ? set_meaning(column, meaning, "category") : st;
    if (st == HB_OK) {
        column->collects_labels = meaning.labels == NULL;
    } else {
        hb_meaning_clear(&meaning);
    }
    free(name);
    return st;
}

static bool take_number(const char *text, uint64_t *number)
{
    *number = strtoull(text, NULL, 10);
    return text[0] != '\0' && strlen(text) <= 6 && strspn(text, "0123456789") == strlen(text);
}

/* One column, its base, and how many digits it has. */
static hb_status take_digits(hb_reading *reading, const char *text)
{
    const char *expected = "COLUMN=BASE or COLUMN=BASE,DIGITS, a base from 2 to 65536";
    const char *at = text;
    char *name = take_word(&at, "="), *base = NULL, *count = NULL;
    hb_column_reading *column;
    hb_status st = name == NULL || *at != '=' ? refuse("digits", text, expected) : HB_OK;
    if (st == HB_OK) {
        at++;
        base = take_word(&at, ",");
        count = *at == ',' ? strdup(at + 1) : NULL;
        st = hb_reading_called(reading, name, &column);
    }
    if (st == HB_OK && column->digit_base > 0) {
        st = HB_FAIL(HB_EUSAGE, "--digits: column '%.64s' is given twice", column->name);
    }
    if (st == HB_OK) {
        const bool right = base != NULL && take_number(base, &column->digit_base) &&
                           (*at != ',' || (count != NULL && take_number(count, &column->digits) && column->digits > 0));
        st = right && hb_digits_are_possible(column->digit_base, column->digits > 0 ? column->digits : 1)
                 ? HB_OK
                 : refuse("digits", text, expected);
    }
    free(name);
    free(base);
    free(count);
    return st;
}

static hb_status set_missing(hb_missing *missing, char **replacement, char *value)
{
    *missing = strcmp(value, "refuse") == 0 ? HB_MISSING_REFUSE
               : strcmp(value, "drop") == 0 ? HB_MISSING_DROP
               : strcmp(value, "mask") == 0 ? HB_MISSING_MASK
                                            : HB_MISSING_VALUE;
    free(*replacement);
    *replacement = NULL;
    if (*missing == HB_MISSING_VALUE) {
        *replacement = strdup(value);
    }
    return *missing != HB_MISSING_VALUE || *replacement != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a value");
}

static hb_status say_missing(hb_reading *reading, hb_column_reading *column, char *value)
{
    return set_missing(column != NULL ? &column->missing : &reading->missing,
                       column != NULL ? &column->replacement : &reading->replacement, value);
}

static hb_status parse_times(const char *word, hb_times *times)
{
    static const struct {
        const char *word;
        hb_times times;
    } words[] = {{"refuse", HB_TIMES_REFUSED},
                 {"drop", HB_TIMES_DROPPED},
                 {"seconds", HB_TIMES_SECONDS},
                 {"minutes", HB_TIMES_MINUTES},
                 {"hours", HB_TIMES_HOURS}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) {
            *times = words[i].times;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "--time-of-day %.20s: it is refuse, drop, seconds, minutes or hours", word);
}

static hb_status say_times(hb_reading *reading, hb_column_reading *column, char *word)
{
    HB_TRY(parse_times(word, column != NULL ? &column->times : &reading->dialect.times));
    return column != NULL && column->has_meaning && hb_times_unit(column->times) != HB_TIME_NONE
               ? HB_FAIL(HB_EUSAGE, "--time-of-day: column '%.64s' is given two meanings", column->name)
               : HB_OK;
}

static hb_status say_decimal(hb_reading *reading, hb_column_reading *column, char *word)
{
    hb_dialect own = {.decimal = 0};
    HB_TRY(hb_dialect_parse(&own, word, NULL, NULL));
    *(column != NULL ? &column->decimal : &reading->dialect.decimal) = own.decimal;
    return HB_OK;
}

/* Refuses a word without quotes that is a treatment of missing cells but for typing errors: it would become a value. */
static hb_status check_missing_word(const char *word)
{
    static const char *const words[] = {"mask", "drop", "refuse", NULL};
    enum { SHORTEST = 3 }; /* a shorter one may be a label */
    const char *near = strlen(word) >= SHORTEST ? hb_nearest(word, words) : NULL;
    return near == NULL || strcmp(near, word) == 0
               ? HB_OK
               : HB_FAIL(HB_EUSAGE,
                         "--missing %.40s: did you mean %s? A text in place of missing cells that is so near "
                         "to it stands in double quotes, '\"%.40s\"'",
                         word, near, word);
}

/* An option that takes WORD or COLUMN=WORD, separated by commas. */
typedef struct word_option {
    const char *name, *expected;
    hb_status (*say)(hb_reading *reading, hb_column_reading *column, char *word); /* NULL: of all other columns */
    size_t given; /* where the flag of a column's reading stands that the option is given for it */
} word_option;
static const word_option missing_option = {"missing",
                                           "refuse, drop, mask, VALUE, or COLUMN= and one of them, with commas between",
                                           say_missing, offsetof(hb_column_reading, has_missing)};
static const word_option times_option = {
    "time-of-day", "refuse, drop, seconds, minutes or hours, or COLUMN= and one of them, with commas between",
    say_times, offsetof(hb_column_reading, has_times)};
static const word_option decimal_option = {"decimal", "point or comma, or COLUMN= and one of them, with commas between",
                                           say_decimal, offsetof(hb_column_reading, has_decimal)};

static bool is_digits(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/* Refuses digits behind COLUMN=DIGITS: v=0,5 may be one value with a decimal comma, or two. */
static hb_status require_one_sense(const word_option *option, bool number_before, const char *first, bool named)
{
    return number_before && !named && is_digits(first)
               ? HB_FAIL(HB_EUSAGE,
                         "--%s: a value with a comma stands in double quotes, as COLUMN=\"0,5\"; a value for all other "
                         "columns, here '%.20s', stands before the columns",
                         option->name, first)
               : HB_OK;
}

static hb_status take_words(hb_reading *reading, const word_option *option, const char *text)
{
    bool others = false; /* something is said of all other columns */
    bool number = false; /* of the column before */
    for (const char *at = text;; at++) {
        bool bare = *at != '"';
        char *first = take_word(&at, ",="), *value = NULL;
        hb_column_reading *column = NULL;
        hb_status st = first != NULL ? HB_OK : refuse(option->name, text, option->expected);
        if (st == HB_OK && *at == '=') {
            at++;
            bare = *at != '"';
            value = take_word(&at, ",");
            st = value != NULL ? hb_reading_called(reading, first, &column)
                               : refuse(option->name, text, option->expected);
        }
        st = st == HB_OK && bare && option == &missing_option ? check_missing_word(value != NULL ? value : first) : st;
        st = st == HB_OK ? require_one_sense(option, number, first, column != NULL) : st;
        number = value != NULL && (is_digits(value) || (value[0] == '-' && is_digits(value + 1)));
        bool *given = column != NULL ? (bool *)((char *)column + option->given) : &others;
        if (st == HB_OK && *given) {
            st = HB_FAIL(HB_EUSAGE, "--%s: two are given for %s%.64s%s", option->name,
                         column != NULL ? "column '" : "all columns", column != NULL ? column->name : "",
                         column != NULL ? "'" : "");
        } else if (st == HB_OK) {
            *given = true;
            st = option->say(reading, column, column != NULL ? value : first);
        }
        free(first);
        free(value);
        HB_TRY(st);
        if (*at == '\0') {
            return HB_OK;
        }
    }
}

static hb_status take_delimiter(hb_reading *reading, const char *text)
{
    static const struct {
        const char *word;
        char sign;
    } words[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}, {",", ','},
                 {";", ';'},     {"\t", '\t'},       {"\\t", '\t'}, {"|", '|'}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i].word) == 0) {
            reading->delimiter = words[i].sign;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "--delimiter %.20s: it is comma, semicolon, tab or pipe", text);
}

static hb_status take_header(hb_reading *reading, const char *text)
{
    const bool names = strcmp(text, "names") == 0;
    reading->header = names ? HB_FIRST_LINE_SAID : HB_FIRST_LINE_ROW;
    return names || strcmp(text, "none") == 0 ? HB_OK : HB_FAIL(HB_EUSAGE, "--header %.20s: it is names or none", text);
}

/* Takes TEXT,.. of all columns, or COLUMN=TEXT,.. of one. */
static hb_status take_missing_texts(hb_reading *reading, const char *text)
{
    static const char expected[] = "TEXT,TEXT,... or COLUMN=TEXT,TEXT,...";
    hb_column_reading *column = NULL;
    const char *at = text;
    char *word = take_word(&at, ",=");
    if (word != NULL && hb_na_texts(text) != text) {
        const hb_status st = hb_reading_called(reading, word, &column);
        free(word);
        HB_TRY(st);
        at++;
        word = take_word(&at, ",=");
    }
    for (;; word = take_word(&at, ",=")) {
        const hb_status st = word == NULL || *at == '=' ? refuse("na", text, expected)
                             : column == NULL
                                 ? hb_na_add(&reading->dialect.missing, &reading->dialect.missing_bytes, word)
                                 : hb_na_add(&column->na, &column->na_bytes, word);
        free(word);
        HB_TRY(st);
        if (*at == '\0') {
            return HB_OK;
        }
        at++;
    }
}

/* Refuses a text in place of missing cells that is one; name: "" for all columns. */
static hb_status check_replacement(const hb_reading *reading, const char *name, const char *text)
{
    return text != NULL && hb_reading_says_na(reading, name, text)
               ? HB_FAIL(HB_EUSAGE, "--missing %s%s%s: --na says that this text means a missing cell", name,
                         name[0] != '\0' ? "=" : "", text)
               : HB_OK;
}

/* Refuses texts of --na COLUMN=.. that --category says are labels of that column, and texts of --na that are the value
 * in place of missing cells. */
static hb_status check_texts(const hb_reading *reading)
{
    HB_TRY(check_replacement(reading, "", reading->replacement));
    for (size_t i = 0; i < reading->count; i++) {
        const hb_column_reading *column = &reading->column[i];
        const hb_labels *labels = column->meaning.labels;
        const hb_dialect own = {.missing = column->na, .missing_bytes = column->na_bytes};
        HB_TRY(check_replacement(reading, column->name, column->replacement));
        for (uint64_t l = 0; labels != NULL && l < labels->count; l++) {
            if (column->na != NULL && hb_dialect_is_said(&own, labels->text[l], strlen(labels->text[l]))) {
                return HB_FAIL(HB_EUSAGE,
                               "--category: label '%.64s' of column '%.64s', which --na %.64s=%.64s calls missing",
                               labels->text[l], column->name, column->name, labels->text[l]);
            }
        }
    }
    return HB_OK;
}

hb_status hb_reading_parse(const hb_reading_words *words, hb_reading *out)
{
    *out = (hb_reading){.said = *words};
    if (words->columns != NULL) {
        out->selects = true;
        HB_TRY(take_list(out, "columns", words->columns, "COLUMN,COLUMN,...", select_column));
    }
    if (words->scale != NULL) {
        HB_TRY(take_list(out, "scale", words->scale, "COLUMN=SCALE,..., powers of ten up to 10^18", set_scale));
    }
    for (uint32_t i = 0; i < words->category_count; i++) {
        HB_TRY(take_category(out, words->categories[i]));
    }
    if (words->date != NULL) {
        HB_TRY(take_list(out, "date", words->date, "COLUMN,COLUMN,...", set_date));
    }
    out->folds = words->fold != NULL && strcmp(words->fold, "all") == 0;
    if (words->fold != NULL && !out->folds) {
        HB_TRY(take_list(out, "fold", words->fold, "all, or COLUMN,COLUMN,...", set_folds));
    }
    if (words->percent != NULL) {
        HB_TRY(take_list(out, "percent", words->percent, "COLUMN,COLUMN,...", set_percent));
    }
    for (uint32_t i = 0; i < words->digit_count; i++) {
        HB_TRY(take_digits(out, words->digits[i]));
    }
    HB_TRY(hb_derivations_parse(words->derive, words->derive_count, &out->derived));
    if (words->missing != NULL) {
        HB_TRY(take_words(out, &missing_option, words->missing));
    }
    for (uint32_t i = 0; i < words->na_count; i++) {
        HB_TRY(take_missing_texts(out, words->na[i]));
    }
    HB_TRY(hb_dialect_parse(&out->dialect, NULL, words->date_format, words->charset));
    if (words->decimal != NULL && strcmp(words->decimal, ",") == 0) {
        out->dialect.decimal = ',';
    } else if (words->decimal != NULL) {
        HB_TRY(take_words(out, &decimal_option, words->decimal));
    }
    out->dialect.rounds = words->round;
    if (words->time_of_day != NULL) {
        HB_TRY(take_words(out, &times_option, words->time_of_day));
    }
    out->follows_files = words->follow_files;
    if (words->header != NULL) {
        HB_TRY(take_header(out, words->header));
    }
    if (words->delimiter != NULL) {
        HB_TRY(take_delimiter(out, words->delimiter));
    }
    return check_texts(out);
}
