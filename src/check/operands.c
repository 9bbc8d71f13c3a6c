/* The operands, which are memory on both engines and words in it, and the constants of the operations: residues as
 * random as the operands, and borders that are met. */
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "check_private.h"
#include "ring/convert_arith.h"
#include "ring/roots.h"

/* Returns entry i of a table of constants; every third is m - 1, which makes the longest sums. */
static uint64_t entry(const hb_ring *ring, uint16_t id, size_t i, uint64_t *state)
{
    const uint64_t m = ring->moduli[id].value, residue = hb_check_residue(m, state);
    return i % 3 == 0 ? m - 1 : residue;
}

/* Fills scale, matrix, the factors of kept limbs and of the overflow with residues. */
static void fill_conversion(hb_base_conversion *c, const hb_ring *ring, uint64_t *state)
{
    for (uint32_t i = 0; i < c->from_limbs; i++) {
        c->scale[i] = hb_check_residue(ring->moduli[c->from_ids[i]].value, state);
    }
    for (uint32_t o = 0; o < c->to_limbs; o++) {
        for (uint32_t i = 0; i < c->from_limbs; i++) {
            c->matrix[(size_t)o * c->from_limbs + i] = entry(ring, c->to_ids[o], i, state);
        }
        if (c->keep != NULL) {
            c->keep[o] = entry(ring, c->to_ids[o], o, state);
        }
        if (c->overflow != NULL) {
            c->overflow->factors[o] = entry(ring, c->to_ids[o], o + 1, state);
        }
    }
}

/* Fill the weights of an overflow, by its kind. */
static void fill_binary(hb_overflow *v, uint32_t limbs, uint64_t *state)
{
    v->kind = HB_OVERFLOW_BINARY;
    v->half = HB_OVERFLOW_WORD / 2;
    for (uint32_t i = 0; i < limbs; i++) {
        v->weights[i] = hb_check_random(state) % HB_OVERFLOW_WORD;
    }
}

static void fill_modular(hb_overflow *v, const hb_ring *ring, uint16_t id, uint32_t limbs, uint64_t *state)
{
    v->id = id;
    v->half = ring->moduli[id].value / 2 + 1;
    for (uint32_t i = 0; i < limbs; i++) {
        v->weights[i] = hb_check_residue(ring->moduli[id].value, state);
    }
}

/* Fills a rounded overflow with any weights and any border: fixed-point sums of words that are no fractions. */
static void fill_rounded(hb_overflow *v, uint32_t limbs, uint64_t *state)
{
    v->kind = HB_OVERFLOW_ROUNDED;
    v->half = hb_check_random(state);
    for (uint32_t i = 0; i < limbs; i++) {
        v->weights[i] = hb_check_random(state);
    }
}

/* Makes the overflow word i itself. Words m - 1 and m - 2, or m / 2 and m / 2 + 1, are among those of the operands, so
 * the border is met on both sides. */
static void meet_border(hb_base_conversion *c, const hb_ring *ring, uint32_t i)
{
    const uint64_t low = (ring->moduli[c->from_ids[i]].value - 1) % HB_OVERFLOW_WORD;
    hb_overflow *v = c->overflow;
    memset(v->weights, 0, c->from_limbs * sizeof *v->weights);
    v->weights[i] = 1;
    c->scale[i] = 1;
    if (v->kind == HB_OVERFLOW_BINARY) {
        v->half = low != 0 ? low : HB_OVERFLOW_WORD;
    }
}

