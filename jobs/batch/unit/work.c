#include "work.h"

#include <math.h>

#include "lang/cost/op_cost.h"
#include "lang/cost/program_cost.h"
#include "lang/cost/rates.h"

static double limbs_of(const hb_params *params)
{
    return params->fresh_limbs;
}

/* The rank with most: shares differ by one item. */
static hb_work divided(const hb_params *params, uint64_t items, int ranks, double each)
{
    const uint64_t share = items / (uint64_t)ranks + (items % (uint64_t)ranks != 0);
    return (hb_work){params, (double)share * each};
}

hb_work hb_work_encrypt(const hb_params *params, const hb_header *header, int ranks)
{
    return divided(params, header->ciphertexts, ranks,
                   (header->seeded ? HB_RATE_ENCRYPT_SECRET : HB_RATE_ENCRYPT_PUBLIC) * limbs_of(params));
}

hb_work hb_work_decrypt(const hb_params *params, const hb_header *header, int ranks)
{
    return divided(params, header->ciphertexts, ranks, HB_RATE_DECRYPT * header->limbs);
}

hb_work hb_work_verify(const hb_params *params, const hb_header *header, int ranks)
{
    return divided(params, header->ciphertexts, ranks, HB_RATE_CHECKSUM * header->limbs);
}

hb_work hb_work_add(const hb_params *params, const hb_header *header, uint64_t inputs, int ranks)
{
    return divided(params, header->ciphertexts, ranks, HB_RATE_ADD_UP * (double)inputs * header->limbs);
}

/* Limb polynomials: a key has a pair of polynomials for each digit, in all limbs and the special ones. */
static double key_polynomials(const hb_params *params, uint32_t keys)
{
    return 2 * keys * hb_op_cost_digits(params, limbs_of(params)) *
           (limbs_of(params) + hb_spec_special_limbs(&params->spec));
}

hb_work hb_work_keygen(const hb_params *params, uint32_t keys)
{
    return (hb_work){params,
                     HB_RATE_ENCRYPT_PUBLIC * limbs_of(params) + HB_RATE_KEY_MADE * key_polynomials(params, keys)};
}

hb_work hb_work_layer(const hb_params *params, const hb_packing *packing)
{
    const bool possible = packing->order == HB_PACK_COLUMNS || packing->block > 0;
    const double each = hb_layer_cost(params, packing->columns, packing->block);
    return (hb_work){params, possible ? (double)hb_packing_ciphertexts(packing) * each : INFINITY};
}

hb_work hb_work_program(const hb_params *params, const hb_program *program, uint64_t blocks, uint32_t keys,
                        uint64_t held, int ranks)
{
    const hb_program_cost cost = hb_program_cost_of(params, program);
    const double limbs = (double)held / ((double)params->ring.n * sizeof(uint64_t));
    /* Totals, keys and diagonals are not divided: every rank computes all of them. */
    hb_work work = divided(params, blocks, ranks, cost.rows);
    work.transforms += cost.totals + HB_RATE_KEY_PREPARED * key_polynomials(params, keys) + HB_RATE_HELD * limbs;
    return work;
}
