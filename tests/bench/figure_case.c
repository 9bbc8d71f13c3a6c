/* Primes of the cases, and the CPU engine's answers for the words that designs get. */
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "cpu/engine.h"
#include "figure_run.h"
#include "words.h"

hb_known_case *hb_figure_known(const hb_figure_run *run, const hb_design_case *c)
{
    hb_known_case *known = run->cases;
    while (known != NULL &&
           (known->ring.log_n != c->log_n || known->bits != c->bits || known->ring.count != c->moduli)) {
        known = known->next;
    }
    return known;
}

static hb_status find_primes(hb_known_case *known, const hb_design_case *c)
{
    if (c->moduli < 1 || c->moduli > HB_RING_MAX_MODULI) {
        return HB_FAIL(HB_ECONFIG, "a case of %u moduli", c->moduli);
    }
    known->bits = c->bits;
    HB_TRY(hb_ring_init(&known->ring, c->log_n));
    HB_TRY(hb_find_primes(2 * known->ring.n, c->bits, c->moduli, known->primes));
    for (uint32_t i = 0; i < c->moduli; i++) {
        uint16_t id;
        HB_TRY(hb_ring_add_modulus(&known->ring, known->primes[i], &id));
    }
    return HB_OK;
}

static hb_status make_known(hb_figure_run *run, const hb_design_case *c, hb_known_case **out)
{
    hb_known_case *known = calloc(1, sizeof *known);
    if (known == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the primes of a case");
    }
    const hb_status st = find_primes(known, c);
    if (st != HB_OK) {
        free(known);
        return st;
    }
    known->next = run->cases;
    run->cases = known;
    *out = known;
    return HB_OK;
}

hb_status hb_figure_case(hb_figure_run *run, uint32_t log_n, uint32_t bits, uint32_t moduli, size_t count, bool forward,
                         hb_design_case *c)
{
    const uint64_t gib = (uint64_t)1 << 30, most = run->device->memory / 4; /* operands, tables */
    *c = (hb_design_case){.log_n = log_n, .bits = bits, .moduli = moduli, .count = count, .forward = forward};
    hb_known_case *known = hb_figure_known(run, c);
    if (known == NULL) {
        HB_TRY(make_known(run, c, &known));
    }
    if (count == 0) {
        const uint64_t all = (most < gib ? most : gib) / (moduli * known->ring.n * sizeof(uint64_t));
        c->count = all > 0 ? (size_t)all : 1;
    }
    c->primes = known->primes;
    c->roots = known->ring.psi;
    return HB_OK;
}

/* Polynomials 0 and 1, with the operand's offset, at words [2][moduli][n]. */
static void fill(const hb_known_case *known, uint64_t operand, uint64_t *words)
{
    const hb_ring *ring = &known->ring;
    for (uint64_t number = 0; number < 2; number++) {
        for (size_t i = 0; i < ring->count * ring->n; i++) {
            *words++ = hb_words_at(operand + number, i, known->primes[i >> ring->log_n]);
        }
    }
}

static hb_status compute(const hb_known_case *known, hb_engine *engine, hb_answer which, uint64_t *x, uint64_t *y)
{
    const hb_ring *ring = &known->ring;
    uint16_t ids[HB_RING_MAX_MODULI];
    for (uint16_t i = 0; i < ring->count; i++) {
        ids[i] = i;
    }
    const hb_batch a = hb_batch_on(engine, x, 2, ring->count, ids), b = hb_batch_on(engine, y, 2, ring->count, ids);
    fill(known, 0, x);
    if (which != HB_ANSWER_PRODUCT) {
        return which == HB_ANSWER_FORWARD ? hb_ntt(engine, a) : hb_intt(engine, a);
    }
    fill(known, HB_WORDS_OPERAND, y);
    HB_TRY(hb_ntt(engine, a));
    HB_TRY(hb_ntt(engine, b));
    HB_TRY(hb_mul(engine, a, a, b));
    return hb_intt(engine, a);
}

hb_status hb_figure_answer(hb_known_case *known, hb_answer which, const uint64_t **words)
{
    const size_t line = 64, words_bytes = 2 * known->ring.count * known->ring.n * sizeof(uint64_t);
    const size_t bytes = (words_bytes + line - 1) / line * line;
    uint64_t *x = NULL, *y = NULL; /* the CPU engine's memory is any aligned memory of the host */
    hb_engine *engine = NULL;
    hb_status st = HB_OK;
    if (known->answers[which] == NULL) {
        x = aligned_alloc(line, bytes);
        y = aligned_alloc(line, bytes);
        HB_GOTO(x != NULL && y != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to compare a design with the CPU"));
        HB_GOTO(hb_cpu_engine_open(&known->ring, &engine));
        HB_GOTO(compute(known, engine, which, x, y));
        HB_GOTO(hb_finish(engine));
        known->answers[which] = x;
        x = NULL;
    }
    *words = known->answers[which];
done:
    hb_engine_close(engine);
    free(x);
    free(y);
    return st;
}
