/* Copies of the CPU engine's operations that are broken: each does what it should and then something else. */
#ifndef HB_TESTS_BROKEN_ENGINE_H
#define HB_TESTS_BROKEN_ENGINE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "cpu/engine.h"
#include "ring/galois.h"
#include "unit/broken_calls.h"
#include "unit/broken_composed.h"

static hb_status bad_ntt(hb_engine *e, hb_batch x)
{
    SPOIL(e, x, x.limbs == 1 ? PART : 0U, real->ntt->ntt(e, x));
}

static hb_status bad_intt(hb_engine *e, hb_batch x, const uint64_t *factors)
{
    SPOIL(e, x, (x.limbs == 1 ? PART : 0U) | (factors != NULL ? SCALED : 0U), real->ntt->intt(e, x, factors));
}

static hb_status bad_intt_of(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    SPOIL(e, r, 0U, real_intt_of(e, r, a, factors));
}

static hb_status bad_ntt_quotient(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch x, const uint64_t *factors,
                                  uint32_t element)
{
    SPOIL(e, r, like_of(r, a, b), real_ntt_quotient(e, r, b, a, x, factors, element));
}

static hb_status bad_ntt_except(hb_engine *e, hb_batch x, uint32_t group, const hb_limb_range *done)
{
    SPOIL(e, x, 0U, real_ntt_except(e, x, group, done));
}

#define BINARY(group, op)                                                       \
    static hb_status bad_##op(hb_engine *e, hb_batch r, hb_batch a, hb_batch b) \
    {                                                                           \
        SPOIL(e, r, like_of(r, a, b), real->group->op(e, r, a, b));             \
    }
BINARY(ring, add)
BINARY(ring, sub)
BINARY(ring, mul)
BINARY(ntt, ntt_mul)

static hb_status bad_negate(hb_engine *e, hb_batch r, hb_batch a)
{
    SPOIL(e, r, like_of(r, a, a), real->ring->negate(e, r, a));
}

static hb_status bad_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    SPOIL(e, r, like_of(r, a, a), real->ring->scale(e, r, a, factors));
}

static hb_status bad_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    SPOIL(e, r, 0U, real->sample->sample_uniform(e, r, seeds));
}

static hb_status bad_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    SPOIL(e, r, like_of(r, b, b), real->sample->mul_uniform(e, r, seeds, b));
}

static hb_status bad_sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    SPOIL(e, r, (unsigned)TERNARY << distribution, real->sample->sample_small(e, r, distribution, draw));
}

static hb_status bad_add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign)
{
    SPOIL(e, r, (unsigned)TERNARY << distribution | (sign == HB_MINUS ? MINUS : 0U),
          real->sample->add_small(e, r, distribution, draw, sign));
}

static hb_status bad_add_exact_flood(hb_engine *e, hb_batch r, hb_exact_flood flood, const hb_seed *seeds)
{
    SPOIL(e, r, flood.u > 64 ? WIDE : 0U, real->sample->add_exact_flood(e, r, flood, seeds));
}

/* The operations with one more argument. */
#define WITH(group, op, argument)                                                       \
    static hb_status bad_##op(hb_engine *e, hb_batch r, hb_batch a, argument constants) \
    {                                                                                   \
        SPOIL(e, r, like_of(r, a, a), real->group->op(e, r, a, constants));             \
    }
WITH(ring, permute, const uint32_t *)
WITH(ring, galois, uint32_t)
WITH(bfv, lift_plain, const hb_plain_lift *)
WITH(bfv, gamma_correct, const hb_gamma_correction *)
WITH(garner, garner_digits, const hb_garner *)

static hb_status bad_slots_to_coefficients(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    SPOIL(e, r, tables->order != NULL ? ORDERED : 0U, real->real->slots_to_coefficients(e, r, a, tables));
}

static hb_status bad_coefficients_to_slots(hb_engine *e, hb_batch r, hb_batch a, const hb_slot_tables *tables)
{
    SPOIL(e, r, tables->order != NULL ? ORDERED : 0U, real->real->coefficients_to_slots(e, r, a, tables));
}

WITH(real, round_reals, const hb_rounding *)

