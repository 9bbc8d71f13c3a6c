/* Rows of operations on polynomials over one basis: word by word, transforms, sampling. */
#include "check_private.h"

/* The calls of the rows below. `with` is the operand, two operands, or the distribution. */
static hb_status ntt(hb_check *k, int side, int with)
{
    return hb_ntt(hb_check_engine(k, side), hb_check_view(k, side, with));
}

static hb_status intt(hb_check *k, int side, int with)
{
    return hb_intt(hb_check_engine(k, side), hb_check_view(k, side, with));
}

static hb_status intt_scaled(hb_check *k, int side, int with)
{
    return hb_intt_scaled(hb_check_engine(k, side), hb_check_view(k, side, with), k->factors);
}

static hb_status intt_then_scale(hb_check *k, int side, int with)
{
    HB_TRY(intt(k, side, with));
    return hb_scale(hb_check_engine(k, side), hb_check_view(k, side, with), hb_check_view(k, side, with), k->factors);
}

/* A factor of 0 leaves exact zeros, not multiples of the modulus. */
static hb_status intt_by_zero(hb_check *k, int side, int with)
{
    static const uint64_t zeros[HB_MAX_LIMBS];
    return hb_intt_scaled(hb_check_engine(k, side), hb_check_view(k, side, with), zeros);
}

static hb_status clear(hb_check *k, int side, int with)
{
    return hb_clear(hb_check_engine(k, side), hb_check_view(k, side, with));
}

static hb_status ntt_of(hb_check *k, int side, int with)
{
    return hb_ntt_of(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with));
}

/* Returns a part of R: from the middle of the polynomials and of the limbs on. */
static hb_batch part(const hb_check *k, int side)
{
    const hb_batch r = hb_check_result(k, side);
    return hb_batch_limbs(hb_check_engine(k, side), hb_batch_slice(r, r.count / 2, r.count - r.count / 2), r.limbs / 2,
                          r.limbs - r.limbs / 2);
}

static hb_status ntt_part(hb_check *k, int side, int with)
{
    (void)with;
    return hb_ntt(hb_check_engine(k, side), part(k, side));
}

static hb_status intt_part(hb_check *k, int side, int with)
{
    (void)with;
    return hb_intt(hb_check_engine(k, side), part(k, side));
}

/* Transforms the moduli that are in no ciphertext, those of them that have a root. */
static hb_status transform_plain(hb_check *k, int side, hb_status (*transform)(hb_engine *, hb_batch))
{
    const hb_batch x = hb_check_view(k, side, HB_CHECK_PLAIN_GAMMA);
    for (uint32_t l = 0; l < x.limbs; l++) {
        if (k->ring->psi[x.ids[l]] != 0) {
            HB_TRY(transform(hb_check_engine(k, side), hb_batch_limbs(hb_check_engine(k, side), x, l, 1)));
        }
    }
    return HB_OK;
}

static hb_status ntt_plain(hb_check *k, int side, int with)
{
    (void)with;
    return transform_plain(k, side, hb_ntt);
}

static hb_status intt_plain(hb_check *k, int side, int with)
{
    (void)with;
    return transform_plain(k, side, hb_intt);
}

/* After hb_finish on another queue, its writes are visible here; tables are shared. */
static hb_status second_queue(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side), *fork = NULL;
    hb_status st;
    HB_TRY(hb_finish(e));
    HB_TRY(hb_engine_fork(e, &fork));
    HB_GOTO(hb_ntt(fork, hb_check_view(k, side, with)));
    st = hb_finish(fork);
done:
    hb_engine_close(fork);
    return st;
}

/* In the smallest ring that every engine opens: the first words of each limb, by an engine beside the checked one. */
static hb_status subring(hb_check *k, int side, int with)
{
    const uint32_t least = 10;
    hb_engine *e = hb_check_engine(k, side), *beside = NULL;
    const hb_batch x = hb_check_view(k, side, with);
    hb_ring ring;
    hb_status st;
    HB_TRY(hb_finish(e));
    hb_ring_subring(&ring, e->ring, e->ring->log_n < least ? e->ring->log_n : least, x.ids, x.limbs);
    HB_TRY(hb_engine_beside(e, &ring, &beside));
    for (uint32_t l = 0; l < x.limbs; l++) {
        HB_GOTO(hb_ntt(beside, hb_batch_limbs(e, x, l, 1)));
    }
    st = hb_finish(beside);
done:
    hb_engine_close(beside);
    return st;
}

static hb_status binary(hb_check *k, int side, int with, hb_status (*call)(hb_engine *, hb_batch, hb_batch, hb_batch))
{
    return call(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, HB_CHECK_FIRST_OF(with)),
                hb_check_view(k, side, HB_CHECK_SECOND_OF(with)));
}

