/* The front end of the operations between bases. */
#include "rns_ops.h"

#include "shape.h"

/* half is 1 .. m, for which hb_overflow_shifted is right. */
static void check_overflow(const hb_engine *e, const hb_overflow *v)
{
    if (v == NULL || !hb_overflow_is_modular(v)) {
        return;
    }
    const bool binary = v->kind == HB_OVERFLOW_BINARY;
    HB_ASSERT(binary || v->id < e->ring->count);
    HB_ASSERT(v->half >= 1 && v->half <= (binary ? (uint64_t)1 << 32 : e->ring->moduli[v->id].value));
}

/* The conversion's lists of ids must be those of the batches, in the same order: its matrix goes by them. */
static void check_conversion(const hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    hb_require_same_slices(e, r, a);
    HB_ASSERT(a.limbs == conversion->from_limbs && r.limbs == conversion->to_limbs);
    hb_require_ids(a.ids, conversion->from_ids, a.limbs);
    hb_require_ids(r.ids, conversion->to_ids, r.limbs);
    check_overflow(e, conversion->overflow);
}

hb_status hb_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    check_conversion(e, r, a, conversion);
    /* Every limb of r is made of all limbs of a: r may not overwrite limbs that are still to be read. */
    hb_require_apart(e, r, a);
    /* Conversions mix limbs: where those are divided they exchange, and the engine's own entry does that. */
    return e->ops->rns->base_convert(e, r, a, conversion);
}

hb_status hb_base_convert_each(hb_engine *e, const hb_batch *r, const hb_batch *a, const hb_base_conversion *conversion,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        check_conversion(e, r[i], a[i], &conversion[i]);
        for (uint32_t j = 0; j < count; j++) {
            hb_require_apart(e, r[i], a[j]);
        }
    }
    if (e->ops->rns->base_convert_each != NULL) {
        return e->ops->rns->base_convert_each(e, r, a, conversion, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(e->ops->rns->base_convert(e, r[i], a[i], &conversion[i]));
    }
    return HB_OK;
}

hb_status hb_base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a, const hb_base_conversion *first,
                                  const hb_base_conversion *second)
{
    check_conversion(e, via, a, first);
    check_conversion(e, r, via, second);
    /* r may be a: the first conversion has read it when the second one writes. */
    hb_require_apart(e, via, a);
    hb_require_apart(e, r, via);
    /* An engine has it where that saves more than two conversions cost. */
    if (e->ops->rns->base_convert_through != NULL) {
        return e->ops->rns->base_convert_through(e, r, via, a, first, second);
    }
    HB_TRY(e->ops->rns->base_convert(e, via, a, first));
    return e->ops->rns->base_convert(e, r, via, second);
}

/* Checks the shapes of both divisions; b was checked by the caller. */
static hb_status divide(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, const hb_drop_last *constants)
{
    hb_require_shape(e, r);
    hb_require_shape(e, a);
    HB_ASSERT(a.limbs == r.limbs + 1 && a.ids[r.limbs] == constants->last_id && r.count == a.count);
    hb_require_ids(r.ids, a.ids, r.limbs);
    /* One entry for both functions, which get the last limb as a batch of its own. */
    return e->ops->rns->divide_round(e, r, b, hb_batch_limbs(e, a, 0, r.limbs), hb_batch_limbs(e, a, r.limbs, 1),
                                     constants);
}

hb_status hb_divide_round_last(hb_engine *e, hb_batch r, hb_batch a, const hb_drop_last *constants)
{
    return divide(e, r, (hb_batch){.data = NULL}, a, constants);
}

hb_status hb_divide_round_add(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, const hb_drop_last *constants)
{
    hb_require_same_limbs(e, r, b);
    /* Polynomials of r behind those of b are the quotient alone. */
    HB_ASSERT(b.count <= r.count);
    return divide(e, r, b, a, constants);
}

/* The constants of mixed radix are of this basis, in its order. */
static void check_garner(hb_batch a, const hb_garner *constants)
{
    HB_ASSERT(a.limbs == constants->basis->limbs);
    hb_require_ids(a.ids, constants->basis->ids, a.limbs);
}

hb_status hb_garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants)
{
    hb_require_same_slices(e, r, a);
    HB_ASSERT(r.limbs == a.limbs);
    hb_require_ids(r.ids, a.ids, r.limbs);
    check_garner(a, constants);
    return e->ops->garner->garner_digits(e, r, a, constants);
}

hb_status hb_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    hb_require_slices(e, a);
    check_garner(a, constants);
    return e->ops->garner->infinity_norm(e, digits, a, constants);
}
