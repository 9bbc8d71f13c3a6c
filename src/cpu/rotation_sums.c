/* Sums of rotated inner products: a block of words of all terms at a time, which stay in the caches until the sums have
 * taken them. Automorphisms of the NTT form bring aligned blocks of 2^k words to aligned blocks (ring/galois.c: the
 * high bits of where a word comes from depend on its own high bits alone). */
#include "cpu_private.h"
#include "ring/permutation.h"

/* The workspace of sums: for each term a block of two rotated components and one before rotation; one of its plaintext,
 * where that has fewer words; a block of ones, and a block of the addend's factor. */
typedef struct memory {
    uint64_t (*rotated)[HB_CPU_BLOCK_ROW]; /* [2 * HB_ROTATION_TERMS] */
    uint64_t (*plain)[HB_CPU_BLOCK_ROW];   /* [HB_ROTATION_TERMS] */
    uint64_t *before, *ones, *factor;
} memory;

_Static_assert(3 * HB_ROTATION_TERMS <= HB_CPU_BLOCK_ROWS, "the terms of a sum fit the memory of a block");
_Static_assert(HB_ROTATION_TERMS < HB_CPU_MOST_TERMS, "a sum has room for what it is added to");

/* One call, at limb l and words first .. first + n. */
typedef struct block {
    const hb_rotation_sum *x;
    hb_batch r;
    size_t count;                       /* ciphertexts */
    uint32_t outputs, l, shift;         /* log2 of the words that one of a plaintext stands for */
    uint32_t of_key[HB_ROTATION_TERMS]; /* the key's limb for it */
    size_t c, first, n;
    const hb_modulus *m;
    memory room;
} block;

static void fill(uint64_t *row, uint64_t value, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        row[j] = value;
    }
}

/* Makes component k of a term for words `from` .., without its automorphism. */
static void make_term(hb_engine *e, const block *b, uint64_t *to, uint32_t t, uint32_t k, size_t from)
{
    const hb_rotation_term *term = &b->x->terms[t];
    const size_t d = term->digits.data != NULL ? term->digits.count / b->count : 0;
    hb_cpu_terms pairs = {.pairs = true};
    for (size_t i = 0; i < d; i++) {
        const bool own = term->own.data != NULL && b->l - b->x->ranges[i].first < b->x->ranges[i].limbs;
        pairs.a[pairs.count] =
            (own ? hb_cpu_row(e, term->own, b->c, b->l) : hb_cpu_row(e, term->digits, b->c * d + i, b->l)) + from;
        pairs.b[pairs.count++] = hb_cpu_row(e, term->key, 2 * i + k, b->of_key[t]) + from;
    }
    if (term->plus[k].data != NULL && b->l < term->plus[k].limbs) {
        pairs.a[pairs.count] = hb_cpu_row(e, term->plus[k], b->c, b->l) + from;
        pairs.b[pairs.count++] = b->x->factors != NULL ? b->room.factor : b->room.ones;
    }
    hb_cpu_sum(to, &pairs, b->n, b->m, b->m->f64 != 0);
}

/* Makes both components of a term, rotated. */
static void rotate_term(hb_engine *e, const block *b, uint32_t t)
{
    const hb_permutation *by = b->x->terms[t].by;
    const uint32_t *map = by != NULL ? by->map + b->first : NULL;
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t *to = b->room.rotated[2 * t + k];
        if (map == NULL) {
            make_term(e, b, to, t, k, b->first);
            continue;
        }
        const size_t from = map[0] & ~(b->n - 1);
        make_term(e, b, b->room.before, t, k, from);
        for (size_t j = 0; j < b->n; j++) {
            to[j] = b->room.before[map[j] - from];
        }
    }
}

/* Returns the block's words of plaintext `at`, perhaps in row t of the workspace. */
static const uint64_t *plain_words(hb_engine *e, const block *b, uint32_t at, uint32_t t)
{
    const uint64_t *from = hb_cpu_row(e, b->x->plain, at, b->l) + (b->first >> b->shift);
    uint64_t *row = b->room.plain[t];
    if (b->shift == 0) {
        return from;
    }
    const size_t run = (size_t)1 << b->shift, step = run < b->n ? run : b->n;
    for (size_t j = 0; j < b->n; j += step) {
        fill(row + j, from[j >> b->shift], step);
    }
    return row;
}

