/* Meanings of the sums of groups: the names of columns, the values of keys, the labels of bins. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"

int64_t hb_grouper_key_value(const hb_grouper *x, uint32_t place, uint32_t k)
{
    const hb_group_place *of = &x->places[place];
    if (x->plain_key[k]) {
        return x->plain.values[(size_t)of->plain * x->plain.keys + x->key_place[k]];
    }
    uint32_t before = 0, i = 0;
    for (uint32_t e = 0; e < x->key_place[k]; e++) {
        before += x->groups.keys[e].count;
    }
    const hb_group_key *key = &x->groups.keys[x->key_place[k]];
    while (i + 1 < key->count && !x->groups.chosen[of->encrypted][before + i]) {
        i++;
    }
    return key->values[i];
}

static void key_text(const hb_grouper *x, uint32_t place, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t k = 0; k < x->keys.columns; k++) {
        const int wrote = snprintf(text + used, size - used, "%s%lld", k > 0 ? "," : "",
                                   (long long)hb_grouper_key_value(x, place, k));
        used += wrote > 0 && (size_t)wrote < size - used ? (size_t)wrote : 0;
    }
}

/* Names of the sums, that later expressions may pick them by. */
static hb_status name_columns(const hb_grouper *x, hb_schema *made)
{
    for (uint32_t place = 0; place < x->place_count; place++) {
        char key[48] = "";
        key_text(x, place, key, sizeof key);
        for (uint32_t p = 0; p < x->part_count; p++) {
            hb_column *column = &made->column[place * x->sum_count + x->parts[p].place];
            if (x->parts[p].known) {
                continue;
            }
            column->meaning = x->parts[p].meaning;
            HB_TRY(hb_name_print(&column->name, "%.200s[%s]", x->parts[p].name, key));
        }
    }
    return HB_OK;
}

static hb_status name_key(const hb_grouper *x, uint32_t k, hb_column *key)
{
    const hb_column *from = x->keys.names != NULL ? &x->keys.names[k] : NULL;
    const bool named = from != NULL && from->name != NULL && from->name[0] != '\0';
    char number[24];
    snprintf(number, sizeof number, x->keys.columns > 1 ? "key%u" : "key", k + 1);
    key->name = strdup(named ? from->name : number);
    key->meaning = hb_meaning_kept(hb_value_meaning(&x->keys, k));
    return key->name != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a name");
}

/* An end of a bin as people have it. */
static const char *text_of(const hb_column *key, int64_t value, char room[HB_MEANING_TEXT])
{
    const char *text = hb_meaning_text(&key->meaning, true, (uint64_t)value, room);
    if (text == NULL) {
        snprintf(room, HB_MEANING_TEXT, "%lld", (long long)value);
    }
    return text != NULL ? text : room;
}

/* Bins that are ranges get labels with the text of the range, for values of every meaning. */
static hb_status label_bins(const hb_grouper *x, hb_grouping *grouping)
{
    const uint32_t count = x->groups.count;
    hb_column *column = &grouping->keys.column[0];
    enum { ROOM = HB_LABEL_MAX + 1 };
    char(*text)[ROOM] = calloc((size_t)count + 1, sizeof *text);
    const char **list = calloc((size_t)count + 1, sizeof *list);
    hb_status st = text && list ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the bins of a histogram");
    for (uint32_t group = 0; st == HB_OK && group < count; group++) {
        char low[HB_MEANING_TEXT], high[HB_MEANING_TEXT];
        const hb_member bin = hb_value_member(&x->members.list[group]);
        const char *least = text_of(column, bin.low.integer, low), *most = text_of(column, bin.high.integer, high);
        const bool one = bin.low.integer == bin.high.integer;
        snprintf(text[group], sizeof text[group], "%s%s%s", least, one ? "" : "..", one ? "" : most);
        list[group] = text[group];
        grouping->values[group] = group;
    }
    if (st == HB_OK) {
        hb_meaning_clear(&column->meaning);
        column->meaning.kind = HB_MEANING_CATEGORY;
        st = hb_labels_make(list, count, &column->meaning.labels);
        column->is_signed = false;
    }
    free(text);
    free(list);
    return st == HB_EDATA ? HB_FAIL_AT(HB_EUSAGE, x->l->graph.syntax->text, x->item->at, "two bins are the same") : st;
}

/* Numbers the parts of shown columns: columns of a group, and counts behind them. */
static void number_parts(const hb_grouper *x, hb_grouped_column *shown)
{
    for (uint32_t i = 0; i < shown->epilogue->parts; i++) {
        const hb_group_sum *part = &x->parts[shown->part[i]];
        shown->part[i] = part->known ? (uint64_t)x->sum_count + part->place : part->place;
    }
}

/* A key may be called count, too: the count then has its text in the expression for a name. */
static hb_status tell_from_keys(const hb_grouper *x, const hb_grouping *grouping, hb_grouped_column *shown)
{
    for (uint64_t k = 0; k < grouping->keys.columns; k++) {
        if (strcmp(shown->name, grouping->keys.column[k].name) == 0 && strcmp(shown->name, "count") == 0) {
            free(shown->name);
            HB_TRY(hb_name_print(&shown->name, "count()"));
        }
    }
    for (uint64_t c = 0; x->l->graph.params != NULL && c < grouping->keys.columns + grouping->columns; c++) {
        const uint64_t keys = grouping->keys.columns;
        const char *other = c < keys ? grouping->keys.column[c].name : grouping->column[c - keys].name;
        if (other != shown->name && other != NULL && strcmp(other, shown->name) == 0) {
            return HB_FAIL_AT(HB_EUSAGE, x->l->graph.syntax->text, x->item->at,
                              "two columns of the result are called '%.60s'", other);
        }
    }
    return HB_OK;
}

hb_status hb_grouper_describe(hb_grouper *x, hb_schema *made)
{
    hb_grouping *grouping = made->grouping;
    const uint32_t keys = x->keys.columns;
    grouping->parts = x->sum_count;
    grouping->rows = x->rows;
    for (uint32_t k = 0; k < keys; k++) {
        HB_TRY(name_key(x, k, &grouping->keys.column[k]));
        for (uint32_t place = 0; place < x->place_count; place++) {
            const int64_t value = hb_grouper_key_value(x, place, k);
            grouping->keys.column[k].is_signed |= value < 0;
            grouping->values[place * keys + k] = (uint64_t)value;
        }
    }
    for (uint32_t c = 0; c < x->shown_count; c++) {
        number_parts(x, &x->shown[c]);
        grouping->column[c] = x->shown[c];
        x->shown[c].name = NULL; /* it moved */
        HB_TRY(tell_from_keys(x, grouping, &grouping->column[c]));
    }
    if (x->known_count > 0) {
        HB_TRY(hb_grouping_alloc_counts(grouping, x->known_count));
    }
    if (x->bins && x->members.count > 0 && x->l->graph.params != NULL) {
        HB_TRY(label_bins(x, grouping));
    }
    return name_columns(x, made);
}
