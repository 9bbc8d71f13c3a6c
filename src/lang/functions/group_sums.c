/* Which sums of each group aggregates ask for, each once, and how they are made. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "group_public.h"
#include "group_steps.h"
#include "groups.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "table/real_text.h"

/* Makes room for one more entry of a list; the caller adds it. */
static hb_status grow(void **list, uint32_t count, uint32_t *capacity, size_t bytes)
{
    if (count < *capacity) {
        return HB_OK;
    }
    const uint32_t more = *capacity == 0 ? 16 : 2 * *capacity;
    void *longer = realloc(*list, more * bytes);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the aggregates of groups");
    }
    *list = longer;
    *capacity = more;
    return HB_OK;
}

/* The name of an empty call has no parentheses. */
static uint32_t end_of(const hb_item *item)
{
    return item->arguments == 0 && item->to > item->from + 2 ? item->to - 2 : item->to;
}

/* Values of rows of each group, which are added up. */
typedef struct summed {
    uint32_t node, mask, plain; /* hb_group_sum */
    bool none, zero;
    const hb_epilogue *epilogue;
    uint64_t scale;
} summed;

/* The part that is the sum of these, which each has once. */
static hb_status find_part(hb_grouper *x, summed values, const hb_aggregated *of, const char *form, uint64_t *place)
{
    hb_lowering *l = x->l;
    if (values.mask != x->plain_filter) {
        HB_TRY(hb_lower_plain_product(l, values.mask, x->plain_filter, &values.mask));
    }
    for (*place = 0; *place < x->part_count; ++*place) {
        if (x->parts[*place].node == values.node && x->parts[*place].mask == values.mask &&
            x->parts[*place].plain == values.plain && x->parts[*place].none == values.none &&
            x->parts[*place].zero == values.zero && x->parts[*place].epilogue == values.epilogue) {
            return HB_OK;
        }
    }
    HB_TRY(grow((void **)&x->parts, x->part_count, &x->part_capacity, sizeof *x->parts));
    hb_group_sum made = {.node = values.node,
                         .mask = values.mask,
                         .plain = values.plain,
                         .none = values.none,
                         .zero = values.zero,
                         .epilogue = values.epilogue,
                         .scale = values.scale};
    made.known = !values.zero && (values.none || (values.node == HB_NO_NODE && !hb_grouper_tells_apart(x)));
    HB_ASSERT(!made.known || values.plain == HB_NO_NODE || values.epilogue != NULL);
    made.place = made.known ? x->known_count++ : x->sum_count++;
    HB_TRY(hb_words_name(l->graph.syntax, of->item->from, end_of(of->item), form, &made.name));
    x->parts[x->part_count++] = made;
    return HB_OK;
}

static hb_status filtered(hb_grouper *x, uint32_t node, uint32_t *out)
{
    *out = node;
    if (x->filter == HB_NO_NODE || node == x->filter) {
        return HB_OK;
    }
    if (node == HB_NO_NODE) {
        *out = x->filter;
        return HB_OK;
    }
    HB_TRY(hb_graph_multiply(&x->l->graph, node, x->filter, out));
    return HB_OK;
}

static hb_status add_shown(hb_grouper *x, const hb_aggregated *of, uint32_t column, hb_grouped_column made)
{
    const hb_value *v = &of->x;
    HB_TRY(grow((void **)&x->shown, x->shown_count, &x->shown_capacity, sizeof *x->shown));
    if (v->columns > 1) {
        char number[16];
        snprintf(number, sizeof number, "%u", column + 1);
        HB_TRY(hb_aggregate_name(x->l->graph.syntax, of->item, v->names != NULL ? v->names[column].name : number,
                                 &made.name));
    } else {
        HB_TRY(hb_words_name(x->l->graph.syntax, of->item->from, end_of(of->item), "%s", &made.name));
    }
    x->shown[x->shown_count++] = made;
    return HB_OK;
}

/* Sums keep the scale of their values, and count what these do. */
static void keep_meaning(hb_grouper *x, uint64_t place, const hb_aggregated *of, uint32_t column)
{
    const hb_meaning *meaning = hb_value_meaning(&of->x, column);
    const uint64_t scale = hb_meaning_scale(meaning);
    x->parts[place].meaning.scale = scale > 1 ? scale : 0;
    x->parts[place].meaning.unit = hb_meaning_span(meaning);
}

