/* Constants of an expression. */
#include <inttypes.h>
#include <math.h>

#include "lang/ir/semantics.h"
#include "lowering.h"
#include "meaning.h"
#include "scheme/codec.h"

hb_status hb_lower_number(const hb_lowering *l, hb_number number, bool overflow, hb_value *out)
{
    const hb_graph *g = &l->graph;
    const hb_interval all = g->semantics->numbers(g->spec);
    const double imaginary = fabs(number.imaginary);
    if (all.real && !(number.real >= all.low && number.real <= all.high && imaginary <= all.high)) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "the constant is larger than any double");
    }
    if (!all.real && (overflow || number.integer < all.least || number.integer > all.most)) {
        char bound[HB_CODEC_TEXT];
        hb_codec_bound_text(bound, g->spec);
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the constant is not between %lld and %lld, as numbers mod %s are", (long long)all.least,
                          (long long)all.most, bound);
    }
    *out = (hb_value){.kind = HB_VALUE_NUMBER, .number = number};
    return HB_OK;
}

hb_status hb_lower_numbers(const hb_lowering *l, hb_item_kind kind, hb_number a, hb_number b, hb_value *out)
{
    hb_number r = {.integer = 0};
    bool overflow;
    if (kind == HB_ITEM_ADD) {
        overflow = __builtin_add_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real + b.real;
        r.imaginary = a.imaginary + b.imaginary;
    } else if (kind == HB_ITEM_SUBTRACT) {
        overflow = __builtin_sub_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real - b.real;
        r.imaginary = a.imaginary - b.imaginary;
    } else {
        HB_ASSERT(kind == HB_ITEM_MULTIPLY);
        overflow = __builtin_mul_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real * b.real - a.imaginary * b.imaginary;
        r.imaginary = a.real * b.imaginary + a.imaginary * b.real;
    }
    return hb_lower_number(l, r, overflow, out);
}

bool hb_lower_whole(const hb_lowering *l, const hb_value *value, int64_t *whole)
{
    const double real = value->number.real;
    if (value->kind != HB_VALUE_NUMBER || value->number.imaginary != 0 || hb_value_scale(value) > 1 ||
        (l->graph.semantics->reals && !(fabs(real) <= 0x1p53 && rint(real) == real))) {
        return false;
    }
    *whole = l->graph.semantics->reals ? (int64_t)real : value->number.integer;
    return true;
}