/* Makes both components of a sum. */
static void make_sum(hb_engine *e, const block *b, uint32_t o)
{
    const hb_rotation_sum *x = b->x;
    hb_cpu_terms pairs = {.pairs = true};
    uint32_t terms[HB_ROTATION_TERMS];
    for (uint32_t t = 0; t < x->count; t++) {
        const uint32_t at = x->which != NULL ? x->which[(size_t)o * x->row + t] : 0;
        if (at != HB_ROTATION_NONE) {
            pairs.b[pairs.count] = x->which != NULL ? plain_words(e, b, at, t) : b->room.ones;
            terms[pairs.count++] = t;
        }
    }
    const uint32_t count = pairs.count;
    pairs.count += x->add;
    pairs.b[count] = b->room.ones;
    for (uint32_t k = 0; k < 2; k++) {
        uint64_t *to = hb_cpu_row(e, b->r, ((size_t)k * b->outputs + o) * b->count + b->c, b->l) + b->first;
        for (uint32_t i = 0; i < count; i++) {
            pairs.a[i] = b->room.rotated[2 * terms[i] + k];
        }
        pairs.a[count] = to;
        hb_cpu_sum(to, &pairs, b->n, b->m, b->m->f64 != 0);
    }
}

static void make_block(hb_engine *e, const block *b)
{
    for (uint32_t t = 0; t < b->x->count; t++) {
        rotate_term(e, b, t);
    }
    for (uint32_t o = 0; o < b->outputs; o++) {
        make_sum(e, b, o);
    }
}

/* Finds the limb of every key, which may have more than r; both ascend. */
static void find_limbs(block *b)
{
    for (uint32_t t = 0; t < b->x->count; t++) {
        const hb_batch key = b->x->terms[t].key;
        for (uint32_t at = b->of_key[t]; b->x->terms[t].digits.data != NULL; at++) {
            if (key.ids[at] == b->r.ids[b->l]) {
                b->of_key[t] = at;
                break;
            }
        }
    }
}

hb_status hb_cpu_rotation_sums(hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x)
{
    const size_t n = e->ring->n;
    hb_cpu_engine *cpu = hb_cpu(e);
    block b = {.x = x, .r = r, .count = r.count / (2 * outputs), .outputs = outputs};
    b.n = n < HB_CPU_BLOCK ? n : HB_CPU_BLOCK;
    while (x->plain.n != 0 && x->plain.n << b.shift < n) {
        b.shift++;
    }
    b.room = (memory){.rotated = (uint64_t(*)[HB_CPU_BLOCK_ROW])cpu->block,
                      .plain = (uint64_t(*)[HB_CPU_BLOCK_ROW])cpu->block + 2 * HB_ROTATION_TERMS,
                      .before = cpu->scratch[0],
                      .ones = cpu->scratch[1],
                      .factor = cpu->scratch[2]};
    fill(b.room.ones, 1, b.n);
    for (b.l = 0; b.l < r.limbs; b.l++) {
        b.m = hb_cpu_modulus(e, r, b.l);
        find_limbs(&b);
        /* For limbs that nothing is added to there is no factor. */
        bool added = false;
        for (uint32_t i = 0; i < 2 * x->count; i++) {
            added = added || (x->terms[i / 2].plus[i % 2].data != NULL && b.l < x->terms[i / 2].plus[i % 2].limbs);
        }
        fill(b.room.factor, added && x->factors != NULL ? x->factors[b.l] : 0, b.n);
        for (b.first = 0; b.first < n; b.first += b.n) {
            /* Ciphertexts one after the other: keys and plaintexts stay in the caches. */
            for (b.c = 0; b.c < b.count; b.c++) {
                make_block(e, &b);
            }
        }
    }
    return HB_OK;
}
