/* The front end of the operations on reals. Every member has all reals. */
#include "real_ops.h"

#include <inttypes.h>
#include <string.h>

#include "base/natural.h"
#include "local.h"
#include "shape.h"

/* Checks a batch of reals, and that it is here. */
static void check_reals(const hb_engine *e, hb_batch a)
{
    hb_require_shape(e, a);
    HB_ASSERT(a.limbs == 1 && hb_limb_here(e, a.ids[0]));
}

/* Returns who does the work: the device, which has all reals. */
static hb_engine *device_of(hb_engine *e)
{
    return e->device != NULL ? e->device : e;
}

/* Returns the polynomials of so many times coefficients. */
static size_t rows_of(size_t count, bool wide)
{
    return wide ? 2 * count : count;
}

static void check_transform(const hb_engine *e, hb_batch coefficients, hb_batch slots, const hb_slot_tables *tables)
{
    check_reals(e, coefficients);
    check_reals(e, slots);
    HB_ASSERT(coefficients.count == rows_of(slots.count, tables->wide) && tables->twiddles != NULL);
    HB_ASSERT(coefficients.data != slots.data || slots.count == 0);
}

hb_status hb_slots_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    check_transform(e, r, a, tables);
    return device_of(e)->ops->real->slots_to_coefficients(device_of(e), r, a, tables);
}

hb_status hb_coefficients_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    check_transform(e, a, r, tables);
    return device_of(e)->ops->real->coefficients_to_slots(device_of(e), r, a, tables);
}

hb_status hb_round_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding)
{
    hb_require_shape(e, r);
    check_reals(e, a);
    HB_ASSERT(a.count == rows_of(r.count, rounding->scale.wide) && rounding->refused != NULL);
    HB_ASSERT(r.data != a.data || r.count == 0);
    hb_local here;
    /* A member without any of the limbs has to know the refused values, too: members go on or stop together. */
    (void)hb_local_of(&here, e, r);
    return here.engine->ops->real->round_reals(here.engine, hb_local_view(&here, r), a, rounding);
}

hb_status hb_compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                           const hb_real_scale *scale)
{
    check_reals(e, r);
    hb_require_slices(e, a);
    HB_ASSERT(a.limbs == composition->limbs && (a.n == 0 || a.n == e->ring->n));
    HB_ASSERT(r.count == rows_of(a.count, scale->wide) && scale->value.high > 0);
    hb_require_ids(a.ids, composition->ids, a.limbs);
    hb_require_apart(e, r, a);
    /* It exchanges where limbs are divided, so it is the engine's own even there. */
    return e->ops->real->compose_reals(e, r, a, composition, scale);
}

/* Writes a natural number below 2^192 as words. */
static void words_of(uint64_t words[HB_REAL_WORDS], const hb_natural *x)
{
    HB_ASSERT(x->words <= HB_REAL_WORDS);
    memset(words, 0, HB_REAL_WORDS * sizeof *words);
    memcpy(words, x->word, x->words * sizeof *words);
}

hb_status hb_composition_init(hb_composition *composition, const hb_ring *ring, const uint16_t *ids, uint32_t limbs)
{
    hb_natural product;
    hb_natural_set(&product, 1);
    memset(composition, 0, sizeof *composition);
    for (uint32_t i = 0; i < limbs && hb_natural_bits(&product) <= 128; i++) {
        const hb_modulus *q = &ring->moduli[ids[i]];
        if (i == HB_COMPOSITION_LIMBS) {
            memset(composition, 0, sizeof *composition);
            return HB_FAIL(HB_ECONFIG, "the first %d primes of the chain have a product of %" PRIu32 " bits, too few",
                           HB_COMPOSITION_LIMBS, hb_natural_bits(&product));
        }
        composition->ids[i] = ids[i];
        composition->words[i] = product.words;
        words_of(composition->product[i], &product);
        composition->inverse[i] = hb_mod_inverse(hb_natural_mod(&product, q), q);
        composition->quotient[i] = hb_shoup_quotient(composition->inverse[i], q->value);
        composition->limbs = i + 1;
        /* Below 2^(128 + 61). */
        hb_natural_mul_add(&product, q->value, 0);
    }
    words_of(composition->whole, &product);
    hb_natural_div(&product, 2);
    words_of(composition->half, &product);
    return HB_OK;
}