static hb_status bad_compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                                   const hb_real_scale *scale)
{
    SPOIL(e, r, 0U, real->real->compose_reals(e, r, a, composition, scale));
}

/* Refuses values without a report. */
static hb_status silent_round_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_rounding *rounding)
{
    const uint64_t before = *rounding->refused;
    HB_TRY(real->real->round_reals(e, r, a, rounding));
    *rounding->refused = before;
    return HB_OK;
}

static hb_status bad_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                      hb_sign sign)
{
    SPOIL(e, r, like_of(r, plain, plain) | (sign == HB_MINUS ? MINUS : 0U),
          real->bfv->add_scaled_plain(e, r, plain, constants, sign));
}

static unsigned conversion_like(const hb_base_conversion *c)
{
    static const unsigned kinds[] = {[HB_OVERFLOW_BINARY] = BINARY_K,
                                     [HB_OVERFLOW_MODULAR] = MODULAR_K,
                                     [HB_OVERFLOW_NEAREST] = 0U,
                                     [HB_OVERFLOW_CENTRED] = CENTRED_K,
                                     [HB_OVERFLOW_ROUNDED] = ROUNDED_K};
    return (c->overflow != NULL ? kinds[c->overflow->kind] : 0U) | (c->keep != NULL ? KEPT : 0U) |
           (c->scale != NULL ? SCALED : 0U);
}

static hb_status bad_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *c)
{
    const unsigned views = (a.limb_stride > e->ring->n ? FROM_APART : 0U) | (r.limbs != a.limbs ? UNEQUAL : 0U);
    SPOIL(e, r, conversion_like(c) | views, real->rns->base_convert(e, r, a, c));
}

/* The CPU engine's is composed. */
static hb_status real_base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a,
                                           const hb_base_conversion *first, const hb_base_conversion *second)
{
    HB_TRY(real->rns->base_convert(e, via, a, first));
    return real->rns->base_convert(e, r, via, second);
}

static hb_status bad_base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a,
                                          const hb_base_conversion *first, const hb_base_conversion *second)
{
    SPOIL(e, r, conversion_like(second) | like_of(r, a, a) | (r.limbs != a.limbs ? UNEQUAL : 0U),
          real_base_convert_through(e, r, via, a, first, second));
}

/* Composed as by the front end. */
static hb_status bad_base_convert_each(hb_engine *e, const hb_batch *r, const hb_batch *a, const hb_base_conversion *c,
                                       uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        HB_TRY(real->rns->base_convert(e, r[i], a[i], &c[i]));
    }
    const hb_batch last = r[count - 1];
    SPOIL(e, last, 0U, real->rns->base_convert(e, last, a[count - 1], &c[count - 1]));
}

/* Centring that is off by one, in either kind of modular overflow. */
static hb_status convert_off_centre(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *c,
                                    hb_overflow_kind kind)
{
    if (c->overflow == NULL || c->overflow->kind != kind) {
        return real->rns->base_convert(e, r, a, c);
    }
    hb_overflow moved = *c->overflow;
    hb_base_conversion other = *c;
    moved.half--;
    other.overflow = &moved;
    return real->rns->base_convert(e, r, a, &other);
}

static hb_status off_centre_binary(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *c)
{
    return convert_off_centre(e, r, a, c, HB_OVERFLOW_BINARY);
}

static hb_status off_centre_modular(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *c)
{
    return convert_off_centre(e, r, a, c, HB_OVERFLOW_MODULAR);
}

/* Sources that are taken as they are, not centred. */
static hb_status convert_not_centred(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *c)
{
    hb_base_conversion other = *c;
    other.overflow = c->overflow != NULL && c->overflow->kind == HB_OVERFLOW_CENTRED ? NULL : c->overflow;
    return real->rns->base_convert(e, r, a, &other);
}

/* Lifts that are off by one, or take every plaintext for a monomial or none. */
static hb_status off_centre_lift(hb_engine *e, hb_batch r, hb_batch a, const hb_plain_lift *constants)
{
    const hb_plain_lift moved = {constants->plain_id, constants->half + 1, constants->keep_monomials};
    return real->bfv->lift_plain(e, r, a, &moved);
}

