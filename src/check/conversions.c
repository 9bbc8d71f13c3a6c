/* Rows of operations between bases, and to bytes and back. */
#include "check_private.h"

/* Copies an operand down and up again through host memory of the engine. */
static hb_status copy(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const size_t bytes = k->area[with].words * sizeof(uint64_t);
    void *host = NULL;
    hb_status st;
    HB_GOTO(hb_host_alloc(e, bytes, &host));
    HB_GOTO(hb_download(e, host, k->area[with].memory[side], bytes));
    HB_GOTO(hb_finish(e));
    HB_GOTO(hb_upload(e, k->area[HB_CHECK_SCRATCH].memory[side], host, bytes));
    st = hb_finish(e);
done:
    hb_host_free(e, host);
    return st;
}

/* with: the plaintexts, and the sign. */
static hb_status add_scaled_plain(hb_check *k, int side, int with)
{
    return hb_add_scaled_plain(hb_check_engine(k, side), hb_check_result(k, side),
                               hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), &k->scale_plain,
                               (hb_sign)HB_CHECK_SECOND_OF(with));
}

static hb_status add_one_scaled_plain(hb_check *k, int side, int with)
{
    return hb_add_scaled_plain(hb_check_engine(k, side), hb_check_result(k, side),
                               hb_batch_slice(hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), 0, 1), &k->scale_plain,
                               (hb_sign)HB_CHECK_SECOND_OF(with));
}

/* with: whether monomials are left as they are. */
static hb_status lift_plain(hb_check *k, int side, int with)
{
    hb_plain_lift lift = k->plain_lift;
    lift.keep_monomials = with != 0;
    return hb_lift_plain(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_LIFTED),
                         hb_check_view(k, side, HB_CHECK_TERMS), &lift);
}

static hb_status lift_any_plain(hb_check *k, int side, int with)
{
    return hb_lift_plain(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with),
                         &k->plain_lift);
}

/* Converts from A, or from t and gamma, to R, or to t and gamma. */
static hb_status convert(hb_check *k, int side, int with)
{
    const hb_base_conversion *c = &k->conversion[with];
    const int from = c->from_ids == k->plain_gamma_ids ? HB_CHECK_PLAIN_GAMMA : HB_CHECK_A;
    const int to = c->to_ids == k->plain_gamma_ids ? HB_CHECK_PLAIN_GAMMA : HB_CHECK_R;
    return hb_base_convert(hb_check_engine(k, side), hb_check_view(k, side, to), hb_check_view(k, side, from), c);
}

/* A conversion with an overflow as two at once, each to half of R's limbs. */
static hb_status convert_each(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_base_conversion *c = &k->conversion[with];
    const hb_batch a = hb_check_view(k, side, HB_CHECK_A), r = hb_check_result(k, side);
    const uint32_t half = c->to_limbs / 2;
    if (half == 0) {
        return hb_base_convert_each(e, &r, &a, c, 1);
    }
    hb_overflow overflow = *c->overflow;
    hb_base_conversion parts[2] = {*c, *c};
    const hb_batch to[2] = {hb_batch_limbs(e, r, 0, half), hb_batch_limbs(e, r, half, r.limbs - half)};
    const hb_batch from[2] = {a, a};
    parts[0].to_limbs = half;
    parts[1].to_limbs -= half;
    parts[1].to_ids += half;
    parts[1].matrix += (size_t)half * c->from_limbs;
    overflow.factors += half;
    parts[1].overflow = &overflow;
    return hb_base_convert_each(e, to, from, parts, 2);
}

static hb_status gamma_correct(hb_check *k, int side, int with)
{
    return hb_gamma_correct(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_PLAIN),
                            hb_check_view(k, side, with), &k->gamma_correction);
}

/* Divides by the last prime; nothing where there is only one limb. */
static hb_status drop_last(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const uint32_t left = k->shape.limbs - 1;
    if (left == 0) {
        return HB_OK;
    }
    return hb_divide_round_last(e, hb_batch_limbs(e, hb_check_result(k, side), 0, left), hb_check_view(k, side, with),
                                &k->drop_last);
}

/* Divides and adds, to B or to R in place. */
static hb_status drop_last_add(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const uint32_t left = k->shape.limbs - 1;
    if (left == 0) {
        return HB_OK;
    }
    return hb_divide_round_add(e, hb_batch_limbs(e, hb_check_result(k, side), 0, left),
                               hb_batch_limbs(e, hb_check_view(k, side, with), 0, left),
                               hb_check_view(k, side, HB_CHECK_A), &k->drop_last);
}

