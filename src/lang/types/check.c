#include "check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gaps.h"
#include "lang/text/walk.h"
#include "lang_function.h"
#include "scheme/codec.h"
#include "type_rules.h"
#include "worked_out.h"

/* --- columns that match
 *
 * Columns of two values are matched by position. Names of which both sides have some, but not all at the same places,
 * contradict this and are refused, unless the expression lists both; sides without a common name are noted. Every
 * operation that matches columns passes here, before anything is lowered. */

static int compare(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* *count: of how many columns of x the names stand on the other side too, each as often as there; *shared: one of them.
 * Columns without a name have none in common. */
static hb_status find_shared(const hb_column *x, const hb_column *y, uint32_t columns, uint32_t *count,
                             const char **shared)
{
    const char **names = malloc(2 * (size_t)columns * sizeof *names);
    if (!names) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of columns");
    }
    for (uint32_t i = 0; i < columns; i++) {
        names[i] = x[i].name;
        names[columns + i] = y[i].name;
    }
    qsort(names, columns, sizeof *names, compare);
    qsort(names + columns, columns, sizeof *names, compare);
    *count = 0;
    for (uint32_t i = 0, j = 0; i < columns && j < columns;) {
        const int order = strcmp(names[i], names[columns + j]);
        if (order == 0 && names[i][0] != '\0') {
            *shared = names[i];
            ++*count;
        }
        i += order <= 0;
        j += order >= 0;
    }
    free(names);
    return HB_OK;
}

static bool is_noted(const hb_types *t, const hb_column *x, const hb_column *y)
{
    for (uint32_t i = 0; i < t->match_count; i++) {
        const hb_match *match = &t->matches[i];
        const bool product = t->item->kind == HB_ITEM_MATRIX && match->item == t->item; /* of one pair */
        if (product || (match->x == x && match->y == y) || (match->x == y && match->y == x)) {
            return true;
        }
    }
    return false;
}

/* How one side is brought into the order of the other; `numbered`: by numbers, for names are not shown. */
static const char *order_advice(const hb_types *t, const hb_type *operands, bool numbered)
{
    if (t->item->kind != HB_ITEM_MATRIX) {
        return numbered ? "pick them by number, as in a.1 + b.2" : "pick them by name, as in a.age + b.age";
    }
    if (operands[1].image.gap > 1) {
        return "write the columns of the weights into their file channel after channel, each row by row";
    }
    if (t->context.block > 1) { /* which have no columns side by side */
        return "write the columns of the weights into their file in the order of the rows within slots";
    }
    if (hb_type_plain(&operands[0])) {
        return numbered ? "pick the weights by number, as in (W.2, W.1) @ x"
                        : "pick the weights by name, as in (W.age, W.cost) @ x";
    }
    return numbered ? "pick those on the right by number, as in W @ (x.2, x.1)"
                    : "pick those on the right by name, as in W @ (x.age, x.cost)";
}

/* x, y: names that differ at one place, of operands of the item; shared: a name that both sides have, where others
 * stand on one side alone, or NULL; shown: messages may have their names. */
static hb_status fail_match(const hb_types *t, const hb_type *operands, const char *x, const char *y,
                            const char *shared, bool shown)
{
    const char *advice = order_advice(t, operands, !shown);
    char pair[112] = "", common[64] = "";
    if (shown) {
        snprintf(pair, sizeof pair, ", '%.40s' where the other has '%.40s'", x, y);
        snprintf(common, sizeof common, ", as '%.40s'", shared != NULL ? shared : "");
    }
    if (shared == NULL) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                          "both sides have the same columns in another order%s; %s", pair, advice);
    }
    return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, t->item->at,
                      "some columns are on both sides%s, and others on one side alone%s; columns pair by position, so "
                      "%s",
                      common, pair, advice);
}

/* Whether the expression lists the columns of a value itself, in parentheses: their places are no accident. */
static bool is_listed(const hb_type *type)
{
    return type->item != NULL && type->item->kind == HB_ITEM_CALL && type->item->call->parentheses;
}

/* Matches columns of two operands of the item. Weights have a column for each of an image in its order, where the image
 * may have others in its slots. */
