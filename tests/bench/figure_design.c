/* A design opened on data of a case, compared with the CPU engine, and timed. */
#include <inttypes.h>
#include <stdlib.h>

#include "figure_run.h"
#include "gpu_time.h"
#include "gpu_words.h"
#include "words.h"

hb_status hb_design_takes(const hb_design *design, const hb_design_case *c)
{
    if (c->log_n < design->min_log_n || c->log_n > design->max_log_n) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s takes N from 2^%u to 2^%u, not 2^%u", design->name, design->min_log_n,
                       design->max_log_n, c->log_n);
    }
    if (c->bits > design->most_bits) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s takes primes of %u bits, not %u", design->name, design->most_bits, c->bits);
    }
    if (design->forward_only && !c->forward) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s has no inverse", design->name);
    }
    return HB_OK;
}

/* Words of one polynomial of a case. */
static size_t words_of(const hb_design_case *c)
{
    return (size_t)c->moduli << c->log_n;
}

/* Words of 4 or 8 bytes, widened. */
static uint64_t word_at(const void *words, uint32_t word_bytes, size_t i)
{
    return word_bytes == sizeof(uint32_t) ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

/* Polynomial `number`, 0 the first and 1 the last, now at `found` on the host. */
static hb_status compare(const hb_design_rig *rig, hb_answer which, uint64_t number, const void *found,
                         const uint64_t *expected)
{
    static const char *const names[HB_ANSWERS] = {"inverse transform", "transform", "product"};
    const hb_design_case *c = rig->c;
    for (size_t i = 0; i < words_of(c); i++) {
        const uint64_t word = word_at(found, rig->design->word_bytes, i);
        if (word != expected[i]) {
            return HB_FAIL(HB_EINTERNAL,
                           "%s: %s, N = 2^%u, %u-bit primes, %s of %zu polynomials: limb %zu, word %zu is %" PRIu64
                           ", not %" PRIu64,
                           rig->design->name, names[which], c->log_n, c->bits, number == 0 ? "first" : "last", c->count,
                           i >> c->log_n, i & (((size_t)1 << c->log_n) - 1), word, expected[i]);
        }
    }
    return HB_OK;
}

static hb_status compare_both(hb_figure_run *run, const hb_design_rig *rig, hb_answer which)
{
    const hb_design_case *c = rig->c;
    const size_t bytes = words_of(c) * rig->design->word_bytes;
    const uint64_t *expected;
    void *host = malloc(bytes);
    hb_status st = host != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to compare a design with the CPU");
    HB_GOTO(st);
    HB_GOTO(hb_figure_answer(hb_figure_known(run, c), which, &expected));
    for (size_t number = 0; number < 2 && number < c->count; number++) {
        const size_t at = number == 0 ? 0 : c->count - 1;
        HB_GOTO(hb_gpu_fetch(host, (const char *)rig->data + at * bytes, bytes, run->stream));
        HB_GOTO(compare(rig, which, number, host, expected + number * words_of(c)));
    }
done:
    free(host);
    return st;
}

static hb_status verify(hb_figure_run *run, const hb_design_rig *rig)
{
    const hb_design *design = rig->design;
    const hb_design_case *c = rig->c;
    HB_TRY(hb_gpu_fill(rig->data, design->word_bytes, c, 0, run->stream));
    if (!design->own_order) {
        HB_TRY(design->transform(rig->state, rig->data, c->forward, run->stream));
        return compare_both(run, rig, c->forward ? HB_ANSWER_FORWARD : HB_ANSWER_INVERSE);
    }
    HB_TRY(hb_gpu_fill(rig->operand, design->word_bytes, c, HB_WORDS_OPERAND, run->stream));
    HB_TRY(design->transform(rig->state, rig->data, true, run->stream));
    HB_TRY(design->transform(rig->state, rig->operand, true, run->stream));
    HB_TRY(design->multiply(rig->state, rig->data, rig->operand, run->stream));
    HB_TRY(design->transform(rig->state, rig->data, false, run->stream));
    return compare_both(run, rig, HB_ANSWER_PRODUCT);
}

hb_status hb_design_rig_open(hb_figure_run *run, const hb_design *design, const hb_design_case *c, hb_design_rig *rig)
{
    const size_t bytes = c->count * words_of(c) * design->word_bytes;
    HB_ASSERT(!design->own_order || (!design->forward_only && design->multiply != NULL));
    rig->design = design;
    rig->c = c;
    HB_TRY(hb_design_takes(design, c));
    HB_TRY(design->open(design, c, &rig->state));
    HB_TRY(hb_gpu_alloc(bytes, &rig->data));
    if (design->own_order) {
        HB_TRY(hb_gpu_alloc(bytes, &rig->operand));
    }
    const hb_status st = verify(run, rig);
    return st == HB_EUNAVAILABLE ? HB_FAIL(HB_EINTERNAL, "%s: %s", design->name, hb_last_error()->text) : st;
}

void hb_design_rig_close(hb_design_rig *rig)
{
    if (rig->design != NULL) {
        rig->design->close(rig->state);
    }
    hb_gpu_free(rig->data);
    hb_gpu_free(rig->operand);
}

hb_status hb_figure_time(hb_figure_run *run, hb_figure_body once, void *argument, double *seconds)
{
    hb_error why_not;
    HB_TRY(hb_gpu_time(run->stream, run->seconds, once, argument, seconds, &why_not));
    return why_not.text[0] == '\0'
               ? HB_OK
               : hb_figure_note(run, "some calls below a millisecond were issued one by one: %s", why_not.text);
}

static hb_status transform_once(void *argument, void *stream)
{
    const hb_design_rig *rig = argument;
    return rig->design->transform(rig->state, rig->data, rig->c->forward, stream);
}

hb_status hb_figure_time_design(hb_figure_run *run, const hb_design *design, const hb_design_case *c, double *seconds)
{
    hb_design_rig rig = {0};
    hb_status st = hb_design_rig_open(run, design, c, &rig);
    st = st == HB_OK ? hb_figure_time(run, transform_once, &rig, seconds) : st;
    const hb_error cause = *hb_last_error();
    hb_design_rig_close(&rig);
    hb_set_error(&cause);
    if (st == HB_EINTERNAL && run->wrong.text[0] == '\0') {
        run->wrong = cause;
    }
    return st;
}
