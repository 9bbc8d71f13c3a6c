#include "work.h"

#include <math.h>

/* How many transforms an operation takes as long as, for each limb; measured on one core at N = 8192 and 32768. */
static const double encrypt_public = 7, encrypt_secret = 5, decrypt_each = 5, checksum = 2, linear = 1.5,
                    times_number = 0.05, times_plain = 12;
/* The same for each pair of a limb, or a special one, and a digit, one more of each than there are; of keys for each of
 * their limb polynomials. */
static const double product = 5, switching = 2.5, key_making = 4, key_preparing = 15;

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
                   (header->seeded ? encrypt_secret : encrypt_public) * limbs_of(params));
}

hb_work hb_work_decrypt(const hb_params *params, const hb_header *header, int ranks)
{
    return divided(params, header->ciphertexts, ranks, decrypt_each * header->limbs);
}

hb_work hb_work_verify(const hb_params *params, const hb_header *header, int ranks)
{
    return divided(params, header->ciphertexts, ranks, checksum * header->limbs);
}

/* Digits of key switching at a level; parameters that switch no keys have none. */
static double digits_of(const hb_params *params, double limbs)
{
    const uint32_t alpha = hb_spec_digit_limbs(&params->spec);
    return ceil(limbs / alpha);
}

/* Limb polynomials: a key has a pair of polynomials for each digit, in all limbs and the special ones. */
static double key_polynomials(const hb_params *params, uint32_t keys)
{
    return 2 * keys * digits_of(params, limbs_of(params)) * (limbs_of(params) + hb_spec_special_limbs(&params->spec));
}

hb_work hb_work_keygen(const hb_params *params, uint32_t keys)
{
    return (hb_work){params, encrypt_public * limbs_of(params) + key_making * key_polynomials(params, keys)};
}

static double pairs_of(const hb_params *params, double limbs)
{
    return (digits_of(params, limbs) + 1) * (limbs + hb_spec_special_limbs(&params->spec) + 1);
}

/* Its products are spread over the levels that it takes. */
static double polynomial(const hb_params *params, const hb_program *program, const hb_instruction *i)
{
    const hb_register *to = &program->registers[i->to], *a = &program->registers[i->a];
    const hb_polynomial_entry *entry = &program->polynomials.entry[i->number];
    const double limbs = ((double)a->limbs + to->limbs) / 2;
    return entry->products * switching * pairs_of(params, limbs) + entry->polynomial.degree * linear * limbs;
}

/* Key switching grows with the limbs and with the digits, so do products that convert between bases; everything else
 * with the limbs. */
static double instruction(const hb_params *params, const hb_program *program, const hb_instruction *i)
{
    const hb_register *to = &program->registers[i->to], *a = &program->registers[i->a];
    const double to_limbs = to->limbs, limbs = a->limbs;
    const double pairs = pairs_of(params, limbs);
    switch (i->op) {
    case HB_OP_LOAD:
        return checksum * to_limbs;
    case HB_OP_LOAD_PLAIN:
        /* Encoding: one transform. */
        return 1;
    case HB_OP_STORE:
        return checksum * limbs;
    case HB_OP_MULTIPLY_PLAIN:
    case HB_OP_MASK:
    case HB_OP_MASK_SCALED:
        return times_plain * limbs;
    case HB_OP_MULTIPLY:
        /* Words alone, where ciphertexts are in NTT form. */
        return params->form == HB_NTT_FORM ? linear * 3 * limbs : product * (limbs + 1) * (limbs + 2);
    case HB_OP_COMBINE:
        return times_number * limbs * program->combinations[i->number].count;
    case HB_OP_POLYNOMIAL:
        return polynomial(params, program, i);
    case HB_OP_RELINEARIZE:
    case HB_OP_ROTATE:
    case HB_OP_SWAP:
    case HB_OP_CONJUGATE:
        return switching * pairs;
    case HB_OP_SUM_SLOTS:
        return switching * pairs * params->ring.log_n;
    case HB_OP_RESCALE:
        return a->size == 3 ? switching * pairs : linear * limbs;
    default:
        return linear * limbs;
    }
}

hb_work hb_work_program(const hb_params *params, const hb_program *program, uint64_t blocks, uint32_t keys, int ranks)
{
    double rows = 0, totals = 0;
    /* Every pass goes through all row blocks once. */
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count; i++) {
            rows += instruction(params, program, &pass->rows[i]);
        }
        for (uint32_t i = 0; i < pass->total_count; i++) {
            totals += instruction(params, program, &pass->totals[i]);
        }
    }
    /* Totals and keys are not divided: every rank computes all of them. */
    hb_work work = divided(params, blocks, ranks, rows);
    work.transforms += totals + key_preparing * key_polynomials(params, keys);
    return work;
}