static hb_status match(hb_types *t, const hb_type *operands, uint32_t left, uint32_t right)
{
    const hb_column *x = operands[left].names, *y = operands[right].names;
    const hb_block_image *image = &operands[right].image;
    const bool ordered = t->item->kind == HB_ITEM_MATRIX && image->gap > 1;
    const uint32_t columns = operands[left].columns;
    if (columns < 2 || columns != (ordered ? hb_block_image_columns(image) : operands[right].columns) || x == NULL ||
        y == NULL || x == y || is_noted(t, x, y)) {
        return HB_OK;
    }
    if (ordered) {
        HB_TRY(hb_types_order_image(t, image, y, &y));
    }
    uint32_t i = 0, common = 0;
    const char *shared = NULL;
    while (i < columns && strcmp(x[i].name, y[i].name) == 0) {
        i++;
    }
    if (i == columns) {
        return HB_OK;
    }
    if (is_listed(&operands[left]) && is_listed(&operands[right])) {
        return HB_OK;
    }
    HB_TRY(find_shared(x, y, columns, &common, &shared));
    if (common > 0) {
        return fail_match(t, operands, x[i].name, y[i].name, common < columns ? shared : NULL,
                          hb_columns_show_names(x, columns) && hb_columns_show_names(y, columns));
    }
    if (t->match_count < HB_MOST_MATCHES) {
        t->matches[t->match_count++] = (hb_match){t->item, x, y, columns};
    }
    return HB_OK;
}

/* Whether the columns of all operands of an item stand side by side. */
static bool is_matched(const hb_item *item)
{
    return (item->kind >= HB_ITEM_ADD && item->kind <= HB_ITEM_BETWEEN && item->kind != HB_ITEM_POWER) ||
           item->kind == HB_ITEM_WHERE || (item->kind == HB_ITEM_CALL && item->call->matches);
}

/* Refuses operands that share some names of columns, but not all at the same places, and notes operands that share
 * none. */
static hb_status match_columns(hb_types *t, const hb_item *item, const hb_type *operands)
{
    const bool matrices = item->kind == HB_ITEM_MATRIX && hb_type_is_matrix(&operands[0]);
    const uint32_t count = is_matched(item) && !matrices && !t->context.keys_only ? hb_item_operands(item) : 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            HB_TRY(match(t, operands, i, j));
        }
    }
    return HB_OK;
}

/* --- the list of types */

#define NO_TYPE UINT32_MAX

/* --- the list of types */

static bool same_means(hb_means x, hb_means y)
{
    return x.all == y.all && x.each == y.each;
}

static bool same_numbers(const hb_number *x, const hb_number *y)
{
    return memcmp(x, y, sizeof *x) == 0;
}

static bool same_gaps(const hb_type *x, const hb_type *y)
{
    bool same = x->unsure == y->unsure && (x->gaps == NULL) == (y->gaps == NULL);
    for (uint32_t c = 0; same && x->gaps != NULL && c < x->columns; c++) {
        const hb_column_gaps *a = &x->gaps[c], *b = &y->gaps[c];
        same = a->zero == b->zero && a->fill_scale == b->fill_scale && same_numbers(&a->fill, &b->fill) &&
               hb_gaps_same(a, b);
    }
    return same;
}

/* Whether two types of one item are the same. */
static bool same_types(const hb_type *x, const hb_type *y)
{
    const hb_member *a = &x->member, *b = &y->member;
    return x->kind == y->kind && same_numbers(&x->number, &y->number) && x->columns == y->columns &&
           x->rows == y->rows && x->names == y->names && same_means(x->means, y->means) &&
           same_means(x->taken, y->taken) && memcmp(&x->image, &y->image, sizeof x->image) == 0 &&
           x->matrix.rows == y->matrix.rows && x->matrix.columns == y->matrix.columns && x->whole == y->whole &&
           x->picked == y->picked && x->worked_out == y->worked_out && a->entry == b->entry && same_gaps(x, y) &&
           same_numbers(&a->low, &b->low) && same_numbers(&a->high, &b->high) && same_numbers(&a->value, &b->value);
}

/* Adds a type to the list, unless the one `before` is the same; *out: which it is. */
static hb_status add_type(hb_types *t, const hb_type *type, uint32_t before, uint32_t *out)
{
    if (before != NO_TYPE && same_types(&t->list[before], type)) {
        *out = before;
        return HB_OK;
    }
    if (t->count == t->capacity) {
        const uint32_t capacity = 2 * t->capacity + 64;
        hb_type *list = realloc(t->list, capacity * sizeof *list);
        if (list == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the types of an expression");
        }
        t->list = list;
        t->capacity = capacity;
    }
    *out = t->count;
    t->list[t->count++] = *type;
    return HB_OK;
}

static uint32_t place_of(const hb_types *t, const hb_item *item)
{
    return (uint32_t)(item - t->context.syntax->items);
}

/* --- one item */

static bool is_comparison(const hb_item *item)
{
    return (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_NOT_EQUAL) || item->kind == HB_ITEM_BETWEEN ||
           item->kind == HB_ITEM_IN;
}

/* A result that decryption works out is only stored, or put beside others; columns are picked from stored ones. */
static hb_status check_worked_out(hb_types *t, const hb_item *item, const hb_type *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (operands[i].kind == HB_TYPE_WORKED_OUT && !hb_takes_worked_out(item)) {
            return hb_fail_worked_out(t->context.syntax->text, item->at, operands[i].worked_out);
        }
        if (item->kind != HB_ITEM_PICK) {
            HB_TRY(hb_types_no_stored_parts(t, &operands[i]));
        }
    }
    return HB_OK;
}