/* Makes one conversion of each kind. */
static hb_status make_conversions(hb_check *k, uint64_t *state)
{
    const hb_check_shape *s = &k->shape;
    const uint16_t *both = k->plain_gamma_ids, last = s->ids[s->limbs - 1];
    hb_base_conversion *c = k->conversion;
    const struct {
        const uint16_t *from, *to;
        bool keep, overflow;
    } kinds[HB_CHECK_CONVERSIONS] = {
        [HB_CHECK_TO_PLAIN_GAMMA] = {s->ids, both, false, false},
        [HB_CHECK_FROM_PLAIN_GAMMA] = {both, s->ids, false, false},
        [HB_CHECK_SCALED] = {s->ids, s->ids, false, false},
        [HB_CHECK_BINARY] = {s->ids, s->ids, false, true},
        [HB_CHECK_BINARY_BORDER] = {s->ids, both, false, true},
        [HB_CHECK_MODULAR] = {s->ids, s->ids, true, true},
        [HB_CHECK_GAMMA_OVERFLOW] = {both, s->ids, true, true},
        [HB_CHECK_CENTRED] = {s->ids, s->ids, false, true},
        [HB_CHECK_ROUNDED] = {s->ids, s->ids, true, true},
    };
    for (int i = 0; i < HB_CHECK_CONVERSIONS; i++) {
        HB_TRY(hb_base_conversion_alloc(&c[i], kinds[i].from, kinds[i].from == both ? 2 : s->limbs, kinds[i].to,
                                        kinds[i].to == both ? 2 : s->limbs, kinds[i].keep, kinds[i].overflow));
        fill_conversion(&c[i], k->ring, state);
    }
    for (int i = HB_CHECK_TO_PLAIN_GAMMA; i <= HB_CHECK_FROM_PLAIN_GAMMA; i++) { /* these take words as they are */
        hb_base_conversion_unscale(&c[i]);
    }
    /* Each kind of overflow has weights and a half of its own. */
    fill_binary(c[HB_CHECK_BINARY].overflow, s->limbs, state);
    fill_binary(c[HB_CHECK_BINARY_BORDER].overflow, s->limbs, state);
    fill_modular(c[HB_CHECK_MODULAR].overflow, k->ring, last, s->limbs, state);
    fill_modular(c[HB_CHECK_GAMMA_OVERFLOW].overflow, k->ring, s->gamma_id, 2, state);
    hb_base_conversion_unscale(&c[HB_CHECK_CENTRED]);
    c[HB_CHECK_CENTRED].overflow->kind = HB_OVERFLOW_CENTRED;
    fill_rounded(c[HB_CHECK_ROUNDED].overflow, s->limbs, state);
    /* With random weights words would hardly ever meet the border of an overflow: two conversions are made to meet
     * it. */
    meet_border(&c[HB_CHECK_BINARY_BORDER], k->ring, 0);
    meet_border(&c[HB_CHECK_MODULAR], k->ring, s->limbs - 1);
    return HB_OK;
}