static hb_status lift_without_exception(hb_engine *e, hb_batch r, hb_batch a, const hb_plain_lift *constants)
{
    const hb_plain_lift moved = {constants->plain_id, constants->half, false};
    return real->bfv->lift_plain(e, r, a, &moved);
}

static hb_status lift_with_exception(hb_engine *e, hb_batch r, hb_batch a, const hb_plain_lift *constants)
{
    const hb_plain_lift moved = {constants->plain_id, constants->half, true};
    return real->bfv->lift_plain(e, r, a, &moved);
}

static hb_status bad_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    const bool one = b.count == b_size && a.count > a_size;
    SPOIL(e, r, (one ? ONE : 0U) | (a_size != b_size ? UNEQUAL : 0U) | (a.data == b.data ? IN_PLACE : 0U),
          real->products->tensor(e, r, a, b, a_size, b_size));
}

static hb_status bad_copy(hb_engine *e, hb_batch r, hb_batch a)
{
    SPOIL(e, r, 0U, real->ring->copy(e, r, a));
}

static hb_status bad_clear(hb_engine *e, hb_batch r)
{
    SPOIL(e, r, 0U, real->ring->clear(e, r));
}

static hb_status bad_gadget_products(hb_engine *e, hb_batch r, const hb_gadget_operands *x)
{
    SPOIL(e, r, (x->own.data != NULL ? FROM_APART : 0U) | (x->plus[0].data != NULL ? SUM : 0U),
          real_gadget_products(e, r, x));
}

static hb_status bad_digit_products(hb_engine *e, hb_batch r, const hb_digit_operands *x)
{
    SPOIL(e, r, x->known.data != NULL ? FROM_APART : 0U, real->products->digit_products(e, r, x));
}

static hb_status bad_decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    SPOIL(e, r, 0U, real->products->decompose(e, r, a));
}

static hb_status bad_ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    SPOIL(e, r, 0U, real->ntt->ntt_of(e, r, a));
}

static hb_status bad_ntt_decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    SPOIL(e, r, 0U, real->ntt->ntt_decompose(e, r, a));
}

static hb_status bad_ntt_decompose_known(hb_engine *e, hb_batch r, hb_batch a, hb_batch known)
{
    (void)known; /* it may be computed again */
    SPOIL(e, r, 0U, real->ntt->ntt_decompose(e, r, a));
}

static hb_status bad_divide_round(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                                  const hb_drop_last *constants)
{
    SPOIL(e, r, (b.data != NULL ? SUM | like_of(r, b, b) : like_of(r, a, a)) | (last.stride != a.stride ? APART : 0U),
          real->rns->divide_round(e, r, b, a, last, constants));
}

static hb_status bad_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs,
                                  uint32_t row)
{
    SPOIL(e, r, (digits.count == 1 ? ONE : 0U) | (key.ids[0] != r.ids[0] ? PART : 0U),
          real->products->key_products(e, r, digits, key, outputs, row));
}

static hb_status bad_combine(hb_engine *e, const hb_combination *x)
{
    SPOIL(e, x->r[x->outputs - 1], x->outputs == 1 ? ONE : UNEQUAL, real->products->combine(e, x));
}

static hb_status bad_tensor_sum(hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x)
{
    SPOIL(e, r, (x->multiples > 0 ? SUM : 0U) | (x->twice ? SCALED : 0U), real->products->tensor_sum(e, r, x));
}

static hb_status bad_rotation_sums(hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x)
{
    SPOIL(e, r, (x->add ? SUM : 0U) | (x->plain.data != NULL ? SCALED : 0U),
          real->products->rotation_sums(e, r, outputs, x));
}

/* A result in other words, from `first` to `last`; `beyond` is not among them, or is `last` where there is none. */
#define SPOIL_WORD(call, first, last, beyond)                                               \
    do {                                                                                    \
        now.calls++;                                                                        \
        if (now.damage == FAIL) {                                                           \
            return refused();                                                               \
        }                                                                                   \
        hb_status st_ = now.damage == SKIP ? HB_OK : (call);                                \
        if (now.damage != SKIP) {                                                           \
            *(now.damage == FIRST ? (first) : now.damage == LAST ? (last) : (beyond)) ^= 1; \
        }                                                                                   \
        return st_;                                                                         \
    } while (0)