/* Divides and adds in all polynomials except the last. */
static hb_status drop_last_add_some(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const uint32_t left = k->shape.limbs - 1;
    const hb_batch b = hb_batch_slice(hb_check_view(k, side, with), 0, k->shape.count - 1);
    if (left == 0) {
        return HB_OK;
    }
    return hb_divide_round_add(e, hb_batch_limbs(e, hb_check_result(k, side), 0, left), hb_batch_limbs(e, b, 0, left),
                               hb_check_view(k, side, HB_CHECK_A), &k->drop_last);
}

static hb_status drop_gamma(hb_check *k, int side, int with)
{
    return hb_divide_round_last(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_PLAIN),
                                hb_check_view(k, side, with), &k->drop_gamma);
}

static hb_status garner_digits(hb_check *k, int side, int with)
{
    return hb_garner_digits(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with),
                            &k->garner);
}

hb_status hb_check_norm(hb_check *k, int side, hb_batch a)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_check_area *norms = &k->area[HB_CHECK_NORMS];
    HB_TRY(hb_infinity_norm(e, k->norms, a, &k->garner));
    HB_TRY(hb_upload(e, norms->memory[side], k->norms, norms->words * sizeof *k->norms));
    return hb_finish(e);
}

static hb_status infinity_norm(hb_check *k, int side, int with)
{
    return hb_check_norm(k, side, hb_check_view(k, side, with));
}

/* Returns the packed rows of a side. with: an operand, and how far apart its rows are. */
static hb_packed rows_of(const hb_check *k, int side, int with)
{
    const hb_check_area *a = &k->area[HB_CHECK_PACKED];
    return (hb_packed){(uint8_t *)a->memory[side], a->count, 1, (size_t)HB_CHECK_SECOND_OF(with)};
}

static hb_status pack(hb_check *k, int side, int with)
{
    return hb_pack(hb_check_engine(k, side), rows_of(k, side, with), hb_check_view(k, side, HB_CHECK_FIRST_OF(with)));
}

/* The count of wrong residues is compared by the next row. */
static hb_status unpack(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    size_t wrong = SIZE_MAX;
    HB_TRY(hb_unpack(e, hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), rows_of(k, side, with), &wrong));
    const uint64_t word = wrong;
    HB_TRY(hb_upload(e, k->area[HB_CHECK_OUT_OF_RANGE].memory[side], &word, sizeof word));
    return hb_finish(e);
}

/* Sets a few residues of the first polynomial to the longest words that their bits can hold, and unpacks them. */
static hb_status unpack_damaged(hb_check *k, int side, int with)
{
    static const uint64_t ones[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}; /* three words hold two residues or more */
    hb_engine *e = hb_check_engine(k, side);
    const hb_packed rows = rows_of(k, side, with);
    uint8_t *at = rows.bytes;
    for (uint32_t l = 0; l < k->shape.limbs; l++) {
        const size_t row = hb_packed_row_bytes(k->ring->n, &k->ring->moduli[k->shape.ids[l]]);
        HB_TRY(hb_upload(e, at + rows.first * row, ones, sizeof ones));
        at += rows.rows * row;
    }
    return unpack(k, side, with);
}

static hb_status digest_rows(hb_check *k, int side, int with)
{
    (void)with;
    return hb_digest_rows(hb_check_engine(k, side), (uint8_t *)k->area[HB_CHECK_DIGESTS].memory[side],
                          rows_of(k, side, HB_CHECK_BOTH(0, 1)), k->shape.ids, k->shape.limbs);
}