/* Digits are compared, and nothing else: arithmetic takes numbers. */
static hb_status check_digits(hb_types *t, const hb_item *item, const hb_type *operands, uint32_t count)
{
    bool digits = false;
    for (uint32_t i = 0; i < count; i++) {
        digits = digits || operands[i].kind == HB_TYPE_DIGITS;
    }
    return digits && !is_comparison(item) && item->kind != HB_ITEM_ASSIGN
               ? hb_types_refuse(t, "digits can only be compared; to compute with the number, write base*high + low")
               : HB_OK;
}

/* Constants that encrypted values are computed with are numbers mod t; plain values are computed with larger ones, and
 * comparisons look at the values that there may be. */
static hb_status check_constants(const hb_types *t, const hb_item *item, const hb_type *operands, uint32_t count)
{
    bool encrypted = false;
    for (uint32_t i = 0; i < count; i++) {
        encrypted = encrypted || hb_type_encrypted(&operands[i]);
    }
    for (uint32_t i = 0; i < count && encrypted && hb_item_computes(item); i++) {
        if (operands[i].kind == HB_TYPE_NUMBER) {
            HB_TRY(hb_number_check_encrypted(&t->context, operands[i].item->at, operands[i].number));
        }
    }
    return HB_OK;
}

/* Checks that the scheme has the function. Some aggregates are tables themselves, and cannot be taken of a group. */
static hb_status check_function(const hb_types *t, const hb_item *item)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    const hb_types_context *w = &t->context;
    if (f->integers && w->semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                          "%s works on integers (BFV) alone: reals are right only up to an error", f->call.name);
    }
    return item->grouped && f->ungrouped != NULL ? hb_types_refuse(t, f->ungrouped) : HB_OK;
}

/* Makes the type of an item of those of its operands, which are left as it takes them. */
static hb_status make_type(hb_types *t, const hb_item *item, hb_type *operands, uint32_t count, hb_type *out)
{
    const hb_type none = {.kind = HB_TYPE_NUMBER};
    const hb_meaning_rule rule = hb_meaning_rule_of(item);
    hb_result_rule to = {.result = rule.result, .scale = 1};
    HB_TRY(check_worked_out(t, item, operands, count));
    HB_TRY(check_digits(t, item, operands, count));
    if (item->kind == HB_ITEM_CALL) {
        HB_TRY(check_function(t, item));
    }
    HB_TRY(rule.take(t, item, operands, &to));
    HB_TRY(check_constants(t, item, operands, count));
    *out = none;
    HB_TRY(hb_shape_of(t, item, operands, out));
    HB_TRY(hb_types_find_gaps(t, item, operands, out));
    HB_TRY(match_columns(t, item, operands));
    const bool valued = out->kind != HB_TYPE_WORKED_OUT && out->kind != HB_TYPE_GROUPED;
    if (to.result == HB_RESULT_OWN || !valued) {
        return HB_OK;
    }
    const hb_type *x = count > 0 ? &operands[to.first] : &none;
    return hb_types_result(t, &to, x, to.first + 1 < count ? x + 1 : x, out);
}

/* Notes the type with which an operation takes an operand; the operand's own meaning stays. A constant gets the new
 * scale here already. A number of rows gets it in lowering, where it is known. */
static hb_status take_operand(hb_types *t, hb_typed_item *operand, hb_type *type)
{
    type->taken = type->means;
    if (!hb_type_constant(type) || type->kind == HB_TYPE_COUNT) {
        type->means = t->list[operand->own].means;
    }
    HB_TRY(
        add_type(t, type, same_types(type, &t->list[operand->own]) ? operand->own : operand->taken, &operand->taken));
    t->steps.list[operand->step].taken = operand->taken;
    return HB_OK;
}

/* In a loop, an item whose operands are unchanged keeps its type. */
static bool is_settled(const hb_types *t, const hb_item *item, uint32_t count)
{
    const hb_typed_item *own = &t->items[place_of(t, item)];
    bool settled = own->own != NO_TYPE && item->kind != HB_ITEM_NAME && item->kind != HB_ITEM_ASSIGN;
    for (uint32_t i = 0, back = 1; i < count && settled; i++) {
        const hb_item *operand = item - back;
        settled = !t->items[place_of(t, operand)].changed;
        back += operand->size;
    }
    return settled;
}

