#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "lang/text/walk.h"
#include "lang_function.h"
#include "type_rules.h"
#include "worked_out.h"

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

/* Whether two types of one item are the same. */
static bool same_types(const hb_type *x, const hb_type *y)
{
    const hb_member *a = &x->member, *b = &y->member;
    return x->kind == y->kind && same_numbers(&x->number, &y->number) && x->columns == y->columns &&
           x->rows == y->rows && x->names == y->names && same_means(x->means, y->means) &&
           same_means(x->taken, y->taken) && memcmp(&x->image, &y->image, sizeof x->image) == 0 &&
           x->whole == y->whole && x->picked == y->picked && x->worked_out == y->worked_out && a->entry == b->entry &&
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

static hb_status add_step(hb_types *t, uint32_t item, uint32_t type)
{
    if (t->steps == t->step_capacity) {
        const uint32_t capacity = 2 * t->step_capacity + 64;
        uint32_t *order = realloc(t->order, capacity * sizeof *order);
        if (order == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the types of an expression");
        }
        t->order = order;
        t->step_capacity = capacity;
    }
    t->items[item].step = t->steps;
    t->order[t->steps++] = type;
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
               ? hb_types_refuse(t, "digits are compared; the number that they are is base*high + low")
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

/* What the row of a function asks of the scheme; and some aggregates are tables by themselves, and taken of no group.
 * */
static hb_status check_function(const hb_types *t, const hb_item *item)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    const hb_types_context *w = &t->context;
    if (f->integers && w->semantics->reals) {
        return HB_FAIL_AT(HB_EUSAGE, w->syntax->text, item->at,
                          "%s is of integers (BFV): reals are right only up to an error", f->call.name);
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
    HB_TRY(hb_types_match_columns(t, item, operands));
    const bool valued = out->kind != HB_TYPE_WORKED_OUT && out->kind != HB_TYPE_GROUPED;
    if (to.result == HB_RESULT_OWN || !valued) {
        return HB_OK;
    }
    const hb_type *x = count > 0 ? &operands[to.first] : &none;
    return hb_types_result(t, &to, x, to.first + 1 < count ? x + 1 : x, out);
}

/* Notes how an operand is taken: what it stands for itself stays, but of a constant, which has its scale here already.
 * That of a number of rows is brought to it by lowering, which knows the number. */
static hb_status take_operand(hb_types *t, hb_typed_item *operand, hb_type *type)
{
    type->taken = type->means;
    if (!hb_type_constant(type) || type->kind == HB_TYPE_COUNT) {
        type->means = t->list[operand->own].means;
    }
    HB_TRY(
        add_type(t, type, same_types(type, &t->list[operand->own]) ? operand->own : operand->taken, &operand->taken));
    t->order[operand->step] = operand->taken;
    return HB_OK;
}

/* In a loop nothing is new about an item whose operands are what they were. */
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
    HB_TRY(add_step(t, place, own->own));
    for (uint32_t i = count, back = 1; i-- > 0;) {
        const hb_item *operand = item - back;
        hb_typed_item *of = &t->items[place_of(t, operand)];
        if (!settled) {
            HB_TRY(take_operand(t, of, &operands[i]));
        }
        t->order[of->step] = of->taken;
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
    t->weights = calloc((size_t)context->operand_count + 1, sizeof *t->weights);
    if (t->items == NULL || t->arguments == NULL || t->weights == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the types of an expression");
    }
    for (uint32_t i = 0; i < s->count; i++) {
        t->items[i] = (hb_typed_item){.own = NO_TYPE, .taken = NO_TYPE};
    }
    find_weights(t);
    hb_walk walk = {.syntax = s};
    for (const hb_item *item; (item = hb_walk_next(&walk)) != NULL;) {
        t->item = item;
        const hb_status st = step(t, item);
        if (st != HB_OK) {
            return hb_fail_in_iteration(walk.iteration, st);
        }
    }
    return HB_OK;
}

static void clear(hb_types *t)
{
    free(t->list);
    free(t->order);
    free(t->weights);
    free(t->items);
    free(t->arguments);
    free(t->names);
    hb_made_columns_clear(&t->columns);
    while (t->means != NULL) {
        hb_made_means *next = t->means->next;
        free(t->means);
        t->means = next;
    }
    *t = (hb_types){0};
}

/* --- shared by lowerings */

hb_status hb_checked_make(const hb_types_context *context, hb_checked **out)
{
    hb_checked *checked = calloc(1, sizeof *checked);
    *out = NULL;
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