static hb_status add(hb_check *k, int side, int with)
{
    return binary(k, side, with, hb_add);
}

static hb_status sub(hb_check *k, int side, int with)
{
    return binary(k, side, with, hb_sub);
}

static hb_status mul(hb_check *k, int side, int with)
{
    return binary(k, side, with, hb_mul);
}

static hb_status ntt_mul(hb_check *k, int side, int with)
{
    return binary(k, side, with, hb_ntt_mul);
}

/* The composition that the fused operation equals. */
static hb_status ntt_then_mul(hb_check *k, int side, int with)
{
    const hb_batch r = hb_check_result(k, side), a = hb_check_view(k, side, HB_CHECK_FIRST_OF(with));
    if (a.data == r.data) {
        HB_TRY(hb_ntt(hb_check_engine(k, side), r));
    } else {
        HB_TRY(hb_ntt_of(hb_check_engine(k, side), r, a));
    }
    return hb_mul(hb_check_engine(k, side), r, r, hb_check_view(k, side, HB_CHECK_SECOND_OF(with)));
}

static hb_status negate(hb_check *k, int side, int with)
{
    return hb_negate(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with));
}

static hb_status scale(hb_check *k, int side, int with)
{
    return hb_scale(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with), k->factors);
}

static hb_status gather(hb_check *k, int side, int with)
{
    const uint32_t *map = (const uint32_t *)(const void *)k->area[HB_CHECK_MAP].memory[side];
    return hb_permute(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, with), map);
}

static hb_status sample_uniform(hb_check *k, int side, int with)
{
    (void)with;
    return hb_sample_uniform(hb_check_engine(k, side), hb_check_result(k, side), k->seeds);
}

static hb_status mul_uniform(hb_check *k, int side, int with)
{
    return hb_mul_uniform(hb_check_engine(k, side), hb_check_result(k, side), k->seeds, hb_check_view(k, side, with));
}

static hb_status sample_then_mul(hb_check *k, int side, int with)
{
    HB_TRY(sample_uniform(k, side, with));
    return hb_mul(hb_check_engine(k, side), hb_check_result(k, side), hb_check_result(k, side),
                  hb_check_view(k, side, with));
}

/* Returns a draw whose items lie on both sides of 2^32. */
static hb_draw draw_of(const hb_check *k)
{
    return (hb_draw){&k->seeds[0], HB_DRAW_ERROR_0, UINT32_MAX};
}

static hb_status sample_small(hb_check *k, int side, int with)
{
    return hb_sample_small(hb_check_engine(k, side), hb_check_result(k, side), (hb_distribution)with, draw_of(k));
}

static hb_status add_small(hb_check *k, int side, int with)
{
    return hb_add_small(hb_check_engine(k, side), hb_check_result(k, side), (hb_distribution)with, draw_of(k), HB_PLUS);
}

static hb_status subtract_small(hb_check *k, int side, int with)
{
    return hb_add_small(hb_check_engine(k, side), hb_check_result(k, side), (hb_distribution)with, draw_of(k),
                        HB_MINUS);
}

/* The composition for adding samples: samples in SCRATCH, then a sum. */
static hb_status sample_then(hb_check *k, int side, int with,
                             hb_status (*combine)(hb_engine *, hb_batch, hb_batch, hb_batch))
{
    const hb_batch small = hb_check_view(k, side, HB_CHECK_SCRATCH);
    HB_TRY(hb_sample_small(hb_check_engine(k, side), small, (hb_distribution)with, draw_of(k)));
    return combine(hb_check_engine(k, side), hb_check_result(k, side), hb_check_result(k, side), small);
}

static hb_status sample_then_add(hb_check *k, int side, int with)
{
    return sample_then(k, side, with, hb_add);
}

static hb_status sample_then_subtract(hb_check *k, int side, int with)
{
    return sample_then(k, side, with, hb_sub);
}

/* with: bits of A and of B; words of U are drawn in part, in full, and several. */
static hb_status add_exact_flood(hb_check *k, int side, int with)
{
    const uint32_t w = (uint32_t)with;
    const hb_exact_flood flood = {w < HB_EXACT_FLOOD_MOST_WIDTH ? w : 2 * 64 + w, w};
    return hb_add_exact_flood(hb_check_engine(k, side), hb_check_result(k, side), flood, k->seeds);
}

