/* Operations that take nothing but the limbs that are here: the device's, with lists and tables cut to these. */
#include "divided_private.h"

static hb_engine *device_of(hb_engine *e)
{
    return hb_divided_of(e)->device;
}

typedef hb_status (*unary)(hb_engine *e, hb_batch r, hb_batch a);
typedef hb_status (*binary)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);

static hb_status apply_unary(hb_engine *e, hb_batch r, hb_batch a, unary operation)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : operation(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a));
}

static hb_status apply_binary(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, binary operation)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK
                        : operation(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), hb_on_device(&s, b));
}

static hb_status apply_in_place(hb_engine *e, hb_batch x, hb_status (*operation)(hb_engine *e, hb_batch x))
{
    const hb_own_limbs s = hb_own_limbs_here(e, x.ids, x.limbs);
    return s.limbs == 0 ? HB_OK : operation(device_of(e), hb_on_device(&s, x));
}

hb_status hb_divided_copy(hb_engine *e, hb_batch r, hb_batch a)
{
    return apply_unary(e, r, a, hb_copy);
}

hb_status hb_divided_clear(hb_engine *e, hb_batch r)
{
    return apply_in_place(e, r, hb_clear);
}

hb_status hb_divided_ntt(hb_engine *e, hb_batch x)
{
    return apply_in_place(e, x, hb_ntt);
}

hb_status hb_divided_intt(hb_engine *e, hb_batch x, const uint64_t *factors)
{
    const hb_own_limbs s = hb_own_limbs_here(e, x.ids, x.limbs);
    uint64_t here[HB_MAX_LIMBS];
    if (factors == NULL) {
        return apply_in_place(e, x, hb_intt);
    }
    hb_own_limbs_pick(&s, factors, here);
    return s.limbs == 0 ? HB_OK : hb_intt_scaled(device_of(e), hb_on_device(&s, x), here);
}

hb_status hb_divided_ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    return apply_unary(e, r, a, hb_ntt_of);
}

hb_status hb_divided_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_ntt_mul);
}

hb_status hb_divided_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_add);
}

hb_status hb_divided_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_sub);
}

hb_status hb_divided_negate(hb_engine *e, hb_batch r, hb_batch a)
{
    return apply_unary(e, r, a, hb_negate);
}

hb_status hb_divided_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_mul);
}

hb_status hb_divided_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    uint64_t here[HB_MAX_LIMBS];
    hb_own_limbs_pick(&s, factors, here);
    return s.limbs == 0 ? HB_OK : hb_scale(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), here);
}

hb_status hb_divided_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_sample_uniform(device_of(e), hb_on_device(&s, r), seeds);
}

hb_status hb_divided_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_mul_uniform(device_of(e), hb_on_device(&s, r), seeds, hb_on_device(&s, b));
}

hb_status hb_divided_sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_sample_small(device_of(e), hb_on_device(&s, r), distribution, draw);
}

hb_status hb_divided_add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_add_small(device_of(e), hb_on_device(&s, r), distribution, draw, sign);
}

hb_status hb_divided_permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_permute(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), map);
}

hb_status hb_divided_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_galois(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), element);
}

hb_status hb_divided_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0
               ? HB_OK
               : hb_tensor(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), hb_on_device(&s, b), a_size, b_size);
}

hb_status hb_divided_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs,
                                  uint32_t row)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs), of_key = hb_own_limbs_here(e, key.ids, key.limbs);
    return s.limbs == 0 ? HB_OK
                        : hb_key_products(device_of(e), hb_on_device(&s, r), hb_on_device(&s, digits),
                                          hb_on_device(&of_key, key), outputs, row);
}

hb_status hb_divided_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                      hb_sign sign)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    uint64_t delta[HB_MAX_LIMBS];
    hb_scale_plain here = *constants;
    hb_own_limbs_pick(&s, constants->delta, delta);
    here.delta = delta;
    return s.limbs == 0 ? HB_OK : hb_add_scaled_plain(device_of(e), hb_on_device(&s, r), plain, &here, sign);
}

hb_status hb_divided_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_lift_plain(device_of(e), hb_on_device(&s, r), plain, constants);
}

/* Every member has t and gamma. */
hb_status hb_divided_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    return hb_gamma_correct(device_of(e), r, a, constants);
}

hb_status hb_divided_pack(hb_engine *e, hb_packed to, hb_batch a)
{
    const hb_own_limbs s = hb_own_limbs_here(e, a.ids, a.limbs);
    return s.limbs == 0 ? HB_OK : hb_pack(device_of(e), to, hb_on_device(&s, a));
}

hb_status hb_divided_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    *out_of_range = 0;
    HB_TRY(hb_divided_settle(hb_divided_of(e)));
    return s.limbs == 0 ? HB_OK : hb_unpack(device_of(e), hb_on_device(&s, r), from, out_of_range);
}