/* Makes the second half of hb_check_init: the constants, which are no operands. */
static hb_status make_constants(hb_check *k, uint64_t *state)
{
    const hb_check_shape *s = &k->shape;
    const uint64_t t = k->ring->moduli[s->plain_id].value, gamma = k->ring->moduli[s->gamma_id].value;
    k->seeds = calloc(s->count, sizeof *k->seeds);
    k->factors = calloc(s->limbs, sizeof *k->factors);
    k->norms = calloc(s->count * s->limbs, sizeof *k->norms);
    if (k->seeds == NULL || k->factors == NULL || k->norms == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to check the engine with");
    }
    for (size_t c = 0; c < s->count; c++) {
        for (size_t i = 0; i < HB_SEED_BYTES; i++) {
            k->seeds[c].bytes[i] = (uint8_t)hb_check_random(state);
        }
    }
    for (uint32_t l = 0; l < s->limbs; l++) {
        /* One table serves as factors of scaling, as delta, and as inverses: any residues do. */
        k->factors[l] = entry(k->ring, s->ids[l], l, state);
    }
    const uint16_t last = s->ids[s->limbs - 1];
    /* Both sides get the same constants, so random residues do where a scheme has particular ones. */
    k->scale_plain = (hb_scale_plain){s->plain_id, hb_check_residue(t, state), (t + 1) / 2, k->factors};
    k->plain_lift = (hb_plain_lift){s->plain_id, (t + 1) / 2, true};
    k->gamma_correction = (hb_gamma_correction){s->plain_id,
                                                s->gamma_id,
                                                {hb_check_residue(t, state), hb_check_residue(gamma, state)},
                                                hb_check_residue(t, state)};
    k->drop_last = (hb_drop_last){last, k->ring->moduli[last].value / 2, k->factors};
    k->drop_gamma = (hb_drop_last){s->gamma_id, gamma / 2, &k->gamma_correction.inverse_gamma};
    HB_TRY(make_conversions(k, state));
    HB_TRY(hb_composition_init(&k->composition, k->ring, s->ids, s->limbs));
    for (int side = 0; side < HB_SIDES; side++) {
        for (int i = 0; i < HB_CHECK_TABLES; i++) {
            const bool threes = i == HB_CHECK_THREES || i == HB_CHECK_WIDE_THREES;
            HB_TRY(hb_check_named("tables of slots", hb_slot_tables_init(&k->slot_tables[side][i], k->pair.engine[side],
                                                                         threes ? 3 : 5, i >= HB_CHECK_WIDE_FIVES)));
        }
    }
    HB_TRY(hb_basis_init(&k->basis, k->ring, s->ids, s->limbs));
    return hb_garner_init(&k->garner, &k->basis);
}

static void clear_constants(hb_check *k)
{
    for (int side = 0; side < HB_SIDES; side++) {
        for (int i = 0; i < HB_CHECK_TABLES; i++) {
            hb_slot_tables_clear(&k->slot_tables[side][i], k->pair.engine[side]);
        }
    }
    hb_garner_clear(&k->garner);
    for (int i = 0; i < HB_CHECK_CONVERSIONS; i++) {
        hb_base_conversion_clear(&k->conversion[i]);
    }
    free(k->norms);
    free(k->factors);
    free(k->seeds);
}

/* Words around the polynomials: even, as engines may want rows on a 16-byte grid, and no multiple of 64 bytes. */
enum { HEAD = 2, GAP = 6 };
enum { TERMS = 5 }; /* plaintexts of fill_terms */

/* Describes an operand of `count` polynomials with n coefficients of each limb. */
static void describe_slices(hb_check *k, hb_check_operand which, size_t count, const uint16_t *ids, uint32_t limbs,
                            size_t n)
{
    const size_t stride = limbs * n + GAP;
    k->area[which] = (hb_check_area){.ids = ids,
                                     .limbs = limbs,
                                     .count = count,
                                     .n = n,
                                     .stride = stride,
                                     .head = HEAD,
                                     .words = HEAD + count * stride};
}

static void describe_polynomials(hb_check *k, hb_check_operand which, size_t count, const uint16_t *ids, uint32_t limbs)
{
    describe_slices(k, which, count, ids, limbs, k->ring->n);
}

/* Inserts an id into a list that ascends. */
static void insert_id(uint16_t *ids, uint32_t count, uint16_t id)
{
    for (; count > 0 && ids[count - 1] > id; count--) {
        ids[count] = ids[count - 1];
    }
    ids[count] = id;
}

/* Chooses the limbs that stand apart, those of key switching, and as many digits as memory of 2^20 words a ciphertext
 * allows, but 3 if there are so many. */
