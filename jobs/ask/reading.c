/* How the tables of a question are read: as options say, else by what the cells are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/table/table.h"
#include "job.h"
#include "suggest/commands.h"

/* What becomes of missing cells where nobody says it. */
static const char missing_word[] = "mask";
/* Texts with more different ones are names or notes more often than categories: who wants them PUBLIC says so. */
enum { MOST_LABELS = 256, MOST_DIGITS = 8 };

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for what is said of columns")

/* Appends to a list with commas between its elements; `given` begins it. Takes no memory where nothing is appended. */
static hb_status append(char **list, const char *given, const char *name, const char *value)
{
    char room[HB_COLUMN_WORD], *longer = NULL;
    const char *word = "", *old = *list != NULL ? *list : given != NULL ? given : "";
    if (name != NULL) {
        HB_TRY(hb_columns_word(name, room, &word));
    }
    if (asprintf(&longer, "%s%s%s%s%s", old, old[0] != '\0' ? "," : "", word, name != NULL ? "=" : "", value) < 0) {
        return NO_MEMORY;
    }
    free(*list);
    *list = longer;
    return HB_OK;
}

static hb_status add_category(hb_asked_reading *reading, const char *name)
{
    char room[HB_COLUMN_WORD];
    const char *word;
    HB_TRY(hb_columns_word(name, room, &word));
    hb_texts *texts = &reading->words.categories;
    if (texts->count == HB_TEXTS_MOST || reading->categories == HB_TEXTS_MOST) {
        return HB_FAIL(HB_EUSAGE, "the question reads more than %d columns of texts", HB_TEXTS_MOST);
    }
    char *copy = strdup(word);
    if (copy == NULL) {
        return NO_MEMORY;
    }
    reading->category[reading->categories++] = copy;
    texts->text[texts->count++] = copy;
    return HB_OK;
}

/* Whether missing cells of a column have a treatment. */
static bool is_treated(const hb_reading *said, const char *name)
{
    const hb_column_reading *how = said->count > 0 ? hb_reading_of(said, name) : NULL;
    return said->missing != HB_MISSING_REFUSE || (how != NULL && how->has_missing);
}

static hb_status find_column(hb_asked_reading *reading, const hb_asked_table *table, const hb_survey_column *column,
                             const hb_reading *said, bool reals)
{
    const char *name = column->name;
    char power[32];
    if (column->kind == HB_SURVEY_MIXED) {
        return HB_FAIL(HB_EDATA,
                       "%s: column %.64s has numbers, texts or dates beside one another, or in another form; --na TEXT "
                       "names a text that means a missing cell, --category %.64s reads all as texts, --date-format and "
                       "--decimal say how they are written",
                       table->path, name, name);
    }
    if (column->kind == HB_SURVEY_TEXTS) {
        HB_TRY(add_category(reading, name));
    }
    if (column->kind == HB_SURVEY_DECIMALS && !reals) {
        if (column->digits > MOST_DIGITS) {
            return HB_FAIL(HB_EDATA,
                           "%s: column %.64s has numbers of %d digits behind the point: say how many count, as "
                           "--scale %.64s=100 --round",
                           table->path, name, column->digits, name);
        }
        snprintf(power, sizeof power, "%" PRIu64, hb_scale_of_digits(column->digits));
        HB_TRY(append(&reading->scale, reading->said.scale, name, power));
    }
    if (column->percent) {
        char room[HB_COLUMN_WORD];
        const char *word;
        HB_TRY(hb_columns_word(name, room, &word));
        HB_TRY(append(&reading->percent, reading->said.percent, NULL, word));
    }
    if (column->words[0] != '\0' && (reading->na == NULL || strstr(reading->na, column->words) == NULL)) {
        HB_TRY(append(&reading->na, reading->said.na, NULL, column->words));
    }
    return column->missing > 0 && !is_treated(said, name)
               ? append(&reading->missing, reading->said.missing, name, missing_word)
               : HB_OK;
}

static bool is_read(const hb_asked_table *table, uint64_t column)
{
    return table->read && (table->whole || table->picked[column]);
}

/* What is known of a column of table `t` and of those of later tables by the same name, of which options say the same;
 * nothing where an earlier table has it. */