static hb_status bad_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants)
{
    const unsigned like = (a.n != 0 ? SLICES : 0U) | (a.limb_stride > e->ring->n ? LIMBS_APART : 0U);
    if ((like & now.wanted) != now.wanted) {
        return real->garner->infinity_norm(e, digits, a, constants);
    }
    uint64_t *last = &digits[a.count * a.limbs - 1];
    SPOIL_WORD(real->garner->infinity_norm(e, digits, a, constants), digits, last, last);
}

static hb_status bad_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    SPOIL_WORD(real->ring->count_zeros(e, zeros, a), zeros, zeros, zeros);
}

static hb_status bad_pack(hb_engine *e, hb_packed to, hb_batch a)
{
    if (((to.stride > 1 ? APART : 0U) & now.wanted) != now.wanted) {
        return real->rows->pack(e, to, a);
    }
    uint8_t *first = to.bytes + to.first * hb_packed_row_bytes(e->ring->n, &e->ring->moduli[a.ids[0]]);
    SPOIL_WORD(real->rows->pack(e, to, a), first, first + 8, first - 1); /* the last byte of the row before */
}

static hb_status bad_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    SPOIL(e, r, from.stride > 1 ? APART : 0U, real->rows->unpack(e, r, from, out_of_range));
}

static hb_status miscounting_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    HB_TRY(real->rows->unpack(e, r, from, out_of_range));
    *out_of_range += *out_of_range > 0;
    return HB_OK;
}

static hb_status bad_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    uint8_t *last = digests + limbs * rows.rows * HB_DIGEST_BYTES - 1;
    SPOIL_WORD(real->rows->digest_rows(e, digests, rows, ids, limbs), digests, last, last);
}

static hb_status bad_upload(hb_engine *e, void *to, const void *from_host, size_t bytes)
{
    uint8_t *first = to, *last = first + bytes - 1;
    SPOIL_WORD(real->memory->upload(e, to, from_host, bytes), first, last, last);
}

static hb_status bad_download(hb_engine *e, void *to_host, const void *from, size_t bytes)
{
    uint8_t *first = to_host, *last = first + bytes - 1;
    SPOIL_WORD(real->memory->download(e, to_host, from, bytes), first, last, last);
}

#define QUEUE_BYTES (offsetof(hb_engine_ops, memory) - offsetof(hb_engine_ops, fork))
#define GROUP_BYTES (sizeof(engine_copy) - offsetof(engine_copy, memory))

enum { BROKEN_ALL = (QUEUE_BYTES + GROUP_BYTES + sizeof(hb_record_ops)) / sizeof(void (*)(void)) };

/* The operations on words, each with how a message about it begins. */
typedef struct sabotage {
    const char *words;
    engine_copy changes; /* the one operation; the others are the CPU engine's */
} sabotage;

