/* Totals of groups of rows: groupby(key, sum(x), count(), ...) and histogram(x, 0..9, ...). The result has one row, and
 * in it the same sums for each group, one group after another; what they stand for is in its grouping. */
#include "lower_groups.h"

#include <stdlib.h>
#include <string.h>

#include "semantics.h"

hb_status hb_grouper_fail(const hb_grouper *x, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, x->l->graph.syntax->text, x->item->at, "%s", what);
}

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
    hb_groups_clear(&x->groups);
}

/* --- keys and their values */

const hb_column *hb_grouper_key_column(const hb_grouper *x, uint32_t key)
{
    return x->keys.names != NULL ? &x->keys.names[key] : NULL;
}

/* The values that a key can have, as its range or what it stands for tells. */
static hb_status range_of(const hb_grouper *x, uint32_t key, hb_interval *out)
{
    const hb_graph *g = &x->l->graph;
    const hb_column *column = hb_grouper_key_column(x, key);
    *out = g->nodes[x->groups.keys[key].node].interval;
    if (column != NULL && column->meaning.kind == HB_MEANING_CATEGORY) {
        const hb_interval labels = hb_interval_of(0, (int64_t)column->meaning.labels->count - 1);
        const hb_interval both = out->known ? hb_interval_meet(*out, labels) : labels;
        *out = both.known ? both : labels;
    }
    if (column != NULL && column->meaning.kind == HB_MEANING_BOOL && !out->known) {
        *out = hb_interval_of(0, 1);
    }
    if (g->params == NULL) {
        *out = hb_interval_of(0, 2); /* keys are the same of all ranges */
    }
    const uint64_t most = HB_MOST_GROUPED_VALUES < g->spec->bfv.plain ? HB_MOST_GROUPED_VALUES : g->spec->bfv.plain;
    if (!out->known || (uint64_t)out->most - (uint64_t)out->least >= most) {
        char values[HB_INTERVAL_TEXT] = "not known";
        if (out->known) {
            hb_interval_text(values, *out);
        }
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, x->item->at,
                          "the values of key %u are %s; groups need those of up to %llu, declared as in --range "
                          "p.status=1..12",
                          key + 1, values, (unsigned long long)most);
    }
    return HB_OK;
}

static hb_status set_keys(hb_grouper *x)
{
    hb_graph *g = &x->l->graph;
    x->groups.key_count = x->keys.columns;
    x->groups.keys = calloc(x->keys.columns, sizeof *x->groups.keys);
    if (x->groups.keys == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the keys of groups");
    }
    for (uint32_t k = 0; k < x->keys.columns; k++) {
        hb_group_key *key = &x->groups.keys[k];
        hb_interval range;
        key->node = x->l->pool[x->keys.first + k];
        HB_TRY(range_of(x, k, &range));
        key->count = (uint32_t)(range.most - range.least) + 1;
        key->values = malloc(key->count * sizeof *key->values);
        if (key->values == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the keys of groups");
        }
        for (uint32_t i = 0; i < key->count; i++) {
            key->values[i] = range.least + i;
        }
        if (key->count < 2) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, x->item->at,
                              "key %u has one value alone: there are no groups", k + 1);
        }
    }
    return HB_OK;
}

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
    for (uint32_t i = 0; i < x->member_count; i++) {
        hb_member member;
        HB_TRY(hb_lower_member(x->l, &x->members[i], hb_grouper_key_column(x, 0), &member));
        const int64_t low = g->params == NULL ? 0 : member.low.integer,
                      high = g->params == NULL ? 0 : member.high.integer;
        if (member.entry) {
            return hb_grouper_fail(x, "entries are for lookup");
        }
        if (high < first || low > last || (!bins && (low < first || high > last))) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, x->item->at, "no value is in group %u: they are %lld .. %lld",
                              i + 1, (long long)first, (long long)last);
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

/* --- arguments */

static hb_status take_key(hb_grouper *x, const hb_value *argument)
{
    hb_lowering *l = x->l;
    const hb_graph *g = &l->graph;
    x->keys = *argument;
    x->filter = HB_NO_NODE;
    if (argument->kind == HB_VALUE_WHERE) {
        x->keys = l->pairs[argument->first][0];
        x->filter = l->pool[l->pairs[argument->first][1].first];
    }
    if (x->keys.kind == HB_VALUE_TABLE || x->keys.kind == HB_VALUE_ROW) {
        return hb_grouper_fail(
            x, "groups by a plain table are not computed: encrypt the key, or select rows by a table of 0 and "
               "1, sum(w*x)");
    }
    if (x->keys.kind != HB_VALUE_ROWS) {
        return hb_grouper_fail(x, "the key of groups is a column with rows");
    }
    if (g->semantics->reals) {
        return hb_grouper_fail(x, "groups are those of integers; of reals add up products with what is 1 or 0");
    }
    return hb_lower_load(l, &x->keys);
}

/* What stands behind the key: numbers, texts and ranges, and then aggregates. */
static void split_arguments(hb_grouper *x, const hb_value *arguments, uint32_t count)
{
    uint32_t members = 0;
    while (members < count && (arguments[members].kind == HB_VALUE_NUMBER || arguments[members].kind == HB_VALUE_TEXT ||
                               arguments[members].kind == HB_VALUE_RANGE)) {
        members++;
    }
    x->members = arguments;
    x->member_count = members;
    x->aggregates = arguments + members;
    x->aggregate_count = count - members;
}

static hb_status group(hb_grouper *x, const hb_value *arguments)
{
    const bool bins = x->item->call == HB_CALL_HISTOGRAM;
    HB_TRY(take_key(x, &arguments[0]));
    split_arguments(x, arguments + 1, x->item->arguments - 1);
    HB_TRY(set_keys(x));
    if (x->member_count > 0 && x->keys.columns > 1) {
        return hb_grouper_fail(x, "which values make groups is said of one key alone");
    }
    HB_TRY(x->member_count > 0 ? groups_of_members(x, bins) : groups_of_values(x));
    for (uint32_t i = 0; i < x->aggregate_count; i++) {
        HB_TRY(bins ? hb_grouper_fail(x, "bins of a histogram are ranges, as 0..9, or numbers")
                    : hb_grouper_add(x, &x->aggregates[i]));
    }
    if (bins) {
        return hb_grouper_add_count(x);
    }
    return x->shown_count > 0 ? HB_OK
                              : hb_grouper_fail(x, "which aggregates? as in groupby(p.status, count(), sum(p.age))");
}

hb_status hb_lower_groups(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_grouper x = {.l = l, .item = item};
    hb_status st = group(&x, arguments);
    st = st == HB_OK ? hb_grouper_finish(&x, item->call == HB_CALL_HISTOGRAM && x.member_count > 0, out) : st;
    clear(&x);
    return st;
}
