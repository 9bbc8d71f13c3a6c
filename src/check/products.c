/* Rows of automorphisms, products of ciphertexts, and the steps of key switching. */
#include "check_private.h"

/* with: the element mod 2n. */
static hb_status galois(hb_check *k, int side, int with)
{
    return hb_galois(hb_check_engine(k, side), hb_check_result(k, side), hb_check_view(k, side, HB_CHECK_A),
                     (uint32_t)with & (uint32_t)(2 * k->ring->n - 1));
}

/* Returns `size` components of `count` ciphertexts of an operand. */
static hb_batch ciphertexts(const hb_check *k, int side, int which, uint32_t size, size_t count)
{
    return hb_batch_slice(hb_check_view(k, side, which), 0, size * count);
}

/* with: both sizes. */
static hb_status tensor_with(hb_check *k, int side, int with, int right, size_t right_count)
{
    const uint32_t a_size = (uint32_t)HB_CHECK_FIRST_OF(with), b_size = (uint32_t)HB_CHECK_SECOND_OF(with);
    const size_t count = k->shape.count;
    return hb_tensor(hb_check_engine(k, side), ciphertexts(k, side, HB_CHECK_PRODUCTS, a_size + b_size - 1, count),
                     ciphertexts(k, side, HB_CHECK_LEFT, a_size, count),
                     ciphertexts(k, side, right, b_size, right_count), a_size, b_size);
}

static hb_status tensor(hb_check *k, int side, int with)
{
    return tensor_with(k, side, with, HB_CHECK_RIGHT, k->shape.count);
}

static hb_status tensor_with_one(hb_check *k, int side, int with)
{
    return tensor_with(k, side, with, HB_CHECK_RIGHT, 1);
}

static hb_status tensor_square(hb_check *k, int side, int with)
{
    return tensor_with(k, side, with, HB_CHECK_LEFT, k->shape.count);
}

static hb_status key_products(hb_check *k, int side, int with)
{
    (void)with;
    return hb_key_products(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_SWITCHED),
                           hb_check_view(k, side, HB_CHECK_DIGITS), hb_check_view(k, side, HB_CHECK_KEY), 2, 2);
}

/* Inner products of a single digit, of the first ciphertext. */
static hb_status one_key_product(hb_check *k, int side, int with)
{
    (void)with;
    return hb_key_products(hb_check_engine(k, side), hb_batch_slice(hb_check_view(k, side, HB_CHECK_SWITCHED), 0, 2),
                           hb_batch_slice(hb_check_view(k, side, HB_CHECK_DIGITS), 0, 1),
                           hb_check_view(k, side, HB_CHECK_KEY), 2, 2);
}

/* Inner products where limbs of key and operands are missing: the upper ones of key switching, with a key that has only
 * these. */
static hb_status own_key_products(hb_check *k, int side, int with)
{
    (void)with;
    hb_engine *e = hb_check_engine(k, side);
    const uint32_t first = k->switch_limbs / 2, limbs = k->switch_limbs - first;
    return hb_key_products(e, hb_batch_limbs(e, hb_check_view(k, side, HB_CHECK_SWITCHED), first, limbs),
                           hb_batch_limbs(e, hb_check_view(k, side, HB_CHECK_DIGITS), first, limbs),
                           hb_check_view(k, side, HB_CHECK_OWN_KEY), 2, 2);
}

enum { COMBINED_OUTPUTS = 5, COMBINED_INPUTS = 300, COMBINED_FACTORS = 3 };

/* Linear combinations of the components of both factors, as often as there are inputs, with words of A for weights.
 * with: outputs, and inputs, the most for 0. */
static hb_status combine(hb_check *k, int side, int with)
{
    const size_t count = k->shape.count, words = count * k->ring->n;
    const uint32_t outputs = (uint32_t)HB_CHECK_FIRST_OF(with), most = (uint32_t)(words / outputs);
    const uint32_t wanted = HB_CHECK_SECOND_OF(with) != 0 ? (uint32_t)HB_CHECK_SECOND_OF(with) : COMBINED_INPUTS;
    hb_batch r[COMBINED_OUTPUTS], a[COMBINED_INPUTS];
    const hb_combination x = {r, a, outputs, wanted < most ? wanted : most, hb_check_view(k, side, HB_CHECK_A)};
    for (uint32_t o = 0; o < outputs; o++) {
        r[o] = hb_batch_slice(hb_check_view(k, side, HB_CHECK_PRODUCTS), o * count, count);
    }
    for (uint32_t i = 0; i < x.inputs; i++) {
        a[i] = hb_batch_slice(hb_check_view(k, side, i % 2 == 0 ? HB_CHECK_LEFT : HB_CHECK_RIGHT),
                              i / 2 % COMBINED_FACTORS * count, count);
    }
    return hb_combine(hb_check_engine(k, side), &x);
}

