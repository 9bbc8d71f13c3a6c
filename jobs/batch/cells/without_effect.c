#include "without_effect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

hb_status hb_read_columns_add_table(hb_read_columns *read, const hb_table *table)
{
    const hb_table_findings of = hb_table_findings_of(table);
    read->elsewhere = read->elsewhere || of.elsewhere;
    for (uint64_t c = 0; c < hb_table_noted(table); c++) {
        const hb_column_notes none = {.trimmed = 0}, *notes = of.notes != NULL ? &of.notes[c] : &none;
        const hb_column *column = &of.schema->column[c];
        const hb_labels *labels = column->meaning.labels;
        hb_read_column use = {.name = of.schema->named ? column->name : NULL,
                              .place = c,
                              .spellings = notes->spellings,
                              .na = notes->na,
                              .labels = labels != NULL};
        if (of.column != NULL) {
            use.missing = of.column[c].left_out + of.column[c].replaced + of.column[c].masked;
        }
        for (uint64_t i = 0; labels != NULL && notes->label != NULL && i < labels->count; i++) {
            use.folded += notes->label[i].folded;
        }
        for (const char *at = use.name; at != NULL && *at != '\0'; at++) {
            use.spellings |= (unsigned char)*at >= 0x80 ? hb_spelt(HB_SPELT_FOREIGN) : 0;
        }
        HB_TRY(hb_read_columns_add(read, &use));
    }
    return HB_OK;
}

/* The columns that an option is about: one, by its name, or all that have none of their own. */
typedef struct looking {
    const hb_read_columns *read;
    const hb_group *group;
    const hb_common *common;
    const hb_reading *said;       /* the options as given */
    const hb_column_reading *one; /* NULL: all others */
} looking;

/* Whether a column has this option of its own, in the place of the one for all. NULL: the option for all
 * columns is about each of them. */
typedef bool has_own(const hb_column_reading *how);

static bool has_decimal(const hb_column_reading *how)
{
    return how->has_decimal;
}

static bool has_times(const hb_column_reading *how)
{
    return how->has_times;
}

static bool has_missing(const hb_column_reading *how)
{
    return how->has_missing;
}

static bool is_about(const looking *l, has_own *own, const hb_read_column *column)
{
    char room[HB_READING_NAME];
    snprintf(room, sizeof room, "column%" PRIu64, column->place + 1);
    const hb_column_reading *how = hb_reading_of(l->said, column->name != NULL ? column->name : room);
    return l->one != NULL ? how == l->one : how == NULL || own == NULL || !own(how);
}

/* Joins what was read of all columns that an option is about; name is not set. */
static hb_read_column join(const looking *l, has_own *own)
{
    hb_read_column all = {.name = NULL};
    for (size_t c = 0; c < l->read->count; c++) {
        const hb_read_column *column = &l->read->column[c];
        if (is_about(l, own, column)) {
            all.spellings |= column->spellings;
            all.na |= column->na;
            all.missing += column->missing;
            all.folded += column->folded;
            all.labels = all.labels || column->labels;
        }
    }
    return all;
}

static bool spells(const hb_read_column *use, int spelling)
{
    return (use->spellings >> spelling & 1) != 0;
}

static void say(const looking *l, const char *option, const char *word, const char *why)
{
    const bool one = l->one != NULL, worded = word[0] != '\0';
    hb_console_log(l->group, l->common, "note: --%s%s%.64s%s%.60s has no effect: %s", option, one || worded ? " " : "",
                   one ? l->one->name : "", one && worded ? "=" : "", word, why);
}

static void look_at_decimal(const looking *l, char sign)
{
    const hb_read_column all = join(l, has_decimal);
    if (!spells(&all, HB_SPELT_SIGNS)) {
        say(l, "decimal", sign == ',' ? "comma" : "point", "no number has a comma or a point");
    }
}

static void look_at_times(const looking *l, hb_times times)
{
    const hb_read_column all = join(l, has_times);
    const bool drops = times == HB_TIMES_DROPPED;
    if (times != HB_TIMES_REFUSED && !spells(&all, drops ? HB_SPELT_NO_TIME : HB_SPELT_CLOCK)) {
        say(l, "time-of-day", drops ? "drop" : hb_time_unit_name(hb_times_unit(times)),
            "no date has a time of day behind it");
    }
}