/* Rows run in this order: unpacking reads the output of packing. */
const hb_check_row hb_check_conversions[] = {
    {"copies through host memory", copy, HB_CHECK_A, HB_CHECK_SCRATCH, NULL},
    {"adding the scaled message", add_scaled_plain, HB_CHECK_BOTH(HB_CHECK_PLAIN, HB_PLUS), HB_CHECK_R, NULL},
    {"subtracting the scaled message", add_scaled_plain, HB_CHECK_BOTH(HB_CHECK_PLAIN, HB_MINUS), HB_CHECK_R, NULL},
    {"adding one scaled message", add_one_scaled_plain, HB_CHECK_BOTH(HB_CHECK_PLAIN, HB_PLUS), HB_CHECK_R, NULL},
    {"subtracting one scaled message", add_one_scaled_plain, HB_CHECK_BOTH(HB_CHECK_PLAIN, HB_MINUS), HB_CHECK_R, NULL},
    {"plaintext as a factor", lift_any_plain, HB_CHECK_PLAIN, HB_CHECK_R, NULL},
    {"plaintext of few terms as a factor", lift_plain, 0, HB_CHECK_LIFTED, NULL},
    {"monomial as a factor", lift_plain, 1, HB_CHECK_LIFTED, NULL},
    {"base conversion to t and gamma", convert, HB_CHECK_TO_PLAIN_GAMMA, HB_CHECK_PLAIN_GAMMA, NULL},
    {"base conversion from t and gamma", convert, HB_CHECK_FROM_PLAIN_GAMMA, HB_CHECK_R, NULL},
    {"base conversion with factors", convert, HB_CHECK_SCALED, HB_CHECK_R, NULL},
    {"base conversion with an overflow", convert, HB_CHECK_BINARY, HB_CHECK_R, NULL},
    {"base conversion with an overflow modulo a prime", convert, HB_CHECK_MODULAR, HB_CHECK_R, NULL},
    {"base conversion with an overflow modulo gamma", convert, HB_CHECK_GAMMA_OVERFLOW, HB_CHECK_R, NULL},
    {"base conversion with an overflow at its border", convert, HB_CHECK_BINARY_BORDER, HB_CHECK_PLAIN_GAMMA, NULL},
    {"base conversion of centred words", convert, HB_CHECK_CENTRED, HB_CHECK_R, NULL},
    {"base conversion with a rounded overflow", convert, HB_CHECK_ROUNDED, HB_CHECK_R, NULL},
    /* behind a row with other words: a call that does nothing shows */
    {"several base conversions", convert_each, HB_CHECK_CENTRED, HB_CHECK_R, NULL},
    {"gamma correction", gamma_correct, HB_CHECK_PLAIN_GAMMA, HB_CHECK_PLAIN, NULL},
    {"division by the last prime", drop_last, HB_CHECK_A, HB_CHECK_R, NULL},
    {"division by the last prime in place", drop_last, HB_CHECK_R, HB_CHECK_R, NULL},
    {"division by the last prime and sum", drop_last_add, HB_CHECK_B, HB_CHECK_R, NULL},
    {"division by the last prime and sum in place", drop_last_add, HB_CHECK_R, HB_CHECK_R, NULL},
    {"division by the last prime and sum in some polynomials", drop_last_add_some, HB_CHECK_B, HB_CHECK_R, NULL},
    {"division by gamma", drop_gamma, HB_CHECK_PLAIN_GAMMA, HB_CHECK_PLAIN, NULL},
    {"mixed-radix digits", garner_digits, HB_CHECK_A, HB_CHECK_R, NULL},
    {"mixed-radix digits in place", garner_digits, HB_CHECK_R, HB_CHECK_R, NULL},
    {"infinity norm", infinity_norm, HB_CHECK_A, HB_CHECK_NORMS, NULL},
    {"packing", pack, HB_CHECK_BOTH(HB_CHECK_A, 1), HB_CHECK_PACKED, NULL},
    {"unpacking", unpack, HB_CHECK_BOTH(HB_CHECK_R, 1), HB_CHECK_R, NULL},
    {"count of residues out of range", NULL, 0, HB_CHECK_OUT_OF_RANGE, NULL},
    {"packing into rows apart", pack, HB_CHECK_BOTH(HB_CHECK_B, 2), HB_CHECK_PACKED, NULL},
    {"unpacking rows apart", unpack, HB_CHECK_BOTH(HB_CHECK_R, 2), HB_CHECK_R, NULL},
    {"count of residues out of range", NULL, 0, HB_CHECK_OUT_OF_RANGE, NULL},
    {"unpacking damaged rows", unpack_damaged, HB_CHECK_BOTH(HB_CHECK_SCRATCH, 1), HB_CHECK_SCRATCH, NULL},
    {"count of residues out of range", NULL, 0, HB_CHECK_OUT_OF_RANGE, NULL},
    {"digests of packed rows", digest_rows, 0, HB_CHECK_DIGESTS, NULL},
    {NULL, NULL, 0, 0, NULL},
};
