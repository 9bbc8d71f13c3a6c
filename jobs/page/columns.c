#include "columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table/meaning.h"

static const char *text_of(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text != NULL ? text : "";
}

static hb_time_unit unit_of(const char *word)
{
    hb_time_unit unit = HB_TIME_DAYS;
    while (unit != HB_TIME_NONE && strcmp(word, hb_time_unit_name(unit)) != 0) {
        unit--;
    }
    return unit;
}

/* Reads the meaning of numbers that have a text; false for other kinds, and for those that no program writes. */
static bool read_meaning(const json_t *said, hb_meaning *meaning)
{
    static const struct {
        const char *word;
        hb_meaning_kind kind;
    } kinds[] = {{"decimal", HB_MEANING_NUMBER},
                 {"duration", HB_MEANING_NUMBER},
                 {"boolean", HB_MEANING_BOOL},
                 {"date", HB_MEANING_DATE},
                 {"time", HB_MEANING_TIME}};
    const char *kind = text_of(said, "kind"), *scale = text_of(said, "scale");
    size_t k = 0;
    while (k < sizeof kinds / sizeof *kinds && strcmp(kind, kinds[k].word) != 0) {
        k++;
    }
    if (k == sizeof kinds / sizeof *kinds) {
        return false;
    }
    *meaning = (hb_meaning){.kind = kinds[k].kind,
                            .scale = strtoull(scale, NULL, 10),
                            .unit = unit_of(text_of(said, "unit")),
                            .zoned = json_is_true(json_object_get(said, "zone"))};
    return hb_meaning_is_possible(meaning);
}

/* Writes one end of the values; false where it is no integer of 64 bits, or stands for nothing. */
static bool put_end(const hb_meaning *meaning, const json_t *values, const char *member, char room[HB_MEANING_TEXT])
{
    const char *text = text_of(values, member);
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const char *shown = NULL;
    if (end != text && *end == '\0' && errno == 0) {
        shown = hb_meaning_text(meaning, true, (uint64_t)number, room);
    }
    if (shown != NULL && shown != room) {
        strcpy(room, shown); /* true or false */
    }
    return shown != NULL;
}

/* Returns the values of a column as its user writes them; NULL: as they stand. */
static json_t *values_of(const json_t *column)
{
    const json_t *said = json_object_get(column, "meaning"), *values = json_object_get(column, "values");
    json_t *labels = json_object_get(said, "labels");
    char least[HB_MEANING_TEXT], most[HB_MEANING_TEXT];
    hb_meaning meaning;
    if (json_is_array(labels)) {
        return json_incref(labels);
    }
    if (!read_meaning(said, &meaning) || !put_end(&meaning, values, "least", least) ||
        !put_end(&meaning, values, "most", most)) {
        return NULL;
    }
    const bool span = meaning.kind == HB_MEANING_NUMBER && meaning.unit != HB_TIME_NONE;
    return json_pack("{s:s, s:s++}", "least", least, "most", most, span ? " " : "",
                     span ? hb_time_unit_name(meaning.unit) : "");
}

json_t *hb_page_columns(const json_t *columns)
{
    json_t *shown = json_array(), *column;
    size_t i;
    json_array_foreach(columns, i, column)
    {
        json_t *copy = json_copy(column), *values = values_of(column);
        if (values != NULL && json_object_set_new(copy, "values", values) != 0) {
            json_decref(copy);
            copy = NULL;
        }
        if (json_array_append_new(shown, copy) != 0) {
            json_decref(shown);
            return NULL;
        }
    }
    return shown;
}