static void look_at_missing(const looking *l, hb_missing missing, const char *replacement)
{
    const hb_read_column all = join(l, has_missing);
    const bool masks = missing == HB_MISSING_MASK;
    if (missing != HB_MISSING_REFUSE && !(masks && l->one != NULL) && all.missing == 0) {
        say(l, "missing", masks ? "mask" : missing == HB_MISSING_DROP ? "drop" : replacement, "no cell is missing");
    }
}

/* Names each text for missing cells that no cell has; the first one has the bit `first`. */
static void look_at_na(const looking *l, const char *texts, size_t bytes, uint64_t first)
{
    const hb_read_column all = join(l, NULL);
    for (size_t at = 0; at < bytes; at += strlen(texts + at) + 1, first++) {
        if ((all.na & hb_na_bit(first)) == 0) {
            say(l, "na", texts + at, "no cell has this text");
        }
    }
}

static void look_at_fold(const looking *l)
{
    const hb_read_column all = join(l, NULL);
    if (all.folded == 0) {
        say(l, "fold", l->one == NULL ? "all" : "",
            all.labels ? "no two spellings of a label differ by capitals and blanks" : "no labels are read");
    }
}

static void look_at_all(const looking *l)
{
    const hb_dialect *dialect = &l->said->dialect;
    const hb_read_column all = join(l, NULL);
    if (dialect->decimal != 0) {
        look_at_decimal(l, dialect->decimal);
    }
    if (dialect->date[0] != '\0' && !spells(&all, HB_SPELT_FORM)) {
        say(l, "date-format", dialect->date, "no cell is a date");
    }
    look_at_times(l, dialect->times);
    look_at_missing(l, l->said->missing, l->said->replacement);
    look_at_na(l, dialect->missing, dialect->missing_bytes, 0);
    if (l->said->folds) {
        look_at_fold(l);
    }
    if (dialect->rounds && !spells(&all, HB_SPELT_ROUNDED)) {
        say(l, "round", "", "no decimal has more digits than its --scale keeps");
    }
    const bool latin = dialect->charset == HB_CHARSET_LATIN1 || dialect->charset == HB_CHARSET_WINDOWS_1252;
    if (latin && !spells(&all, HB_SPELT_FOREIGN)) {
        say(l, "charset", l->said->said.charset, "all names and cells of the columns read are ASCII");
    }
    if (l->said->follows_files && !l->read->elsewhere) {
        say(l, "follow-files", "", "no table has data in other files");
    }
}

/* Whether some table has a column that options are about, or --derive makes it. */
static bool is_read(const looking *l)
{
    bool found = false;
    for (size_t c = 0; c < l->read->count && !found; c++) {
        found = is_about(l, NULL, &l->read->column[c]);
    }
    return found;
}

static void look_at_one(const looking *l)
{
    const hb_column_reading *how = l->one;
    uint64_t first = 0;
    if (!is_read(l)) {
        return; /* it is not read, which is refused or said elsewhere, or --derive makes it */
    }
    for (size_t at = 0; at < l->said->dialect.missing_bytes; at += strlen(l->said->dialect.missing + at) + 1) {
        first++;
    }
    if (how->has_decimal) {
        look_at_decimal(l, how->decimal);
    }
    if (how->has_times) {
        look_at_times(l, how->times);
    }
    if (how->has_missing) {
        look_at_missing(l, how->missing, how->replacement);
    }
    look_at_na(l, how->na, how->na_bytes, first);
    if (how->folds) {
        look_at_fold(l);
    }
}

hb_status hb_without_effect_say(const hb_read_columns *read, const hb_group *group, const hb_common *common,
                                const hb_reading_words *words)
{
    hb_reading said = {0};
    if (group->rank != 0) {
        return HB_OK;
    }
    const hb_status st = hb_reading_parse(words, &said); /* a reading of a dataset's columns says more than was given */
    looking l = {read, group, common, &said, NULL};
    if (st == HB_OK) {
        look_at_all(&l);
        for (size_t i = 0; i < said.count; i++) {
            l.one = &said.column[i];
            look_at_one(&l);
        }
    }
    hb_reading_clear(&said);
    return st;
}

hb_status hb_without_effect_say_table(const hb_table *table, const hb_group *group, const hb_common *common,
                                      const hb_reading_words *words)
{
    hb_read_columns read = {.count = 0};
    hb_status st = hb_read_columns_add_table(&read, table);
    st = st == HB_OK ? hb_without_effect_say(&read, group, common, words) : st;
    hb_read_columns_clear(&read);
    return st;
}
