#include "work.h"

#include <math.h>

#include "expression/program/effort.h"

/* How many transforms an operation takes as long as, for each limb; measured on one core at N = 8192 and 32768. */
static const double encrypt_public = 7, encrypt_secret = 5, decrypt_each = 5, checksum = 2, add_each = 3;
/* The same of keys for each of their limb polynomials. */
static const double key_making = 4, key_preparing = 15;

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

hb_work hb_work_add(const hb_params *params, const hb_header *header, uint64_t inputs, int ranks)
{
    return divided(params, header->ciphertexts, ranks, add_each * (double)inputs * header->limbs);
}

/* Limb polynomials: a key has a pair of polynomials for each digit, in all limbs and the special ones. */
static double key_polynomials(const hb_params *params, uint32_t keys)
{
    return 2 * keys * hb_effort_digits(params, limbs_of(params)) *
           (limbs_of(params) + hb_spec_special_limbs(&params->spec));
}

hb_work hb_work_keygen(const hb_params *params, uint32_t keys)
{
    return (hb_work){params, encrypt_public * limbs_of(params) + key_making * key_polynomials(params, keys)};
}

hb_work hb_work_layer(const hb_params *params, const hb_packing *packing)
{
    const bool possible = packing->order == HB_PACK_COLUMNS || packing->block > 0;
    const double each = hb_effort_layer(params, (double)packing->columns, packing->block);
    return (hb_work){params, possible ? (double)hb_packing_ciphertexts(packing) * each : INFINITY};
}

static double instruction(const hb_params *params, const hb_program *program, const hb_instruction *i)
{
    const hb_register *to = &program->registers[i->to], *a = &program->registers[i->a];
    hb_effort effort = {
        .op = i->op, .limbs = a->limbs, .to_limbs = to->limbs, .three = a->size == 3, .number = i->number};
    if (i->op == HB_OP_POLYNOMIAL) {
        const hb_polynomial_entry *entry = &program->polynomials.entry[i->number];
        effort.products = entry->products;
        effort.degree = entry->polynomial.degree;
    }
    if (i->op == HB_OP_COMBINE) {
        effort.terms = program->combinations[i->number].count;
    }
    if (i->op == HB_OP_MATRIX) {
        effort.outline = program->blocks.matrices[i->number]->outline;
    }
    effort.block = program->block;
    return hb_effort_transforms(params, &effort);
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
