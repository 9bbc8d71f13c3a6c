/* What the columns of values mean: decimals of one scale are added and compared, those of others are brought to the
 * larger one, and products multiply scales; dates are compared and subtracted, categories compared alone. The columns
 * that a value is named by say it (hb_value.names). */
#include <string.h>

#include "lower.h"
#include "semantics.h"

static const hb_meaning plain = {.kind = HB_MEANING_NUMBER};

static const hb_meaning *meaning_of(const hb_value *value, uint32_t column)
{
    const bool named = value->names != NULL && value->kind != HB_VALUE_NUMBER && value->kind != HB_VALUE_TEXT;
    return named ? &value->names[hb_value_width(value) > 1 ? column : 0].meaning : &plain;
}

static bool has_meaning(const hb_value *value)
{
    bool any = false;
    for (uint32_t i = 0; i < hb_value_width(value); i++) {
        any = any || !hb_meaning_is_plain(meaning_of(value, i));
    }
    return any;
}

static bool has_kind(const hb_value *value, hb_meaning_kind kind)
{
    bool any = false;
    for (uint32_t i = 0; i < hb_value_width(value); i++) {
        any = any || meaning_of(value, i)->kind == kind;
    }
    return any;
}

/* The scale of all columns; 0: they have several. */
static uint64_t scale_of(const hb_value *value)
{
    const uint64_t scale = hb_meaning_scale(meaning_of(value, 0));
    uint32_t i = 1;
    while (i < hb_value_width(value) && hb_meaning_scale(meaning_of(value, i)) == scale) {
        i++;
    }
    return i < hb_value_width(value) ? 0 : scale;
}

static hb_status refuse(const hb_lowering *l, const char *what)
{
    return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at, "%s", what);
}

static hb_status scale_number(const hb_lowering *l, hb_value *number, uint64_t scale)
{
    const hb_number by = {.integer = (int64_t)scale, .real = (double)scale};
    return scale == 1 ? HB_OK : hb_lower_numbers(l, HB_ITEM_MULTIPLY, number->number, by, number);
}

/* Numbers beside a column of decimals are such, and so are the ends of ranges. */
static hb_status scale_constant(hb_lowering *l, hb_value *value, uint64_t scale)
{
    if (value->kind == HB_VALUE_RANGE) {
        HB_TRY(scale_constant(l, &l->pairs[value->first][0], scale));
        return scale_constant(l, &l->pairs[value->first][1], scale);
    }
    return value->kind == HB_VALUE_NUMBER ? scale_number(l, value, scale) : HB_OK;
}

static bool is_constant(const hb_value *value)
{
    return value->kind == HB_VALUE_NUMBER || value->kind == HB_VALUE_TEXT || value->kind == HB_VALUE_RANGE ||
           value->kind == HB_VALUE_ENTRY;
}

/* Brings two values to one scale. */
static hb_status align(hb_lowering *l, hb_value *x, hb_value *y)
{
    if (is_constant(x) && is_constant(y)) {
        return HB_OK;
    }
    const uint64_t left = scale_of(x), right = scale_of(y);
    if (left == right && left != 0) {
        return HB_OK;
    }
    bool same = !is_constant(x) && !is_constant(y) && hb_value_width(x) == hb_value_width(y);
    for (uint32_t i = 0; i < hb_value_width(x) && same; i++) {
        same = hb_meaning_scale(meaning_of(x, i)) == hb_meaning_scale(meaning_of(y, i));
    }
    if (same) {
        return HB_OK;
    }
    if (left == 0 || right == 0) {
        return refuse(l, "columns of several scales: pick them one by one, as x.1");
    }
    hb_value *small = left < right ? x : y;
    const uint64_t quotient = left < right ? right / left : left / right; /* of powers of ten */
    if (is_constant(small)) {
        return scale_constant(l, small, quotient);
    }
    if (!hb_value_encrypted(small)) {
        return refuse(l, "a plain table of another scale than the column beside it: read it with --scale");
    }
    hb_value product, by;
    HB_TRY(hb_lower_number(l, (hb_number){.integer = (int64_t)quotient, .real = (double)quotient}, false, &by));
    const hb_column *names = small->names;
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, small, &by, &product));
    product.names = names;
    *small = product;
    return HB_OK;
}

/* Gives a text the number that it stands for in the column beside it, which has that column's scale already. */
static hb_status resolve(hb_lowering *l, hb_value *text, const hb_value *column)
{
    if (text->kind != HB_VALUE_TEXT || is_constant(column)) {
        return HB_OK;
    }
    hb_number stored = {.integer = 0};
    HB_TRY(hb_lower_text(l, text, column->names, &stored));
    *text = (hb_value){.kind = HB_VALUE_NUMBER, .number = stored, .names = column->names};
    return HB_OK;
}