static hb_status step(hb_types *t, const hb_item *item)
{
    const uint32_t count = hb_item_operands(item), place = place_of(t, item);
    hb_typed_item *own = &t->items[place];
    hb_type *operands = t->arguments, out;
    const bool settled = is_settled(t, item, count);
    for (uint32_t i = count, back = 1; i-- > 0;) {
        const hb_item *operand = item - back;
        operands[i] = t->list[t->items[place_of(t, operand)].own];
        back += operand->size;
    }
    own->changed = !settled;
    if (!settled) {
        const uint32_t before = own->own;
        HB_TRY(make_type(t, item, operands, count, &out));
        out.item = item;
        out.taken = out.means;
        HB_TRY(add_type(t, &out, before, &own->own));
        own->changed = count > 0 || own->own != before;
    }
    own->step = t->steps.count; /* which is recorded next */
    for (uint32_t i = count, back = 1; i-- > 0;) {
        const hb_item *operand = item - back;
        hb_typed_item *of = &t->items[place_of(t, operand)];
        if (!settled) {
            HB_TRY(take_operand(t, of, &operands[i]));
        }
        t->steps.list[of->step].taken = of->taken;
        back += operand->size;
    }
    return HB_OK;
}

/* --- all of them */

/* Finds the datasets on the left of @. Where only keys are asked for, a name there is one that has one row. */
static void find_weights(hb_types *t)
{
    const hb_types_context *w = &t->context;
    for (uint32_t i = 0; i < w->syntax->count; i++) {
        const hb_item *item = &w->syntax->items[i];
        for (uint32_t o = 0; o < w->operand_count && item->weights; o++) {
            const hb_operand *operand = &w->operands[o];
            t->weights[o] |= operand->encrypted && hb_item_is(w->syntax, item, operand->name) &&
                             (!w->keys_only || operand->schema->rows == 1);
        }
    }
}

static hb_status check(hb_types *t, const hb_types_context *context)
{
    const hb_syntax *s = context->syntax;
    *t = (hb_types){.context = *context};
    t->items = calloc(s->count, sizeof *t->items);
    t->arguments = calloc(s->count, sizeof *t->arguments);
    t->names = calloc((size_t)s->names + 1, sizeof *t->names);
    t->weights = calloc((size_t)context->operand_count + 1, sizeof *t->weights);
    if (t->items == NULL || t->arguments == NULL || t->names == NULL || t->weights == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the types of an expression");
    }
    for (uint32_t i = 0; i < s->count; i++) {
        t->items[i] = (hb_typed_item){.own = NO_TYPE, .taken = NO_TYPE};
    }
    find_weights(t);
    hb_steps_way way = {.walk.syntax = s};
    for (const hb_item *item; (item = hb_walk_next(&way.walk)) != NULL;) {
        t->item = item;
        hb_status st = item->kind == HB_ITEM_REPEAT ? HB_OK : step(t, item);
        st = st == HB_OK ? hb_steps_record(&t->steps, &way, item, t->items[place_of(t, item)].own) : st;
        if (st != HB_OK) {
            return hb_fail_in_iteration(way.walk.iteration, st);
        }
    }
    return HB_OK;
}

static void clear(hb_types *t)
{
    free(t->list);
    hb_steps_clear(&t->steps);
    free(t->weights);
    free(t->items);
    free(t->arguments);
    free(t->names);
    hb_made_columns_clear(&t->columns);
    while (t->gaps != NULL) {
        hb_made_gaps *next = t->gaps->next;
        free(t->gaps);
        t->gaps = next;
    }
    while (t->means != NULL) {
        hb_made_means *next = t->means->next;
        free(t->means);
        t->means = next;
    }
    *t = (hb_types){0};
}

/* --- shared by lowerings */

/* Smaller parameters, which are tried where others will not do, may have fewer slots than a row. */
static hb_status check_block(const hb_types_context *context)
{
    const uint64_t slots = hb_codec_capacity(context->spec, HB_ENCODE_SLOTS);
    return context->block <= slots
               ? HB_OK
               : HB_FAIL(HB_EDATA, "a row takes %" PRIu64 " slots, and ciphertexts of these parameters have %" PRIu64,
                         context->block, slots);
}

hb_status hb_checked_make(const hb_types_context *context, hb_checked **out)
{
    *out = NULL;
    HB_TRY(check_block(context));
    hb_checked *checked = calloc(1, sizeof *checked);
    if (checked == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the types of an expression");
    }
    checked->users = 1;
    const hb_status st = check(&checked->types, context);
    if (st != HB_OK) {
        hb_checked_leave(checked);
        return st;
    }
    *out = checked;
    return HB_OK;
}

hb_checked *hb_checked_share(hb_checked *checked)
{
    if (checked != NULL) {
        checked->users++;
    }
    return checked;
}

void hb_checked_leave(hb_checked *checked)
{
    if (checked != NULL && --checked->users == 0) {
        clear(&checked->types);
        free(checked);
    }
}