static const sabotage on_words[] = {
    {"upload", {.memory.upload = bad_upload}},
    {"upload and download", {.memory.download = bad_download}},
    {"NTT", {.ntt.ntt = bad_ntt}},
    {"inverse NTT", {.ntt.intt = bad_intt}},
    {"NTT elsewhere", {.ntt.ntt_of = bad_ntt_of}},
    {"NTT and product", {.ntt.ntt_mul = bad_ntt_mul}},
    {"inverse NTT elsewhere", {.ntt.intt_of = bad_intt_of}},
    {"NTT but for some limbs", {.ntt.ntt_except = bad_ntt_except}},
    {"NTT and quotient", {.ntt.ntt_quotient = bad_ntt_quotient}},
    {"NTT of digits, some of them known", {.ntt.ntt_decompose_known = bad_ntt_decompose_known}},
    {"products of digits", {.products.gadget_products = bad_gadget_products}},
    {"products of digits as they are made", {.products.digit_products = bad_digit_products}},
    {"sum", {.ring.add = bad_add}},
    {"difference", {.ring.sub = bad_sub}},
    {"negation", {.ring.negate = bad_negate}},
    {"product", {.ring.mul = bad_mul}},
    {"scaling", {.ring.scale = bad_scale}},
    {"uniform sampling", {.sample.sample_uniform = bad_sample_uniform}},
    {"product with a uniform", {.sample.mul_uniform = bad_mul_uniform}},
    {"ternary sampling", {.sample.sample_small = bad_sample_small}},
    {"adding ternary samples", {.sample.add_small = bad_add_small}},
    {"adding noise of exact bits", {.sample.add_exact_flood = bad_add_exact_flood}},
    {"gathering", {.ring.permute = bad_permute}},
    {"identical automorphism", {.ring.galois = bad_galois}},
    {"product of polynomials in the secret, sizes 1 and 1", {.products.tensor = bad_tensor}},
    {"inner products with a key", {.products.key_products = bad_key_products}},
    {"linear combination", {.products.combine = bad_combine}},
    {"sum of products of ciphertexts", {.products.tensor_sum = bad_tensor_sum}},
    {"sums of rotated products", {.products.rotation_sums = bad_rotation_sums}},
    {"digits of key switching", {.products.decompose = bad_decompose}},
    {"NTT of digits", {.ntt.ntt_decompose = bad_ntt_decompose}},
    {"count of zeros", {.ring.count_zeros = bad_count_zeros}},
    {"adding the scaled message", {.bfv.add_scaled_plain = bad_add_scaled_plain}},
    {"plaintext as a factor", {.bfv.lift_plain = bad_lift_plain}},
    {"base conversion to t and gamma", {.rns.base_convert = bad_base_convert}},
    {"several base conversions", {.rns.base_convert_each = bad_base_convert_each}},
    {"gamma correction", {.bfv.gamma_correct = bad_gamma_correct}},
    {"division by the last prime", {.rns.divide_round = bad_divide_round}},
    {"mixed-radix digits", {.garner.garner_digits = bad_garner_digits}},
    {"infinity norm", {.garner.infinity_norm = bad_infinity_norm}},
    {"copy", {.ring.copy = bad_copy}},
    {"two base conversions", {.rns.base_convert_through = bad_base_convert_through}},
    {"zeros in slices", {.ring.clear = bad_clear}},
    {"coefficients of slots", {.real.slots_to_coefficients = bad_slots_to_coefficients}},
    {"residues of coefficients", {.real.round_reals = bad_round_reals}},
    {"reals of residues", {.real.compose_reals = bad_compose_reals}},
    {"slots of coefficients", {.real.coefficients_to_slots = bad_coefficients_to_slots}},
    {"packing", {.rows.pack = bad_pack}},
    {"unpacking", {.rows.unpack = bad_unpack}},
    {"digests of packed rows", {.rows.digest_rows = bad_digest_rows}},
};

enum {
    ON_WORDS = sizeof on_words / sizeof on_words[0],
    MEMORY = 8,  /* fork, beside, close, host_alloc, host_free, alloc, free, finish: test_memory */
    ALLOWED = 7, /* native, enter, leave, interrupt, record, replay, forget: no engine need do anything */
    DIVIDED = 2, /* divide_blocks, mod_up_digits: of divided limbs alone, which t_divided_scheme.c compares */
};
_Static_assert(ON_WORDS + MEMORY + ALLOWED + DIVIDED == BROKEN_ALL, "every operation of engine.h is broken here once");

/* Replaces the entries of a group whose change is not NULL. */
static inline void take_changes(void *entries, const void *changes, size_t bytes)
{
    void (*entry)(void);
    for (size_t at = 0; at < bytes; at += sizeof entry) {
        memcpy(&entry, (const char *)changes + at, sizeof entry);
        if (entry != NULL) {
            memcpy((char *)entries + at, &entry, sizeof entry);
        }
    }
}

/* Puts the operations that `changes` has into a copy of the CPU engine's. */
static inline void with_changes(engine_copy *copy, const engine_copy *changes)
{
    engine_copy_of(copy, real);
    take_changes((char *)&copy->ops + offsetof(hb_engine_ops, fork),
                 (const char *)&changes->ops + offsetof(hb_engine_ops, fork), QUEUE_BYTES);
    take_changes(&copy->memory, &changes->memory, GROUP_BYTES);
}

#endif