/* Two columns are compared where they mean the same. */
static hb_status check_same_kind(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    const uint32_t width = hb_value_width(x) > hb_value_width(y) ? hb_value_width(x) : hb_value_width(y);
    for (uint32_t i = 0; i < width && !is_constant(x) && !is_constant(y); i++) {
        const hb_meaning *a = meaning_of(x, i), *b = meaning_of(y, i);
        const bool numbers = a->kind <= HB_MEANING_BOOL && b->kind <= HB_MEANING_BOOL;
        if ((a->kind != b->kind && !numbers) || (a->kind == HB_MEANING_CATEGORY && !hb_meaning_same(a, b))) {
            return refuse(l, a->kind == HB_MEANING_CATEGORY && b->kind == a->kind
                                 ? "two categories of other labels: encrypt both with the same ones, --category "
                                   "NAME=LABEL,LABEL,..."
                                 : "the two sides mean different things: numbers, dates, categories or truth values");
        }
    }
    return HB_OK;
}

static hb_status refuse_kinds(const hb_lowering *l, const hb_value *x, bool dates)
{
    if (has_kind(x, HB_MEANING_CATEGORY)) {
        return refuse(l, "of a category nothing is computed but comparisons, as x == 'label', counts and groups");
    }
    return dates && has_kind(x, HB_MEANING_DATE)
               ? refuse(l, "dates are compared and subtracted, and days are added to them")
               : HB_OK;
}

/* The columns of `like`, or such without names, with no meaning. */
static hb_status make_columns(hb_lowering *l, const hb_column *like, uint32_t width, hb_column **out)
{
    hb_schema *made;
    HB_TRY(hb_lower_make_columns(l, width, &made));
    for (uint32_t i = 0; i < width; i++) {
        hb_column *column = &made->column[i];
        if (!(like != NULL ? hb_column_copy(column, &like[i]) : (column->name = strdup("")) != NULL)) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
        }
        hb_meaning_clear(&column->meaning);
    }
    *out = made->column;
    return HB_OK;
}

typedef hb_meaning (*derives)(const hb_value *x, const hb_value *y, uint32_t column);

static hb_meaning as_first(const hb_value *x, const hb_value *y, uint32_t column)
{
    const hb_meaning *own = meaning_of(is_constant(x) ? y : x, column);
    return *own;
}

static hb_meaning as_none(const hb_value *x, const hb_value *y, uint32_t column)
{
    (void)x;
    (void)y;
    (void)column;
    return plain;
}

/* What a table says of values stands in its last column; entries are numbers. */
static hb_meaning as_looked_up(const hb_value *x, const hb_value *y, uint32_t column)
{
    (void)x;
    (void)column;
    return is_constant(y) ? plain : *meaning_of(y, hb_value_width(y) - 1);
}

/* Truth values that are added up are counted. */
static hb_meaning as_sum(const hb_value *x, const hb_value *y, uint32_t column)
{
    const hb_meaning own = as_first(x, y, column);
    return own.kind == HB_MEANING_BOOL ? plain : own;
}

/* A date and days are a date, the days between two dates are a number. */
static hb_meaning as_added(const hb_value *x, const hb_value *y, uint32_t column)
{
    const hb_meaning *a = meaning_of(x, column), *b = meaning_of(y, column);
    /* Of a text it is known of what column it was. */
    const bool left = a->kind == HB_MEANING_DATE || (is_constant(x) && x->names != NULL),
               right = b->kind == HB_MEANING_DATE || (is_constant(y) && y->names != NULL);
    if (a->kind == HB_MEANING_DATE || b->kind == HB_MEANING_DATE) {
        return left && right ? plain : (hb_meaning){.kind = HB_MEANING_DATE};
    }
    return (hb_meaning){.scale = hb_meaning_scale(is_constant(x) ? b : a)};
}

static hb_meaning as_product(const hb_value *x, const hb_value *y, uint32_t column)
{
    return (hb_meaning){.scale = hb_meaning_scale(meaning_of(x, column)) * hb_meaning_scale(meaning_of(y, column))};
}

static hb_status check_product(const hb_lowering *l, const hb_value *x, const hb_value *y)
{
    const uint32_t width = hb_value_width(x) > hb_value_width(y) ? hb_value_width(x) : hb_value_width(y);
    for (uint32_t i = 0; i < width; i++) {
        if (hb_meaning_scale(meaning_of(x, i)) > HB_MOST_SCALE / hb_meaning_scale(meaning_of(y, i))) {
            return refuse(l, "the product has more than 18 digits behind the point");
        }
    }
    HB_TRY(refuse_kinds(l, x, true));
    return refuse_kinds(l, y, true);
}

