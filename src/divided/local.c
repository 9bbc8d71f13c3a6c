/* Groups of operations that take nothing but the limbs that are here: the device's, with lists and tables cut to these.
 * Digits, which take all limbs, and one sum are the exceptions. */
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

static hb_status copy(hb_engine *e, hb_batch r, hb_batch a)
{
    return apply_unary(e, r, a, hb_copy);
}

static hb_status clear(hb_engine *e, hb_batch r)
{
    return apply_in_place(e, r, hb_clear);
}

static hb_status add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_add);
}

static hb_status sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_sub);
}

static hb_status negate(hb_engine *e, hb_batch r, hb_batch a)
{
    return apply_unary(e, r, a, hb_negate);
}

static hb_status mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_mul);
}

static hb_status scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    uint64_t here[HB_MAX_LIMBS];
    hb_own_limbs_pick(&s, factors, here);
    return s.limbs == 0 ? HB_OK : hb_scale(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), here);
}

static hb_status permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_permute(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), map);
}

static hb_status galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_galois(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), element);
}

static hb_status count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_divided *d = hb_divided_of(e);
    const hb_own_limbs mine = hb_own_limbs_here(e, a.ids, a.limbs);
    *zeros = 0;
    HB_TRY(hb_divided_settle(d));
    HB_TRY(mine.limbs == 0 ? HB_OK : hb_count_zeros(d->device, zeros, hb_on_device(&mine, a)));
    if (!hb_is_divided(d, a.ids, a.limbs)) {
        return HB_OK;
    }
    HB_TRY(hb_divided_gather_words(d, zeros, 1));
    *zeros = 0;
    for (uint32_t m = 0; m < d->exchange->members; m++) {
        *zeros += d->words[m];
    }
    return HB_OK;
}

const hb_ring_ops hb_divided_ring_ops = {
    .copy = copy,
    .clear = clear,
    .add = add,
    .sub = sub,
    .negate = negate,
    .mul = mul,
    .scale = scale,
    .permute = permute,
    .galois = galois,
    .count_zeros = count_zeros,
};

static hb_status ntt(hb_engine *e, hb_batch x)
{
    return apply_in_place(e, x, hb_ntt);
}

static hb_status intt(hb_engine *e, hb_batch x, const uint64_t *factors)
{
    const hb_own_limbs s = hb_own_limbs_here(e, x.ids, x.limbs);
    uint64_t here[HB_MAX_LIMBS];
    if (factors == NULL) {
        return apply_in_place(e, x, hb_intt);
    }
    hb_own_limbs_pick(&s, factors, here);
    return s.limbs == 0 ? HB_OK : hb_intt_scaled(device_of(e), hb_on_device(&s, x), here);
}

static hb_status ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    return apply_unary(e, r, a, hb_ntt_of);
}

static hb_status ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return apply_binary(e, r, a, b, hb_ntt_mul);
}

static hb_status ntt_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    return hb_divided_decompose(hb_divided_of(e), r, a, hb_ntt_spread);
}

const hb_ntt_ops hb_divided_ntt_ops = {
    .ntt = ntt,
    .intt = intt,
    .ntt_of = ntt_of,
    .ntt_mul = ntt_mul,
    .ntt_spread = ntt_spread,
};

static hb_status sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_sample_uniform(device_of(e), hb_on_device(&s, r), seeds);
}

static hb_status mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_mul_uniform(device_of(e), hb_on_device(&s, r), seeds, hb_on_device(&s, b));
}

static hb_status sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_sample_small(device_of(e), hb_on_device(&s, r), distribution, draw);
}

static hb_status add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_add_small(device_of(e), hb_on_device(&s, r), distribution, draw, sign);
}

const hb_sample_ops hb_divided_sample_ops = {
    .sample_uniform = sample_uniform,
    .mul_uniform = mul_uniform,
    .sample_small = sample_small,
    .add_small = add_small,
};

static hb_status tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0
               ? HB_OK
               : hb_tensor(device_of(e), hb_on_device(&s, r), hb_on_device(&s, a), hb_on_device(&s, b), a_size, b_size);
}

static hb_status spread(hb_engine *e, hb_batch r, hb_batch a)
{
    return hb_divided_decompose(hb_divided_of(e), r, a, hb_spread);
}

static hb_status key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs), of_key = hb_own_limbs_here(e, key.ids, key.limbs);
    return s.limbs == 0 ? HB_OK
                        : hb_key_products(device_of(e), hb_on_device(&s, r), hb_on_device(&s, digits),
                                          hb_on_device(&of_key, key), outputs, row);
}

const hb_product_ops hb_divided_product_ops = {
    .tensor = tensor,
    .spread = spread,
    .key_products = key_products,
};
