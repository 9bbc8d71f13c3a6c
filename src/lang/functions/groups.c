/* Totals of groups of rows: groupby(key, sum(x), count(), ...) and histogram(x, 0..9, ...). The result has one row, and
 * in it the same sums for each group, one group after another; its grouping has their meanings. */
#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lang/program/interval_words.h"
#include "lang/types/lang_function.h"

static void clear(hb_grouper *x)
{
    for (uint32_t i = 0; i < x->part_count; i++) {
        free(x->parts[i].name);
    }
    for (uint32_t i = 0; i < x->shown_count; i++) {
        free(x->shown[i].name);
    }
    free(x->parts);
    free(x->shown);
    free(x->plain_key);
    free(x->key_place);
    free(x->places);
    hb_groups_clear(&x->groups);
    hb_plain_groups_clear(&x->plain);
}

/* --- groups of keys */

static hb_status add_group(hb_grouper *x)
{
    hb_groups *groups = &x->groups;
    if (groups->count == HB_MOST_GROUPED_VALUES) {
        return hb_grouper_fail(x, "more than 1024 groups");
    }
    if (groups->chosen == NULL) {
        groups->chosen = calloc((size_t)HB_MOST_GROUPED_VALUES + 1, sizeof *groups->chosen);
    }
    bool *chosen = groups->chosen != NULL ? calloc((size_t)hb_groups_values(groups) + 1, sizeof *chosen) : NULL;
    if (chosen == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for groups");
    }
    groups->chosen[groups->count++] = chosen;
    return HB_OK;
}

/* The groups that members say: a number is a group, and so is each number of a range, or, of bins, the whole range. */
static hb_status groups_of_members(hb_grouper *x, bool bins)
{
    const hb_group_key *key = &x->groups.keys[0];
    const hb_graph *g = &x->l->graph;
    const int64_t first = key->values[0], last = key->values[key->count - 1];
    for (uint32_t i = 0; i < x->members.count; i++) {
        const hb_member member = hb_value_member(&x->members.list[i]);
        const int64_t low = g->params == NULL ? 0 : member.low.integer,
                      high = g->params == NULL ? 0 : member.high.integer;
        if (high < first || low > last || (!bins && (low < first || high > last))) {
            char values[HB_INTERVAL_TEXT];
            hb_interval_words(values, hb_interval_of(first, last), hb_value_meaning(&x->keys, 0));
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, x->item->at,
                              "no value is in group %u, or in part of it: they are %s; leave that out", i + 1, values);
        }
        for (int64_t value = low < first ? first : low; value <= high && value <= last; value++) {
            if (!bins || value == low || value == first) {
                HB_TRY(add_group(x));
            }
            x->groups.chosen[x->groups.count - 1][value - first] = true;
        }
    }
    return HB_OK;
}

/* One group for each value of the key, or of all keys together, the last one changing first. */
static hb_status groups_of_values(hb_grouper *x)
{
    hb_groups *groups = &x->groups;
    uint64_t count = 1;
    for (uint32_t k = 0; k < groups->key_count && count <= HB_MOST_GROUPED_VALUES; k++) {
        count *= groups->keys[k].count;
    }
    if (count > HB_MOST_GROUPED_VALUES) {
        return hb_grouper_fail(
            x, "the keys together have more than 1024 values; declare smaller ranges, --range, or group by "
               "fewer columns");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t rest = i, end = hb_groups_values(groups);
        HB_TRY(add_group(x));
        for (uint32_t k = groups->key_count; k-- > 0;) {
            const uint32_t own = groups->keys[k].count;
            end -= own;
            groups->chosen[i][end + rest % own] = true;
            rest /= own;
        }
    }
    return HB_OK;
}

/* The groups of a plain key that members define, in their order, without groups that have no row. */
static hb_status places_of_members(hb_grouper *x)
{
    for (uint32_t i = 0; i < x->members.count; i++) {
        const hb_member member = hb_value_member(&x->members.list[i]);
        const bool reals = x->l->graph.semantics->reals;
        for (uint32_t p = 0; p < x->plain.count; p++) {
            const int64_t value = x->plain.values[p];
            const bool within = reals ? (double)value >= member.low.real && (double)value <= member.high.real
                                      : value >= member.low.integer && value <= member.high.integer;
            bool taken = false;
            for (uint32_t before = 0; before < x->place_count; before++) {
                taken = taken || x->places[before].plain == p;
            }
            if (within && !taken) {
                x->places[x->place_count++].plain = p;
            }
        }
    }
    return x->place_count > 0 ? HB_OK : hb_grouper_fail(x, "no row of the plain table is in any of these groups");
}

static bool is_before(const hb_grouper *x, uint32_t a, uint32_t b)
{
    uint32_t k = 0;
    while (k + 1 < x->keys.columns && hb_grouper_key_value(x, a, k) == hb_grouper_key_value(x, b, k)) {
        k++;
    }
    return hb_grouper_key_value(x, a, k) < hb_grouper_key_value(x, b, k);
}

