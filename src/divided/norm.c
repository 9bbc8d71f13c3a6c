/* Mixed-radix digits, and the largest of them, by slices (engine.h). */
#include <string.h>

#include "base/chunk.h"
#include "divided_private.h"

/* The operands of the slices of these operations. */
typedef struct norm {
    const hb_garner *constants;
    uint64_t *digits; /* host, [count][limbs] */
} norm;

/* Digits of a coefficient need all of its limbs: a slice has them. */
static hb_status make_digits(hb_divided *div, const void *context, hb_batch r, hb_batch v, const hb_batch *a,
                             size_t first)
{
    const norm *x = context;
    (void)v;
    (void)first;
    return a->limb_addresses == NULL ? HB_OK : hb_garner_digits(div->base.device, r, *a, x->constants);
}

static hb_status garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    hb_divided *div = hb_divided_of(e);
    const norm x = {constants, NULL};
    const hb_slices s = {.a = &a, .operands = 1, .r = r, .make = make_digits, .context = &x};
    return hb_is_divided(div, a.ids, a.limbs) ? hb_divided_slices(div, &s)
                                              : hb_garner_digits(div->base.device, r, a, constants);
}

/* Sets largest to the larger of two numbers, [limbs] digits each: the last digit that differs decides. It does not
 * branch on digits, which tell the noise. */
static void take_larger(uint64_t *largest, const uint64_t *digits, uint32_t limbs)
{
    uint64_t take = 0; /* all ones where `digits` is larger; digits are below 2^61 */
    for (uint32_t l = 0; l < limbs; l++) {
        const uint64_t above = 0 - ((largest[l] - digits[l]) >> 63), below = 0 - ((digits[l] - largest[l]) >> 63);
        take = above | (take & ~below);
    }
    for (uint32_t l = 0; l < limbs; l++) {
        largest[l] ^= (largest[l] ^ digits[l]) & take;
    }
}

/* Finds the largest of each polynomial's slice here, and takes the larger of all members', some numbers at a time, as
 * many as a message takes. */
static hb_status make_norms(hb_divided *div, const void *context, hb_batch r, hb_batch v, const hb_batch *slice,
                            size_t first)
{
    const norm *x = context;
    const hb_batch a = *slice;
    const size_t limbs = a.limbs, fit = HB_DIVIDED_WORDS / limbs;
    uint64_t *digits = x->digits + first * limbs;
    (void)r;
    (void)v;
    /* An empty slice has nothing larger than 0, but its member takes part in gathering. */
    memset(digits, 0, a.count * limbs * sizeof *digits);
    /* The norm waits for the device's queue, which may wait for transfers. */
    HB_TRY(hb_divided_settle(div));
    if (a.limb_addresses != NULL) {
        HB_TRY(hb_infinity_norm(div->base.device, digits, a, x->constants));
    }
    for (hb_chunk c = hb_chunks(a.count, fit); hb_chunk_next(&c);) {
        /* Every member gets the same numbers and takes the same largest. */
        HB_TRY(hb_divided_gather_words(div, digits + c.first * limbs, c.count * limbs));
        for (size_t i = 0; i < div->exchange->members * c.count; i++) {
            take_larger(digits + (c.first + i % c.count) * limbs, div->words + i * limbs, a.limbs);
        }
    }
    return HB_OK;
}

static hb_status infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    hb_divided *div = hb_divided_of(e);
    const norm x = {constants, digits};
    const hb_slices s = {.a = &a, .operands = 1, .make = make_norms, .context = &x};
    if (hb_is_divided(div, a.ids, a.limbs)) {
        return hb_divided_slices(div, &s);
    }
    HB_TRY(hb_divided_settle(div));
    return hb_infinity_norm(div->base.device, digits, a, constants);
}

const hb_garner_ops hb_divided_garner_ops = {
    .garner_digits = garner_digits,
    .infinity_norm = infinity_norm,
};