static const hb_survey_column *join_columns(const hb_question *q, uint32_t t, uint64_t c, hb_survey_column *room)
{
    *room = q->table[t].survey.column[c];
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_survey *survey = &q->table[i].survey;
        const hb_survey_column *other = i == t ? NULL : hb_survey_find(survey, room->name);
        if (other == NULL || !is_read(&q->table[i], (uint64_t)(other - survey->column))) {
            continue;
        }
        if (i < t) {
            return NULL;
        }
        room->missing += other->missing;
        room->digits = other->digits > room->digits ? other->digits : room->digits;
        const bool decimals = room->kind == HB_SURVEY_INTEGERS && other->kind == HB_SURVEY_DECIMALS;
        room->kind = decimals ? HB_SURVEY_DECIMALS : room->kind;
    }
    return room;
}

/* Looks at the table as it will be read: whether texts are categories. */
static hb_status check_labels(const hb_asked_reading *reading, const hb_asked_table *table, const hb_reading *said)
{
    hb_table_words words = reading->words;
    hb_reading own = {0};
    hb_table *opened = NULL;
    char *columns = NULL;
    hb_status st = HB_OK;
    words.digits.count = 0;
    for (uint64_t c = 0; c < table->survey.columns && st == HB_OK; c++) {
        const hb_survey_column *column = &table->survey.column[c];
        if (column->kind == HB_SURVEY_TEXTS && is_read(table, c)) {
            char room[HB_COLUMN_WORD];
            const char *word;
            st = hb_columns_word(column->name, room, &word);
            st = st == HB_OK ? append(&columns, NULL, NULL, word) : st;
        }
    }
    HB_GOTO(st);
    if (columns == NULL) {
        return HB_OK;
    }
    words.columns = columns;
    HB_GOTO(hb_table_words_parse(&words, &own));
    own.columns_optional = true;
    HB_GOTO(hb_table_open_as(table->path, HB_CELL_INTEGER, &own, &opened));
    const hb_schema *schema = hb_table_schema(opened);
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_labels *labels = schema->column[c].meaning.labels;
        const hb_column_reading *how = hb_reading_of(said, schema->column[c].name);
        if (labels != NULL && labels->count > MOST_LABELS && (how == NULL || !how->has_meaning)) {
            HB_GOTO(HB_FAIL(HB_EDATA,
                            "%s: column %.64s has %" PRIu64 " different texts, which would become PUBLIC: if they may, "
                            "say --category %.64s",
                            table->path, schema->column[c].name, labels->count, schema->column[c].name));
        }
    }
done:
    free(columns);
    hb_table_close(opened);
    hb_reading_clear(&own);
    return st;
}

/* Finds how to read the columns that the question reads. */
hb_status hb_asked_find_reading(hb_asked_reading *reading, const hb_question *q, bool reals)
{
    hb_reading said = {0};
    hb_status st;
    reading->words = reading->said;
    HB_GOTO(hb_table_words_parse(&reading->said, &said));
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_asked_table *table = &q->table[i];
        for (uint64_t c = 0; c < table->survey.columns; c++) {
            hb_survey_column room;
            const hb_survey_column *column = is_read(table, c) ? join_columns(q, i, c, &room) : NULL;
            HB_GOTO(column != NULL ? find_column(reading, table, column, &said, reals) : HB_OK);
        }
    }
    reading->words.scale = reading->scale != NULL ? reading->scale : reading->said.scale;
    reading->words.missing = reading->missing != NULL ? reading->missing : reading->said.missing;
    reading->words.percent = reading->percent != NULL ? reading->percent : reading->said.percent;
    reading->words.na = reading->na != NULL ? reading->na : reading->said.na;
    for (uint32_t i = 0; i < q->tables; i++) {
        const hb_survey *survey = &q->table[i].survey;
        reading->words.decimal = survey->decimal == 0     ? reading->words.decimal
                                 : survey->decimal == ',' ? "comma"
                                                          : "point";
        reading->words.date_format = survey->date[0] != '\0' ? survey->date : reading->words.date_format;
        HB_GOTO(check_labels(reading, &q->table[i], &said));
    }
done:
    hb_reading_clear(&said);
    return st;
}