/* Groups by keys of both kinds, the last key changing first, whichever kind it is. */
static void order_places(hb_grouper *x)
{
    for (uint32_t i = 1; i < x->place_count; i++) {
        for (uint32_t j = i; j > 0 && is_before(x, j, j - 1); j--) {
            const hb_group_place place = x->places[j];
            x->places[j] = x->places[j - 1];
            x->places[j - 1] = place;
        }
    }
}

static hb_status set_places(hb_grouper *x)
{
    const uint64_t count = (uint64_t)x->plain.count * x->groups.count;
    if (count > HB_MOST_GROUPED_VALUES) {
        return hb_grouper_fail(x, "more than 1024 groups");
    }
    x->places = calloc((size_t)count + 1, sizeof *x->places);
    if (x->places == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for groups");
    }
    if (x->plain.keys > 0 && x->members.count > 0) {
        return places_of_members(x);
    }
    for (uint32_t i = 0; i < count; i++) {
        x->places[x->place_count++] = (hb_group_place){i / x->groups.count, i % x->groups.count};
    }
    if (x->plain.keys > 0 && x->groups.key_count > 0) {
        order_places(x);
    }
    return HB_OK;
}

/* --- arguments */

/* Rows in which a key is missing are in no group. */
static hb_status leave_out_gaps(hb_grouper *x, const hb_type *key)
{
    for (uint32_t c = 0; c < key->columns && hb_type_has_gaps(key); c++) {
        const hb_column_gaps gaps = hb_type_gaps(key, c);
        uint32_t node = HB_NO_NODE;
        if (gaps.count == 0) {
            continue;
        }
        HB_TRY(hb_lower_present(x->l, &gaps, &node));
        if (x->filter != HB_NO_NODE) {
            HB_TRY(hb_graph_multiply(&x->l->graph, x->filter, node, &node));
        }
        x->filter = node;
    }
    return HB_OK;
}

static hb_status take_key(hb_grouper *x, const hb_value *argument)
{
    hb_lowering *l = x->l;
    x->keys = *argument;
    x->filter = x->plain_filter = HB_NO_NODE;
    const hb_value *condition = hb_lower_condition_of(l, argument);
    bool all = true;
    x->none = condition != NULL && hb_lower_selects_none(l, condition);
    if (condition != NULL && !x->none) {
        HB_TRY(hb_lower_selects_all(l, condition, &all));
    }
    if (!all) {
        *(hb_value_plain(condition) ? &x->plain_filter : &x->filter) = l->pool[condition->first];
    }
    HB_TRY(leave_out_gaps(x, argument->type));
    return hb_lower_load(l, &x->keys);
}

/* Whether an argument, its operand or its condition has rows. */
static bool has_rows(const hb_lowering *l, const hb_value *argument)
{
    if (hb_value_is_item(argument, HB_ITEM_CALL)) {
        return argument->type->item->arguments > 0 && has_rows(l, hb_lower_operand_of(l, argument->type->item, 0));
    }
    const hb_value *condition = hb_lower_condition_of(l, argument);
    return argument->kind == HB_TYPE_ROWS || hb_value_plain(argument) || (condition != NULL && has_rows(l, condition));
}

/* Keys of one row stand in every row where anything has rows. */
static hb_status set_rows(hb_grouper *x, const hb_value *arguments, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        any = any || has_rows(x->l, &arguments[i]);
    }
    x->rows = any ? x->l->graph.rows : 1;
    if (!any) {
        return HB_OK;
    }
    HB_TRY(hb_lower_in_rows(x->l, &x->keys));
    return x->filter != HB_NO_NODE ? hb_graph_in_rows(&x->l->graph, x->filter, &x->filter) : HB_OK;
}

/* Splits the arguments behind the key: numbers, texts and ranges, and then aggregates. */
static void split_arguments(hb_grouper *x, const hb_value *arguments, uint32_t count)
{
    uint32_t members = 0;
    while (members < count && !hb_value_is_item(&arguments[members], HB_ITEM_CALL)) {
        members++;
    }
    x->members = (hb_arguments){arguments, members};
    x->aggregates = (hb_arguments){arguments + members, count - members};
}

static hb_status group(hb_grouper *x, const hb_value *arguments)
{
    const bool bins = x->bins;
    HB_TRY(take_key(x, &arguments[0]));
    HB_TRY(set_rows(x, arguments, x->item->arguments));
    split_arguments(x, arguments + 1, x->item->arguments - 1);
    HB_TRY(hb_grouper_set_keys(x));
    HB_TRY(x->members.count > 0 && x->plain.keys == 0 ? groups_of_members(x, bins) : groups_of_values(x));
    HB_TRY(set_places(x));
    for (uint32_t i = 0; i < x->aggregates.count; i++) {
        HB_TRY(hb_grouper_add(x, &x->aggregates.list[i]));
    }
    return HB_OK;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, bool bins, hb_value *out)
{
    hb_grouper x = {.l = l, .item = item, .bins = bins};
    hb_status st = group(&x, arguments);
    st = st == HB_OK ? hb_grouper_finish(&x, out) : st;
    clear(&x);
    return st;
}