static void choose_limbs(hb_check *k)
{
    const hb_check_shape *s = &k->shape;
    const size_t fit = ((size_t)1 << 20) / (s->limbs * k->ring->n), digits = fit < 3 ? 3 : fit;
    k->digits = digits < s->limbs ? (uint32_t)digits : s->limbs;
    uint16_t most = 0;
    for (uint32_t l = 0; l < s->limbs; l++) {
        /* As below the first level: a data prime is missing before the special one. */
        if (l + 2 != s->limbs) {
            insert_id(k->switch_ids, k->switch_limbs++, s->ids[l]);
        }
        k->apart_ids[2 * l] = k->apart_ids[2 * l + 1] = s->ids[l];
        most = s->ids[l] > most ? s->ids[l] : most;
    }
    k->key_limbs = most + 2U < k->ring->count ? most + 2U : k->ring->count;
    k->key_limbs = k->key_limbs < HB_MAX_LIMBS ? k->key_limbs : HB_MAX_LIMBS;
    for (uint32_t l = 0; l < k->key_limbs; l++) {
        k->key_ids[l] = (uint16_t)l;
    }
}

/* Returns the coefficients from the first border of slices on; all of them where there is none. */
static size_t slice_words(size_t n)
{
    return n > HB_SLICE_WORDS ? n - HB_SLICE_WORDS : n;
}

/* Says of each operand how many polynomials of which limbs it has. The largest are products and digits. */
static void describe(hb_check *k)
{
    const hb_check_shape *s = &k->shape;
    /* Room for every other row, and for one before and behind. */
    const size_t rows = 2 * s->count + 2;
    describe_polynomials(k, HB_CHECK_R, s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_A, s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_B, s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_ONE, 1, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_SCRATCH, s->count, s->ids, s->limbs);
    describe_slices(k, HB_CHECK_DENSE, s->count, s->ids, s->limbs, slice_words(k->ring->n));
    describe_polynomials(k, HB_CHECK_APART, s->count, k->apart_ids, 2 * s->limbs);
    describe_polynomials(k, HB_CHECK_PLAIN, s->count, k->plain_gamma_ids, 1);
    describe_polynomials(k, HB_CHECK_PLAIN_GAMMA, s->count, k->plain_gamma_ids, 2);
    describe_polynomials(k, HB_CHECK_TERMS, TERMS, k->plain_gamma_ids, 1);
    describe_polynomials(k, HB_CHECK_LIFTED, TERMS, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_LEFT, 3 * s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_RIGHT, 3 * s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_PRODUCTS, 5 * s->count, s->ids, s->limbs);
    describe_polynomials(k, HB_CHECK_DIGITS, k->digits * s->count, k->switch_ids, k->switch_limbs);
    describe_polynomials(k, HB_CHECK_KEY, 2 * (k->digits + 1), k->key_ids, k->key_limbs);
    describe_polynomials(k, HB_CHECK_OWN_KEY, 2 * k->digits, k->switch_ids, k->switch_limbs);
    describe_polynomials(k, HB_CHECK_SWITCHED, 2 * s->count, k->switch_ids, k->switch_limbs);
    k->area[HB_CHECK_PACKED] = (hb_check_area){.ids = s->ids,
                                               .limbs = s->limbs,
                                               .count = rows,
                                               .by_limbs = true,
                                               .words = rows * hb_packed_bytes(k->ring, s->ids, s->limbs) / 8};
    const size_t digest = HB_DIGEST_BYTES / 8;
    k->area[HB_CHECK_DIGESTS] = (hb_check_area){.ids = s->ids,
                                                .limbs = s->limbs,
                                                .count = rows,
                                                .n = digest,
                                                .by_limbs = true,
                                                .words = rows * s->limbs * digest};
    k->area[HB_CHECK_NORMS] = (hb_check_area){
        .ids = s->ids, .limbs = s->limbs, .count = s->count, .n = 1, .stride = s->limbs, .words = s->count * s->limbs};
    k->area[HB_CHECK_MAP] = (hb_check_area){.n = k->ring->n, .count = 1, .by_limbs = true, .words = k->ring->n / 2};
    k->area[HB_CHECK_ZEROS] = (hb_check_area){.n = 1, .count = 1, .by_limbs = true, .words = 1};
    describe_polynomials(k, HB_CHECK_SLOTS, s->count, k->plain_gamma_ids, 1);
    describe_polynomials(k, HB_CHECK_COEFFICIENTS, s->count, k->plain_gamma_ids, 1);
    describe_polynomials(k, HB_CHECK_BORDERS, s->count, k->plain_gamma_ids, 1);
    describe_polynomials(k, HB_CHECK_WIDE, 2 * s->count, k->plain_gamma_ids, 1);
    describe_polynomials(k, HB_CHECK_WIDE_BORDERS, 2 * s->count, k->plain_gamma_ids, 1);
    k->area[HB_CHECK_REFUSED] = (hb_check_area){.n = 1, .count = 1, .by_limbs = true, .words = 1};
    k->area[HB_CHECK_OUT_OF_RANGE] = (hb_check_area){.n = 1, .count = 1, .by_limbs = true, .words = 1};
}