/* Rows run in this order, each on the results of the earlier ones in R. */
const hb_check_row hb_check_polynomials[] = {
    {"sum", add, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_B), HB_CHECK_R, NULL},
    {"sum with one polynomial", add, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_ONE), HB_CHECK_R, NULL},
    {"sum in place", add, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_B), HB_CHECK_R, NULL},
    {"sum in place of the second", add, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_R), HB_CHECK_R, NULL},
    {"difference", sub, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_B), HB_CHECK_R, NULL},
    {"difference with one polynomial", sub, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_ONE), HB_CHECK_R, NULL},
    {"difference in place", sub, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_B), HB_CHECK_R, NULL},
    {"difference in place of the second", sub, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_R), HB_CHECK_R, NULL},
    {"product", mul, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_B), HB_CHECK_R, NULL},
    {"product with one polynomial", mul, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_ONE), HB_CHECK_R, NULL},
    {"product in place", mul, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_B), HB_CHECK_R, NULL},
    {"product in place of the second", mul, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_R), HB_CHECK_R, NULL},
    {"square", mul, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_A), HB_CHECK_R, NULL},
    {"NTT", ntt, HB_CHECK_R, HB_CHECK_R, NULL},
    {"NTT of some limbs", ntt_part, 0, HB_CHECK_R, NULL},
    {"inverse NTT", intt, HB_CHECK_R, HB_CHECK_R, NULL},
    {"inverse NTT times factors", intt_scaled, HB_CHECK_R, HB_CHECK_R, intt_then_scale},
    {"inverse NTT times 0", intt_by_zero, HB_CHECK_R, HB_CHECK_R, clear},
    {"NTT elsewhere", ntt_of, HB_CHECK_A, HB_CHECK_R, NULL},
    {"NTT and product", ntt_mul, HB_CHECK_BOTH(HB_CHECK_R, HB_CHECK_B), HB_CHECK_R, ntt_then_mul},
    {"NTT and product elsewhere", ntt_mul, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_B), HB_CHECK_R, ntt_then_mul},
    {"NTT and product with one polynomial", ntt_mul, HB_CHECK_BOTH(HB_CHECK_A, HB_CHECK_ONE), HB_CHECK_R, ntt_then_mul},
    {"inverse NTT of some limbs", intt_part, 0, HB_CHECK_R, NULL},
    {"NTT", ntt_plain, 0, HB_CHECK_PLAIN_GAMMA, NULL},
    {"inverse NTT", intt_plain, 0, HB_CHECK_PLAIN_GAMMA, NULL},
    {"NTT in a second queue", second_queue, HB_CHECK_R, HB_CHECK_R, ntt},
    {"NTT in a subring", subring, HB_CHECK_R, HB_CHECK_R, NULL},
    {"negation", negate, HB_CHECK_A, HB_CHECK_R, NULL},
    {"negation in place", negate, HB_CHECK_R, HB_CHECK_R, NULL},
    {"scaling", scale, HB_CHECK_A, HB_CHECK_R, NULL},
    {"scaling in place", scale, HB_CHECK_R, HB_CHECK_R, NULL},
    {"gathering", gather, HB_CHECK_A, HB_CHECK_R, NULL},
    {"uniform sampling", sample_uniform, 0, HB_CHECK_R, NULL},
    {"product with a uniform polynomial", mul_uniform, HB_CHECK_B, HB_CHECK_R, sample_then_mul},
    {"product of one with uniform polynomials", mul_uniform, HB_CHECK_ONE, HB_CHECK_R, sample_then_mul},
    {"ternary sampling", sample_small, HB_TERNARY, HB_CHECK_R, NULL},
    {"Gaussian sampling", sample_small, HB_GAUSSIAN, HB_CHECK_R, NULL},
    {"binomial sampling", sample_small, HB_BINOMIAL, HB_CHECK_R, NULL},
    {"adding ternary samples", add_small, HB_TERNARY, HB_CHECK_R, sample_then_add},
    {"adding Gaussian samples", add_small, HB_GAUSSIAN, HB_CHECK_R, sample_then_add},
    {"adding binomial samples", add_small, HB_BINOMIAL, HB_CHECK_R, sample_then_add},
    {"subtracting ternary samples", subtract_small, HB_TERNARY, HB_CHECK_R, sample_then_subtract},
    {"subtracting Gaussian samples", subtract_small, HB_GAUSSIAN, HB_CHECK_R, sample_then_subtract},
    {"subtracting binomial samples", subtract_small, HB_BINOMIAL, HB_CHECK_R, sample_then_subtract},
    {"adding noise of exact bits", add_exact_flood, 1, HB_CHECK_R, NULL},
    {"adding wide noise of exact bits", add_exact_flood, HB_EXACT_FLOOD_MOST_WIDTH, HB_CHECK_R, NULL},
    {NULL, NULL, 0, 0, NULL},
};