/* with: the operand whose limbs are the digits. */
static hb_status decompose(hb_check *k, int side, int with)
{
    return hb_decompose(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_DIGITS),
                        hb_batch_limbs(hb_check_engine(k, side), hb_check_view(k, side, with), 0, k->digits));
}

static hb_status ntt_decompose(hb_check *k, int side, int with)
{
    return hb_ntt_decompose(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_DIGITS),
                            hb_batch_limbs(hb_check_engine(k, side), hb_check_view(k, side, with), 0, k->digits));
}

static hb_status decompose_then_ntt(hb_check *k, int side, int with)
{
    HB_TRY(decompose(k, side, with));
    return hb_ntt(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_DIGITS));
}

/* The count goes to memory of the engine, where it is compared like words. */
static hb_status count_zeros(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    uint64_t zeros = UINT64_MAX;
    HB_TRY(hb_count_zeros(e, &zeros, hb_check_view(k, side, with)));
    HB_TRY(hb_upload(e, k->area[HB_CHECK_ZEROS].memory[side], &zeros, sizeof zeros));
    return hb_finish(e);
}

/* Inner products before the digits are made. The digits that are there have extreme words, all at once. */
const hb_check_row hb_check_products[] = {
    {"identical automorphism", galois, 1, HB_CHECK_R, NULL},
    {"automorphism", galois, 3, HB_CHECK_R, NULL},
    {"automorphism of a long rotation", galois, 59049, HB_CHECK_R, NULL}, /* 3^10 */
    {"automorphism that swaps rows", galois, -1, HB_CHECK_R, NULL},
    {"product of polynomials in the secret, sizes 1 and 1", tensor, HB_CHECK_BOTH(1, 1), HB_CHECK_PRODUCTS, NULL},
    {"product of polynomials in the secret, sizes 2 and 2", tensor, HB_CHECK_BOTH(2, 2), HB_CHECK_PRODUCTS, NULL},
    {"product of polynomials in the secret, sizes 3 and 2", tensor, HB_CHECK_BOTH(3, 2), HB_CHECK_PRODUCTS, NULL},
    {"product of polynomials in the secret, sizes 1 and 3", tensor, HB_CHECK_BOTH(1, 3), HB_CHECK_PRODUCTS, NULL},
    {"product of polynomials in the secret, sizes 3 and 3", tensor, HB_CHECK_BOTH(3, 3), HB_CHECK_PRODUCTS, NULL},
    {"product with one ciphertext, sizes 2 and 2", tensor_with_one, HB_CHECK_BOTH(2, 2), HB_CHECK_PRODUCTS, NULL},
    {"product with one ciphertext, sizes 2 and 3", tensor_with_one, HB_CHECK_BOTH(2, 3), HB_CHECK_PRODUCTS, NULL},
    {"square of polynomials in the secret", tensor_square, HB_CHECK_BOTH(2, 2), HB_CHECK_PRODUCTS, NULL},
    {"inner products with a key", key_products, 0, HB_CHECK_SWITCHED, NULL},
    {"inner products with a key of some limbs", own_key_products, 0, HB_CHECK_SWITCHED, NULL},
    {"product with a part of a key", one_key_product, 0, HB_CHECK_SWITCHED, NULL},
    {"linear combination", combine, HB_CHECK_BOTH(1, 3), HB_CHECK_PRODUCTS, NULL},
    {"linear combinations", combine, HB_CHECK_BOTH(5, 20), HB_CHECK_PRODUCTS, NULL},
    {"linear combinations of many", combine, HB_CHECK_BOTH(5, 0), HB_CHECK_PRODUCTS, NULL},
    {"digits of key switching", decompose, HB_CHECK_A, HB_CHECK_DIGITS, NULL},
    {"NTT of digits", ntt_decompose, HB_CHECK_B, HB_CHECK_DIGITS, decompose_then_ntt},
    {"inner products with a key", key_products, 0, HB_CHECK_SWITCHED, NULL},
    {"count of zeros", count_zeros, HB_CHECK_A, HB_CHECK_ZEROS, NULL},
    {"count of zeros", count_zeros, HB_CHECK_TERMS, HB_CHECK_ZEROS, NULL},
    {NULL, NULL, 0, 0, NULL},
};