/* How sums of powers are called, which may be picked by their names; those of the power 0 are counts. */
static const char *const parts_called[HB_AGGREGATE_MOST_POWER + 1] = {"count of %s", "sum of %s", "squares of %s"};

/* The next power of values of rows: of plain ones in the clear, and encrypted is but which rows the filter selects. */
static hb_status next_power(hb_grouper *x, const hb_aggregated *of, uint32_t column, summed *power)
{
    uint32_t node = x->l->pool[of->x.first + column];
    if (of->none) {
        return HB_OK;
    }
    if (hb_value_plain(&of->x)) {
        power->node = x->filter;
        return hb_lower_plain_product(x->l, power->plain, node, &power->plain);
    }
    HB_TRY(filtered(x, node, &node));
    return hb_lower_next_power(x->l, node, &power->node);
}

static hb_status add_column(hb_grouper *x, const hb_aggregated *of, uint32_t column, uint64_t count)
{
    const hb_epilogue *epilogue = of->function->epilogue;
    const bool itself = hb_epilogue_is_itself(epilogue);
    summed power = {.node = HB_NO_NODE, .mask = of->mask, .plain = HB_NO_NODE, .none = of->none, .zero = of->none};
    uint64_t place[HB_AGGREGATE_MOST_POWER + 1] = {count};
    hb_grouped_column made = {.epilogue = epilogue};
    for (uint32_t p = 1; p <= hb_aggregate_power(epilogue); p++) {
        HB_TRY(next_power(x, of, column, &power));
        HB_TRY(find_part(x, power, of, itself ? "%s" : parts_called[p], &place[p]));
        if (p == 1 && !of->function->counts) {
            keep_meaning(x, place[p], of, column);
        }
    }
    for (uint32_t i = 0; i < epilogue->parts; i++) {
        made.part[i] = place[epilogue->power[i]];
    }
    return add_shown(x, of, column, made);
}

/* Whether an aggregate is of plain values in groups that nothing encrypted tells apart. */
static bool is_public(const hb_grouper *x, const hb_aggregated *of)
{
    return of->x.columns > 0 && hb_value_plain(&of->x) && x->filter == HB_NO_NODE && !hb_grouper_tells_apart(x);
}

static hb_status add_public(hb_grouper *x, const hb_aggregated *of, uint32_t column)
{
    hb_grouped_column made = {.epilogue = &hb_epilogue_public};
    const summed values = {.node = HB_NO_NODE,
                           .mask = of->mask,
                           .plain = x->l->pool[of->x.first + column],
                           .none = of->none,
                           .epilogue = of->function->epilogue,
                           .scale = hb_meaning_scale(hb_value_meaning(&of->x, column))};
    HB_TRY(find_part(x, values, of, "%s", &made.part[0]));
    return add_shown(x, of, column, made);
}

/* A value of one row stands in every row of a group. */
static hb_status in_rows(hb_lowering *l, hb_aggregated *of)
{
    if (of->present != HB_NO_NODE) {
        return HB_OK; /* they have rows */
    }
    HB_TRY(hb_lower_in_rows(l, &of->x));
    return of->counted != HB_NO_NODE ? hb_graph_in_rows(&l->graph, of->counted, &of->counted) : HB_OK;
}