static hb_status check_sum(const hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y)
{
    HB_TRY(refuse_kinds(l, x, false));
    HB_TRY(refuse_kinds(l, y, false));
    const bool left = has_kind(x, HB_MEANING_DATE), right = has_kind(y, HB_MEANING_DATE);
    if (kind == HB_ITEM_ADD && left && right) {
        return refuse(l, "two dates are not added; the days between them are their difference");
    }
    if (kind == HB_ITEM_SUBTRACT && right && !left && !(is_constant(x) && x->names != NULL)) {
        return refuse(l, "a date is subtracted from dates alone");
    }
    return (left && scale_of(y) != 1) || (right && scale_of(x) != 1) ? refuse(l, "days are whole numbers") : HB_OK;
}

static hb_status check_power(const hb_lowering *l, const hb_value *x, const hb_value *exponent)
{
    int64_t number = 1;
    (void)hb_lower_whole(l, exponent, &number);
    const uint64_t scale = scale_of(x);
    uint64_t power = 1;
    HB_TRY(refuse_kinds(l, x, true));
    for (int64_t i = 0; i < number && power > 0 && scale != 1; i++) {
        power = scale != 0 && power <= HB_MOST_SCALE / scale ? power * scale : 0;
    }
    return power > 0 ? HB_OK
                     : refuse(l, "the power has columns of several scales, or more than 18 digits behind the "
                                 "point");
}

/* What is checked of the values of a call, and what its result means. */
static hb_status prepare_call(hb_lowering *l, const hb_item *item, hb_value *values, derives *derive)
{
    hb_value *x = &values[0];
    switch (item->call) {
    case HB_CALL_ROTATE:
    case HB_CALL_SWAP:
    case HB_CALL_MODSWITCH:
    case HB_CALL_ABS:
        *derive = as_first;
        return item->call == HB_CALL_ABS ? refuse_kinds(l, x, true) : HB_OK;
    case HB_CALL_MAX:
    case HB_CALL_MIN:
        *derive = as_first;
        HB_TRY(refuse_kinds(l, x, false));
        return align(l, x, &values[1]);
    case HB_CALL_SUM:
    case HB_CALL_MEAN:
        *derive = as_sum;
        return refuse_kinds(l, x, item->call == HB_CALL_SUM);
    case HB_CALL_ROWSUM:
        *derive = as_sum;
        HB_TRY(refuse_kinds(l, x, true));
        return scale_of(x) == 0 ? refuse(l, "columns of several scales are not added up") : HB_OK;
    case HB_CALL_DOT:
        *derive = as_product;
        return check_product(l, x, &values[1]);
    case HB_CALL_WHERE:
        HB_TRY(check_same_kind(l, &values[1], &values[2]));
        return align(l, &values[1], &values[2]);
    case HB_CALL_CONV:
        HB_TRY(refuse_kinds(l, x, true));
        return refuse_kinds(l, &values[1], true);
    case HB_CALL_ONEHOT:
    case HB_CALL_LOOKUP:
        *derive = item->call == HB_CALL_LOOKUP ? as_looked_up : as_none;
        return scale_of(x) == 1 ? HB_OK : refuse(l, "decimals are compared, and not looked up");
    default:
        HB_TRY(refuse_kinds(l, x, true));
        return scale_of(x) == 1 ? HB_OK : refuse(l, "of decimals (--scale) this function is not computed");
    }
}

/* Aggregates say what they mean themselves. */
static bool is_left_out(const hb_lowering *l, const hb_item *item)
{
    const hb_call_form *form = item->kind == HB_ITEM_CALL ? hb_call_form_of(item->call) : NULL;
    return item->kind == HB_ITEM_WHERE ||
           (form != NULL && (item->grouped || form->groups || item->call == HB_CALL_COLS ||
                             (form->aggregate && item->call != HB_CALL_SUM && item->call != HB_CALL_DOT &&
                              (item->call != HB_CALL_MEAN || !l->graph.semantics->reals))));
}

/* A decimal beside integers (lower.c) is a number of a column of decimals that it is added to or compared with. */
static hb_status place_decimals(const hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count)
{
    const bool sum = item->kind == HB_ITEM_ADD || item->kind == HB_ITEM_SUBTRACT;
    const bool compared = (item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_NOT_EQUAL) ||
                          item->kind == HB_ITEM_BETWEEN || item->kind == HB_ITEM_IN || item->kind == HB_ITEM_RANGE;
    for (uint32_t i = 0; i < count; i++) {
        if (values[i].kind != HB_VALUE_TEXT || values[i].text->kind != HB_ITEM_NUMBER) {
            continue;
        }
        const bool lonely = sum && is_constant(&values[1 - i]);
        if (lonely || !(sum || compared)) {
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, values[i].text->at,
                              "constants are integers; scale the values instead (encrypt --scale): decimals are added "
                              "to such and compared with them");
        }
        if (l->graph.params == NULL) { /* columns are not known, and keys are the same whatever the number is */
            values[i] = (hb_value){.kind = HB_VALUE_NUMBER, .number = {.integer = 1, .real = 1}};
        }
    }
    return HB_OK;
}