uint64_t hb_check_residue(uint64_t m, uint64_t *state)
{
    const uint64_t w = hb_check_random(state);
    return m == 0 ? w : w % m;
}

enum { EXTREMES = 8 };

/* Returns a residue at a border of some operation's case distinctions. */
static uint64_t extreme_residue(uint64_t m, size_t kind)
{
    const uint64_t extremes[EXTREMES] = {0, m - 1, 1, m / 2, m / 2 + 1, m - 2, m / 2 - 1, 0};
    return extremes[kind] % m;
}

/* Fills an area with the words of both sides. Polynomials are in turn: random words with an extreme one in all limbs at
 * once here and there, which makes extremes of the number that the limbs stand for; nothing but 0 and m - 1, the
 * longest sums; random words. Word 1 is m - 1 in all of them, for sums over several. */
static void fill(const hb_check *k, const hb_check_area *a, uint64_t *words, uint64_t *state)
{
    for (size_t i = 0; i < a->words; i++) {
        words[i] = hb_check_random(state);
    }
    for (size_t c = 0; a->ids != NULL && !a->by_limbs && c < a->count; c++) {
        for (size_t j = 0; j < a->n; j++) {
            const uint64_t w = hb_check_random(state);
            /* One decision for all limbs of a coefficient. */
            const bool extreme = c % 3 == 1 || (c % 3 == 0 && w % 4 == 0) || j == 1;
            const size_t kind = j == 1 ? 1 : (w >> 8) % (c % 3 == 1 ? 2 : EXTREMES);
            for (uint32_t l = 0; l < a->limbs; l++) {
                const hb_modulus *m = &k->ring->moduli[a->ids[l]];
                uint64_t *word = &words[a->head + c * a->stride + l * a->n + j];
                *word = extreme ? extreme_residue(m->value, kind) : hb_mod_reduce(*word, m);
            }
        }
    }
}

/* Fills in a permutation: n is a power of two and the factor odd. Neighbours come from far apart and there is no
 * symmetry. */
static void fill_map(uint64_t *words, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        const uint32_t from = (uint32_t)((j * (n / 2 + n / 8 + 5) + 3) % n);
        memcpy((char *)words + j * sizeof from, &from, sizeof from);
    }
}

/* Fills in plaintexts: one term from which t is taken away, at either end, and one from which it is not; nothing; two
 * terms. */
static void fill_terms(const hb_check *k, const hb_check_area *a, uint64_t *words)
{
    const uint64_t t = k->ring->moduli[k->shape.plain_id].value, half = (t + 1) / 2;
    const struct {
        size_t polynomial, word;
        uint64_t value;
    } terms[] = {{0, 0, t - 1}, {1, a->n - 1, half}, {2, a->n / 2, half - 1}, {4, 0, half}, {4, a->n - 1, 1}};
    for (size_t c = 0; c < TERMS; c++) {
        memset(words + a->head + c * a->stride, 0, a->n * sizeof *words);
    }
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        words[a->head + terms[i].polynomial * a->stride + terms[i].word] = terms[i].value;
    }
}