hb_status hb_grouper_add(hb_grouper *x, const hb_value *argument)
{
    hb_lowering *l = x->l;
    hb_aggregated of;
    uint64_t count = 0;
    uint32_t counted;
    const hb_item *item = argument->type->item;
    const hb_lang_function *function = hb_lang_function_of(item);
    HB_TRY(hb_lower_aggregated(l, item, item->arguments > 0 ? hb_lower_operand_of(l, item, 0) : NULL, &of));
    if (x->none) {
        of.none = true;
        of.counted = of.present = HB_NO_NODE;
    }
    if (x->rows == l->graph.rows) {
        HB_TRY(in_rows(l, &of));
    }
    for (uint32_t c = 0; is_public(x, &of) && c < of.x.columns; c++) {
        HB_TRY(add_public(x, &of, c));
    }
    if (is_public(x, &of)) {
        return HB_OK;
    }
    HB_TRY(filtered(x, of.counted, &counted));
    const bool rows = of.x.columns == 0; /* of which there is nothing but their number */
    const bool zeros = of.none && hb_epilogue_is_itself(function->epilogue); /* sums of no rows */
    if (rows || zeros || (!hb_epilogue_is_itself(function->epilogue) && of.present == HB_NO_NODE)) {
        const summed values = {.node = counted, .mask = of.mask, .plain = HB_NO_NODE, .none = of.none};
        HB_TRY(find_part(x, values, &of, rows ? "%s" : parts_called[0], &count));
    }
    if (rows) {
        return add_shown(x, &of, 0, (hb_grouped_column){.epilogue = &hb_epilogue_itself, .part = {count}});
    }
    for (uint32_t c = 0; zeros && c < of.x.columns; c++) {
        HB_TRY(add_shown(x, &of, c, (hb_grouped_column){.epilogue = &hb_epilogue_itself, .part = {count}}));
    }
    for (uint32_t c = 0; !zeros && c < of.x.columns; c++) {
        if (of.present != HB_NO_NODE) {
            HB_TRY(filtered(x, l->pool[of.present + c], &counted));
            const summed values = {.node = counted, .mask = of.mask, .plain = HB_NO_NODE};
            HB_TRY(find_part(x, values, &of, parts_called[0], &count));
        }
        HB_TRY(add_column(x, &of, c, count));
    }
    return HB_OK;
}

/* The number of rows, or a total of 0, which a table may have without showing it. */
static hb_status find_count(hb_grouper *x, bool zero, uint64_t *place)
{
    const hb_item count = {.kind = HB_ITEM_CALL};
    const hb_aggregated of = {.item = &count, .counted = x->filter, .mask = HB_NO_NODE};
    const bool none = zero || x->none;
    const summed values = {.node = x->filter, .mask = HB_NO_NODE, .plain = HB_NO_NODE, .none = none, .zero = zero};
    return find_part(x, values, &of, "%.0scount", place);
}