/* --- types */

/* A row is in one group: members have no value twice. */
static hb_status check_apart(hb_types *t, const hb_type *members, uint32_t count, bool bins)
{
    const hb_type *last = &members[count - 1];
    const bool reals = t->context.semantics->reals;
    for (uint32_t i = 0; i + 1 < count && !t->context.keys_only; i++) {
        const hb_member *a = &members[i].member, *b = &last->member;
        const bool apart = reals ? a->high.real < b->low.real || b->high.real < a->low.real
                                 : a->high.integer < b->low.integer || b->high.integer < a->low.integer;
        if (!apart) {
            return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, last->item->at,
                              "%s %u and %u have a value in common, and a row is in one %s alone: ranges include both "
                              "ends, as in 0..9, 10..19",
                              bins ? "bins" : "groups", i + 1, count, bins ? "bin" : "group");
        }
    }
    return HB_OK;
}

/* Takes the key, then members, then `bins`, or else aggregates, of each group. */
static hb_status take(hb_types *t, const hb_item *item, hb_type *operands, bool bins)
{
    const bool selected = operands[0].item->kind == HB_ITEM_WHERE;
    const hb_type *key = selected ? hb_types_operand(t, operands[0].item, 0) : &operands[0];
    uint32_t i = 1;
    if (!hb_type_encrypted(key) && !hb_type_plain(key)) {
        return hb_types_refuse(t, "the key of groups is a column");
    }
    if (hb_type_plain(key) && bins) {
        return hb_types_refuse(t, "a plain table is no secret: count its values without encryption");
    }
    for (; i < item->arguments && hb_type_constant(&operands[i]) && operands[i].kind != HB_TYPE_ENTRY; i++) {
        if (key->columns > 1) {
            return hb_types_refuse(t, "only one key can have a list of values that make groups");
        }
        HB_TRY(hb_types_member(t, &operands[i], key));
        HB_TRY(check_apart(t, operands + 1, i, bins));
    }
    if (i == item->arguments && !bins) {
        return hb_types_refuse(t, "groupby needs aggregates, as in groupby(p.status, count(), sum(p.age))");
    }
    for (; i < item->arguments; i++) {
        if (bins) {
            return hb_types_refuse(t, "bins of a histogram are ranges, as 0..9, or numbers");
        }
        if (operands[i].kind != HB_TYPE_GROUPED && i == 1 && operands[i].item->kind == HB_ITEM_PICK) {
            return hb_types_refuse(t, "behind the key stand aggregates by themselves, as in groupby(p.ward, count()); "
                                      "several keys stand in parentheses, as in groupby((p.ward, p.sex), count())");
        }
        if (operands[i].kind != HB_TYPE_GROUPED) {
            return hb_types_refuse(t, "behind the key write the values that make groups, as 1..12, unless all do, and "
                                      "then aggregates by themselves: sum(x), count(), mean(x), var(x)");
        }
    }
    return HB_OK;
}

static hb_status take_groups(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    return take(t, item, operands, false);
}

static hb_status take_bins(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    const bool lone = item->arguments == 2 && operands[1].kind == HB_TYPE_NUMBER;
    return lone ? hb_types_refuse(t, "one number is one bin, of rows with just this value: count(x == 10) counts them; "
                                     "for bins of a width, encrypt --derive 'bins=bin(x, 10)' and ask histogram(bins)")
                : take(t, item, operands, true);
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    (void)t;
    (void)item;
    (void)operands;
    *out = (hb_type){.kind = HB_TYPE_WORKED_OUT, .worked_out = "tables of groups"};
    return HB_OK;
}

static hb_status groupby(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return lower(l, item, arguments, false, out);
}

static hb_status histogram(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return lower(l, item, arguments, true, out);
}

const hb_lang_function hb_lang_function_groupby = {
    .call = {.name = "groupby",
             .form = "groupby(key, sum(x), count(), ...)",
             .says = "the aggregates of each group, as a table with one row a group; the rows of a group have the "
                     "same value of the key, which is encrypted or plain",
             .least = 2,
             .most = UINT32_MAX,
             .members = true,
             .groups = true},
    .meaning = {take_groups, HB_RESULT_OWN},
    .gaps = HB_GAPS_SKIPPED,
    .shape = shape,
    .lower = groupby,
};
const hb_lang_function hb_lang_function_histogram = {
    .call = {.name = "histogram",
             .form = "histogram(x, 0..9, 10..19, ...)",
             .says = "how many rows have a value of each range, and without ranges, as in `histogram(x)`, each "
                     "value; no two ranges overlap",
             .least = 1,
             .most = UINT32_MAX,
             .members = true,
             .aggregate = true},
    .meaning = {take_bins, HB_RESULT_OWN},
    .gaps = HB_GAPS_SKIPPED,
    .shape = shape,
    .ungrouped = "a histogram is a table of groups by itself",
    .lower = histogram,
};