/* Fills those operands that no residues make. */
static void fill_particular(const hb_check *k, hb_check_operand which, uint64_t *state)
{
    const hb_check_area *a = &k->area[which];
    if (which == HB_CHECK_MAP) {
        fill_map(k->pair.host, k->ring->n);
    } else if (which == HB_CHECK_TERMS) {
        fill_terms(k, a, k->pair.host);
    } else if (which == HB_CHECK_SLOTS) {
        hb_check_fill_reals(a, k->pair.host, state);
    } else if (which == HB_CHECK_BORDERS) {
        hb_check_fill_borders(a, k->pair.host, state);
    } else if (which == HB_CHECK_WIDE_BORDERS) {
        hb_check_fill_wide_borders(a, k->pair.host, state);
    }
}

/* Allocates an area on both sides and copies the same words there. */
static hb_status place_area(hb_check *k, hb_check_operand which, uint64_t *state)
{
    hb_check_area *a = &k->area[which];
    const size_t bytes = a->words * sizeof *k->pair.host;
    fill(k, a, k->pair.host, state);
    fill_particular(k, which, state);
    for (int side = 0; side < HB_SIDES; side++) {
        hb_engine *e = k->pair.engine[side];
        void *memory = NULL;
        HB_TRY(hb_check_named("memory", hb_alloc(e, bytes, &memory)));
        a->memory[side] = memory;
        /* ring/engine.h promises it, and packed rows rely on it. */
        if ((uintptr_t)memory % 64 != 0) {
            return HB_FAIL(HB_EUNAVAILABLE, "memory: its address is no multiple of 64 bytes");
        }
        HB_TRY(hb_check_named("upload", hb_upload(e, memory, k->pair.host, bytes)));
        HB_TRY(hb_check_named("upload", hb_finish(e)));
    }
    return HB_OK;
}

hb_status hb_check_init(hb_check *k, hb_engine *engine, hb_engine *cpu, const hb_check_shape *shape)
{
    k->pair = (hb_check_pair){.engine = {engine, cpu}};
    k->shape = *shape;
    k->ring = cpu->ring;
    k->plain_gamma_ids[0] = shape->plain_id;
    k->plain_gamma_ids[1] = shape->gamma_id;
    /* Which limbs there are decides the sizes of all operands. */
    choose_limbs(k);
    describe(k);
    size_t most = 0;
    for (int i = 0; i < HB_CHECK_OPERANDS; i++) {
        most = k->area[i].words > most ? k->area[i].words : most;
    }
    k->pair.host = malloc(most * sizeof *k->pair.host);
    if (k->pair.host == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to check the engine with");
    }
    uint64_t state = shape->seed;
    for (int i = 0; i < HB_CHECK_OPERANDS; i++) {
        HB_TRY(place_area(k, (hb_check_operand)i, &state));
    }
    /* After the operands, from the same sequence of words. */
    return make_constants(k, &state);
}

void hb_check_clear(hb_check *k)
{
    for (int i = 0; i < HB_CHECK_OPERANDS; i++) {
        for (int side = 0; side < HB_SIDES; side++) {
            hb_free(k->pair.engine[side], k->area[i].memory[side]);
        }
    }
    clear_constants(k);
    free(k->pair.host);
}

hb_engine *hb_check_engine(const hb_check *k, int side)
{
    return k->pair.engine[side];
}

hb_batch hb_check_result(const hb_check *k, int side)
{
    return hb_check_view(k, side, HB_CHECK_R);
}

hb_batch hb_check_view(const hb_check *k, int side, int which)
{
    const hb_check_area *a = &k->area[which];
    /* A view of some coefficients says how many; one of all leaves both fields 0. */
    const bool some = a->n != k->ring->n;
    return (hb_batch){.data = a->memory[side] + a->head,
                      .ids = a->ids,
                      .limbs = a->limbs,
                      .count = a->count,
                      .stride = a->stride,
                      .limb_stride = some ? a->n : 0,
                      .n = some ? a->n : 0};
}