/* A histogram shows counts alone. */
static hb_status add_count(hb_grouper *x)
{
    hb_grouped_column made = {.epilogue = &hb_epilogue_itself};
    HB_TRY(find_count(x, false, &made.part[0]));
    HB_TRY(grow((void **)&x->shown, x->shown_count, &x->shown_capacity, sizeof *x->shown));
    made.name = strdup("count");
    if (made.name == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    x->shown[x->shown_count++] = made;
    return HB_OK;
}

/* --- the result */

/* Finds the range of each of these rows, and their sum where it is public. */
static hb_status find_values(hb_grouper *x, const hb_group_sum *part, hb_indicated *rows)
{
    const hb_graph *g = &x->l->graph;
    rows->values = part->node == HB_NO_NODE ? hb_interval_of(1, 1) : g->nodes[part->node].range.interval;
    rows->total = g->semantics->reals ? (hb_plain_value){.real = (double)rows->rows}
                                      : (hb_plain_value){.integer = (hb_i128)rows->rows};
    if (part->plain == HB_NO_NODE) {
        return HB_OK;
    }
    const hb_interval plain = g->nodes[part->plain].range.interval;
    rows->values = part->node == HB_NO_NODE ? plain : hb_interval_multiply(rows->values, plain);
    return part->node == HB_NO_NODE ? hb_plain_total(x->l, rows->mask, 0, x->l->graph.rows, &rows->total) : HB_OK;
}

/* The rows of a group by plain keys that a part is the sum of, times its plain values. */
static hb_status select_rows(hb_grouper *x, const hb_group_sum *part, uint32_t plain, hb_indicated *rows)
{
    hb_lowering *l = x->l;
    const hb_graph *g = &l->graph;
    rows->mask = part->mask;
    rows->rows = x->rows;
    if (x->plain.keys > 0) {
        HB_TRY(hb_plain_groups_condition(l, &x->plain, part->codes, plain, &rows->mask));
    }
    HB_TRY(hb_lower_plain_product(l, rows->mask, part->plain, &rows->mask));
    if (rows->mask == HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(hb_lower_require_rows(l, rows->mask));
    rows->rows = hb_plain_chosen(g, rows->mask);
    return HB_OK;
}

/* Which rows belong to a group of encrypted keys, said by an indicator or by steps; both are zero without such keys. */
typedef struct group_masks {
    hb_indicator *indicator; /* of integers */
    hb_group_steps steps;    /* of reals */
} group_masks;

/* Sums of one part over the rows of all groups that have the same plain keys: totals [groups of encrypted keys];
 * HB_NO_NODE where plain tables select no row. */
static hb_status sum_part(hb_grouper *x, const group_masks *masks, const hb_group_sum *part, hb_indicated *rows,
                          uint32_t *totals)
{
    hb_graph *g = &x->l->graph;
    for (uint32_t i = 0; i < x->groups.count; i++) {
        totals[i] = HB_NO_NODE; /* of no row */
    }
    if (rows->rows == 0) {
        return HB_OK;
    }
    rows->a = part->node;
    if (rows->a != HB_NO_NODE && rows->mask == HB_NO_NODE && !g->nodes[rows->a].shape.padding_zero &&
        !g->nodes[rows->a].shape.total) {
        HB_TRY(hb_graph_mask(g, rows->a, &rows->a)); /* once, and not each of its products */
    }
    if (masks->indicator != NULL) {
        return hb_indicator_sums(masks->indicator, rows, totals);
    }
    if (masks->steps.count > 0) {
        return hb_group_steps_sums(x->l, &x->groups, &masks->steps, rows, totals);
    }
    uint32_t masked;
    HB_TRY(hb_lower_masked(x->l, rows->a, rows->mask, &masked));
    HB_TRY(hb_graph_sum(g, masked, &totals[0]));
    hb_lower_narrow_sum(x->l, rows->values, rows->rows, totals[0]);
    for (uint32_t i = 1; i < x->groups.count; i++) {
        totals[i] = totals[0];
    }
    return HB_OK;
}

/* The number of a part in a group by plain keys, which is no secret. */
static hb_status find_known(hb_grouper *x, const hb_group_sum *part, uint32_t plain, uint64_t *number)
{
    hb_group_public of = {part->epilogue, part->plain, part->mask, part->scale};
    hb_indicated rows;
    if (part->none && part->epilogue != NULL) {
        *number = hb_real_word(hb_epilogue_is_itself(part->epilogue) ? 0 : NAN);
        return HB_OK;
    }
    if (part->epilogue == NULL) {
        HB_TRY(select_rows(x, part, plain, &rows));
        *number = part->none ? 0 : rows.rows;
        return HB_OK;
    }
    if (x->plain.keys > 0) {
        HB_TRY(hb_plain_groups_condition(x->l, &x->plain, part->codes, plain, &of.mask));
    }
    HB_TRY(hb_lower_require_rows(x->l, of.plain));
    if (of.mask != HB_NO_NODE) {
        HB_TRY(hb_lower_require_rows(x->l, of.mask));
    }
    return hb_group_public_find(x->l, &of, number);
}

/* Whether something is of rows that a condition selects nowhere. */
static bool has_none(const hb_grouper *x)
{
    uint32_t p = 0;
    while (p < x->part_count && !x->parts[p].none) {
        p++;
    }
    return p < x->part_count;
}

/* Everybody knows that the sum of no row is 0. Nobody can see that a ciphertext holds it, so it is an encryption of 0
 * made of the sum of another group, or, where a condition selects no row of any, of something else that is read. */
static hb_status fill_empty(hb_grouper *x, const hb_value *out)
{
    uint32_t *totals = x->l->pool + out->first, secret = HB_NO_NODE, zero = HB_NO_NODE;
    for (uint32_t i = 0; i < out->columns && secret == HB_NO_NODE; i++) {
        const bool holds = totals[i] != HB_NO_NODE && !hb_node_is_known(&x->l->graph, totals[i]);
        secret = holds ? totals[i] : secret;
    }
    if (secret == HB_NO_NODE && has_none(x)) {
        HB_TRY(hb_lower_zero_total(x->l, x->item, &zero));
        totals = x->l->pool + out->first;
    }
    for (uint32_t i = 0; i < out->columns; i++) {
        if (totals[i] == HB_NO_NODE && secret == HB_NO_NODE && zero == HB_NO_NODE) {
            return hb_grouper_fail(x, "plain tables make every sum of these groups 0 whatever was encrypted, as they "
                                      "select no row, or multiply all by 0");
        }
        if (totals[i] == HB_NO_NODE && zero == HB_NO_NODE) {
            HB_TRY(hb_graph_zero(&x->l->graph, secret, &zero));
        }
        totals[i] = totals[i] == HB_NO_NODE ? zero : totals[i];
    }
    return HB_OK;
}

/* Makes the totals of one part, or its known numbers, of all groups with the same plain keys. */
static hb_status put_part(hb_grouper *x, const group_masks *masks, uint32_t plain, const hb_group_sum *part,
                          uint32_t *totals, const hb_value *out)
{
    hb_indicated rows;
    uint64_t number = 0;
    for (uint32_t i = 0; part->zero && i < x->groups.count; i++) {
        totals[i] = HB_NO_NODE;
    }
    if (part->known) {
        HB_TRY(find_known(x, part, plain, &number));
    } else if (!part->zero) {
        HB_TRY(select_rows(x, part, plain, &rows));
        HB_TRY(find_values(x, part, &rows));
        HB_TRY(sum_part(x, masks, part, &rows, totals));
    }
    for (uint32_t p = 0; p < x->place_count; p++) {
        if (x->places[p].plain != plain) {
            continue;
        }
        if (part->known) {
            hb_grouping *grouping = (hb_grouping *)out->grouping;
            grouping->counts[(size_t)p * x->known_count + part->place] = number;
        } else {
            x->l->pool[out->first + p * x->sum_count + part->place] = totals[x->places[p].encrypted];
        }
    }
    return HB_OK;
}

/* Whether a group by plain keys is shown. */
static bool is_shown(const hb_grouper *x, uint32_t plain)
{
    uint32_t p = 0;
    while (p < x->place_count && x->places[p].plain != plain) {
        p++;
    }
    return p < x->place_count;
}

static hb_status tell_apart(hb_grouper *x, group_masks *masks)
{
    return x->l->graph.semantics->reals ? hb_group_steps_make(x->l, &x->groups, &masks->steps)
                                        : hb_indicator_make(&x->l->graph, &x->groups, &masks->indicator);
}

/* Whether something is added up. */
static bool has_sums(const hb_grouper *x)
{
    uint32_t p = 0;
    while (p < x->part_count && (x->parts[p].known || x->parts[p].zero)) {
        p++;
    }
    return p < x->part_count;
}

static hb_status sums(hb_grouper *x, const hb_value *out)
{
    hb_lowering *l = x->l;
    group_masks masks = {0};
    uint32_t *totals = malloc(x->groups.count * sizeof *totals);
    hb_status st = totals != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the sums of groups");
    st = st == HB_OK && has_sums(x) && hb_grouper_tells_apart(x) ? tell_apart(x, &masks) : st;
    for (uint32_t p = 0; st == HB_OK && p < x->part_count && x->plain.keys > 0; p++) {
        st = hb_plain_groups_within(l, &x->plain, x->parts[p].mask, &x->parts[p].codes);
    }
    for (uint32_t plain = 0; st == HB_OK && plain < x->plain.count; plain++) {
        for (uint32_t p = 0; st == HB_OK && p < x->part_count && is_shown(x, plain); p++) {
            st = put_part(x, &masks, plain, &x->parts[p], totals, out);
        }
    }
    st = st == HB_OK ? fill_empty(x, out) : st;
    hb_indicator_free(masks.indicator);
    hb_group_steps_clear(&masks.steps);
    free(totals);
    return st;
}

hb_status hb_grouper_finish(hb_grouper *x, hb_value *out)
{
    hb_schema *made = NULL;
    uint64_t unseen;
    if (x->bins) {
        HB_TRY(add_count(x));
    }
    if (x->sum_count == 0 && has_none(x)) {
        HB_TRY(find_count(x, true, &unseen));
    }
    const uint64_t columns = (uint64_t)x->place_count * x->sum_count;
    if (columns > HB_GRAPH_MAX_NODES) {
        return hb_grouper_fail(x, "too many groups");
    }
    if (columns == 0) {
        return hb_grouper_fail(
            x, "nothing of these groups is encrypted: everyone who has the plain tables can compute it");
    }
    *out = (hb_value){.kind = HB_TYPE_TOTALS};
    HB_TRY(hb_lower_columns(x->l, (uint32_t)columns, out));
    HB_TRY(hb_made_columns_add(&x->l->columns, (uint32_t)columns, &made));
    HB_TRY(hb_grouping_alloc(x->place_count, x->keys.columns, x->shown_count, &made->grouping));
    HB_TRY(hb_grouper_describe(x, made));
    out->means = hb_made_columns_means(made);
    out->names = made->column;
    out->grouping = made->grouping;
    return sums(x, out);
}