hb_status hb_lower_prepare_meaning(hb_lowering *l, const hb_item *item, hb_value *values, uint32_t count,
                                   hb_lowered_meaning *to)
{
    hb_value *x = &values[0], *y = &values[count > 1 ? 1 : 0];
    bool any = false;
    *to = (hb_lowered_meaning){0};
    HB_TRY(place_decimals(l, item, values, count));
    if (item->kind == HB_ITEM_ADD || item->kind == HB_ITEM_SUBTRACT) {
        HB_TRY(resolve(l, x, y));
        HB_TRY(resolve(l, y, x));
    }
    for (uint32_t i = 0; i < count; i++) {
        any = any || (!is_constant(&values[i]) && has_meaning(&values[i]));
    }
    if (!any || is_left_out(l, item) || item->kind == HB_ITEM_PICK || item->kind == HB_ITEM_ASSIGN) {
        return HB_OK;
    }
    derives derive = as_none;
    switch (item->kind) {
    case HB_ITEM_ADD:
    case HB_ITEM_SUBTRACT:
        HB_TRY(check_sum(l, item->kind, x, y));
        HB_TRY(x->names != NULL && y->names != NULL && (is_constant(x) || is_constant(y)) ? HB_OK : align(l, x, y));
        derive = as_added;
        break;
    case HB_ITEM_MULTIPLY:
        HB_TRY(check_product(l, x, y));
        derive = as_product;
        break;
    case HB_ITEM_NEGATE:
        HB_TRY(refuse_kinds(l, x, true));
        derive = as_sum;
        break;
    case HB_ITEM_POWER:
        HB_TRY(check_power(l, x, y));
        to->power = true;
        break;
    case HB_ITEM_DIVIDE:
    case HB_ITEM_MATRIX:
        HB_TRY(refuse_kinds(l, x, true));
        HB_TRY(refuse_kinds(l, y, true));
        break;
    case HB_ITEM_CALL:
        to->power = item->call == HB_CALL_SQUARE;
        HB_TRY(to->power ? refuse_kinds(l, x, true) : prepare_call(l, item, values, &derive));
        break;
    case HB_ITEM_AND:
    case HB_ITEM_OR:
    case HB_ITEM_NOT:
        break;
    default: /* comparisons */
        for (uint32_t i = 1; i < count; i++) {
            HB_TRY(check_same_kind(l, x, &values[i]));
            HB_TRY(align(l, x, &values[i]));
        }
    }
    to->derive = derive;
    to->x = item->kind == HB_ITEM_CALL && item->call == HB_CALL_WHERE ? values[1] : *x;
    to->y = item->kind == HB_ITEM_CALL && item->call == HB_CALL_WHERE ? values[2] : *y;
    to->derive = item->kind == HB_ITEM_CALL && item->call == HB_CALL_WHERE ? as_first : derive;
    to->exponent = item->kind == HB_ITEM_POWER ? y->number : (hb_number){.integer = 2, .real = 2};
    to->any = true;
    return HB_OK;
}

hb_status hb_lower_set_meaning(hb_lowering *l, const hb_lowered_meaning *from, hb_value *out)
{
    const uint32_t width = hb_value_width(out);
    if (!from->any || is_constant(out) || width == 0 || out->grouping != NULL) {
        return HB_OK;
    }
    const hb_column *like = out->names;
    like = like == NULL && from->x.names != NULL && hb_value_width(&from->x) == width ? from->x.names : like;
    like = like == NULL && from->y.names != NULL && hb_value_width(&from->y) == width ? from->y.names : like;
    hb_column *made = NULL;
    HB_TRY(make_columns(l, like, width, &made));
    for (uint32_t i = 0; i < width; i++) {
        if (from->power) {
            uint64_t scale = 1;
            const int64_t times = l->graph.semantics->reals ? 1 : from->exponent.integer;
            for (int64_t k = 0; k < times; k++) {
                scale *= hb_meaning_scale(meaning_of(&from->x, i));
            }
            made[i].meaning = (hb_meaning){.scale = scale};
        } else {
            const hb_meaning derived = from->derive(&from->x, &from->y, i);
            made[i].meaning = hb_meaning_share(&derived);
        }
    }
    out->names = made;
    return HB_OK;
}
