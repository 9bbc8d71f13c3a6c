/* Constants of an expression. */
#include <inttypes.h>
#include <math.h>

#include "lang/ir/semantics.h"
#include "scheme/codec.h"
#include "type_rules.h"

hb_status hb_number_check(const hb_types_context *context, uint32_t at, hb_number number, bool overflow)
{
    const bool reals = context->semantics->reals;
    if (reals && !(isfinite(number.real) && isfinite(number.imaginary))) {
        return HB_FAIL_AT(HB_EUSAGE, context->syntax->text, at, "the constant is larger than any double");
    }
    return reals || !overflow
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, context->syntax->text, at, "the constant is beyond -2^63 .. 2^63 - 1");
}

hb_status hb_number_check_encrypted(const hb_types_context *context, uint32_t at, hb_number number)
{
    const hb_interval all = context->semantics->numbers(context->spec);
    if (all.real || hb_semantics_has(context->semantics, context->spec, number.integer)) {
        return HB_OK;
    }
    char bound[HB_CODEC_TEXT];
    hb_codec_bound_text(bound, context->spec);
    return HB_FAIL_AT(
        HB_EUSAGE, context->syntax->text, at,
        "the constant is not between %lld and %lld, as numbers mod %s are, and here %lld stands beside an "
        "encrypted value",
        (long long)all.least, (long long)all.most, bound, (long long)number.integer);
}

hb_number hb_numbers_combine(hb_item_kind kind, hb_number a, hb_number b, bool *overflow)
{
    hb_number r = {.integer = 0};
    if (kind == HB_ITEM_ADD) {
        *overflow = __builtin_add_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real + b.real;
        r.imaginary = a.imaginary + b.imaginary;
    } else if (kind == HB_ITEM_SUBTRACT) {
        *overflow = __builtin_sub_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real - b.real;
        r.imaginary = a.imaginary - b.imaginary;
    } else {
        HB_ASSERT(kind == HB_ITEM_MULTIPLY);
        *overflow = __builtin_mul_overflow(a.integer, b.integer, &r.integer);
        r.real = a.real * b.real - a.imaginary * b.imaginary;
        r.imaginary = a.real * b.imaginary + a.imaginary * b.real;
    }
    return r;
}

bool hb_type_whole(const hb_types_context *context, const hb_type *type, int64_t *whole)
{
    const double real = type->number.real;
    const bool reals = context->semantics->reals;
    if (type->kind != HB_TYPE_NUMBER || type->number.imaginary != 0 || hb_type_scale(type) > 1 ||
        (reals && !(fabs(real) <= 0x1p53 && rint(real) == real))) {
        return false;
    }
    *whole = reals ? (int64_t)real : type->number.integer;
    return true;
}
