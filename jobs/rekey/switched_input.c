#include "switched_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/unit/buffers.h"
#include "batch/unit/predicted.h"
#include "batch/unit/unit_rows.h"
#include "cpu/engine.h"
#include "scheme/evaluator.h"
#include "scheme/quality.h"
#include "scheme/ring_switch.h"

/* --- finding it */

static hb_status check_level(const hb_switched_input *x)
{
    const hb_switch_key_label *label = &x->key.source.label;
    const uint32_t limbs = x->own->limbs, most = hb_key_name_limbs(&label->spec, label->name);
    if (limbs > x->smaller->fresh_limbs || x->smaller->levels[limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: its parameters have no level of %" PRIu32 " limbs", x->path, limbs);
    }
    return limbs <= most
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s serves ciphertexts of at most %" PRIu32 " limbs, and %s has such of %" PRIu32,
                         x->key.path, most, x->path, limbs);
}

/* The header of its ciphertexts in the larger ring. Their noise is that of the smaller one, as no coefficient and no
 * slot becomes larger there, and that of the switch. */
static void make_header(hb_switched_input *x, const hb_params *params)
{
    const hb_quality before = hb_predicted_quality(x->smaller, x->own);
    x->header = *x->own;
    x->header.spec = params->spec;
    x->header.form = params->form;
    x->header.seeded = false;
    x->header.made_by = HB_MADE_EVALUATED;
    x->header.quality = hb_quality_switch(params, x->own->limbs, before, HB_SWITCH_GALOIS);
    memcpy(x->header.key_id, x->key.source.label.key_id, sizeof x->header.key_id);
    x->first = hb_ring_switch_first(params->spec.n, x->own->spec.n);
}

/* Holds dataset and key to one another. *fits is false where the key is one between pairs of the same parameters. */
static hb_status hold(hb_switched_input *x, bool *fits)
{
    const hb_switch_key_label *label = &x->key.source.label;
    const hb_params_spec spec = hb_spec_of_residue(&label->spec, hb_spec_residue(&x->own->spec));
    hb_params *params = NULL;
    hb_status st;
    *fits = spec.n != x->own->spec.n;
    if (!*fits) {
        return HB_OK;
    }
    HB_GOTO(hb_params_open(&spec, &params));
    if (!hb_ring_switch_fits(params, &x->own->spec) || label->rekey.another) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: its parameters are no smaller ring of those that %s leads to", x->path,
                        x->key.path));
    }
    HB_GOTO(hb_params_open(&x->own->spec, &x->smaller));
    HB_GOTO(check_level(x));
    make_header(x, params);
done:
    hb_params_close(params);
    return st;
}

hb_status hb_switched_input_find(hb_dataset *dataset, const char *path, const char *keys, hb_switched_input **out)
{
    const hb_header *own = hb_dataset_header(dataset);
    struct stat status;
    bool fits = false;
    *out = NULL;
    /* Pairs of a smaller ring have no special prime. All others need no key, whichever the folder has. */
    const bool special = hb_spec_data_limbs(&own->spec) > 0;
    if (own->encoding != HB_ENCODE_SPREAD || special || keys == NULL || stat(keys, &status) != 0 ||
        !S_ISDIR(status.st_mode)) {
        return HB_OK;
    }
    hb_switched_input *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a row of a smaller ring", path);
    }
    *x = (hb_switched_input){.path = path, .dataset = dataset, .own = own};
    hb_status st = hb_moving_key_find(&x->key, keys, own, path);
    st = st == HB_OK && x->key.path != NULL ? hold(x, &fits) : st;
    if (st != HB_OK || !fits) {
        hb_switched_input_close(x);
        return st;
    }
    *out = x;
    return HB_OK;
}

void hb_switched_input_close(hb_switched_input *x)
{
    if (x == NULL) {
        return;
    }
    for (uint64_t u = 0; x->rows != NULL && u < hb_header_units(&x->header); u++) {
        hb_rows_free(&x->rows[u], x->engine);
    }
    hb_moving_key_close(&x->key);
    hb_params_close(x->smaller);
    free(x->rows);
    free(x);
}

/* --- loading */

/* The host reads the dataset, in its own ring, whatever the job's engine is. */
typedef struct loading {
    hb_engine *engine;
    hb_unit_rows unit;
    hb_rows rows;
    hb_ciphertexts one;
    uint64_t *words; /* [unit][2][limbs][n], coefficient form */
} loading;

static void close_loading(loading *l)
{
    hb_unit_rows_clear(&l->unit, 1);
    if (l->engine != NULL) {
        hb_rows_free(&l->rows, l->engine);
        hb_batch_free(l->engine, &l->one.all);
    }
    hb_engine_close(l->engine);
    free(l->words);
}

static size_t words_of(const hb_switched_input *x)
{
    return (size_t)2 * x->own->limbs * x->own->spec.n;
}

static hb_status open_loading(loading *l, const hb_switched_input *x)
{
    l->words = calloc((size_t)x->own->unit, words_of(x) * sizeof *l->words);
    if (l->words == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a unit of it", x->path);
    }
    HB_TRY(hb_cpu_engine_open(&x->smaller->ring, &l->engine));
    HB_TRY(hb_unit_rows_init(&l->unit, 1, l->engine, x->smaller, x->own));
    HB_TRY(hb_rows_alloc(&l->rows, 1, l->engine, x->own));
    return hb_ciphertexts_alloc(&l->one, l->engine, x->smaller, 2, 1, x->own->limbs);
}

/* Brings ciphertext i of the unit into words [2][limbs][n]. */
static hb_status take(loading *l, const hb_switched_input *x, size_t i, uint64_t *words)
{
    const hb_batch c0 = hb_ciphertexts_component(l->one, 0), c1 = hb_ciphertexts_component(l->one, 1);
    const hb_unit_rows_view place = {i, 1, (size_t)l->rows.count};
    HB_TRY(hb_unit_rows_load(&l->unit, c0, c1, &l->rows, place));
    if (x->own->form == HB_NTT_FORM) {
        HB_TRY(hb_intt(l->engine, l->one.all));
    }
    HB_TRY(hb_download(l->engine, words, l->one.all.data, words_of(x) * sizeof *words));
    return hb_finish(l->engine);
}

/* Reads a unit, and holds it to its sums. */
static hb_status load_unit(loading *l, hb_switched_input *x, uint64_t unit)
{
    HB_TRY(hb_dataset_read(x->dataset, unit, &l->rows));
    HB_TRY(hb_unit_rows_check(&l->unit, unit, &l->rows, x->dataset));
    for (size_t i = 0; i < l->rows.count; i++) {
        HB_TRY(take(l, x, i, l->words + i * words_of(x)));
    }
    return HB_OK;
}

/* --- switching */

static hb_evaluator_requirements requirements_of(const hb_switched_input *x)
{
    return (hb_evaluator_requirements){.limbs = x->own->limbs, .count = 1, .switching = true};
}

uint64_t hb_switched_input_host_bytes(const hb_switched_input *x, const hb_params *params)
{
    return x->own->unit * words_of(x) * sizeof(uint64_t) +
           hb_header_units(&x->header) * hb_rows_bytes(params, &x->header);
}

uint64_t hb_switched_input_bytes(const hb_switched_input *x, const hb_params *params)
{
    const hb_key_purpose purpose = hb_moving_key_purpose(x->own);
    const hb_evaluator_requirements requirements = requirements_of(x);
    const uint64_t ciphertext =
        (uint64_t)2 * hb_params_most_limbs(params, params->ids, x->own->limbs) * params->spec.n * sizeof(uint64_t);
    return hb_key_purpose_bytes(params, &purpose) + hb_switch_key_preparing_bytes(params) +
           hb_evaluator_bytes(params, &requirements) + ciphertext + hb_unit_rows_bytes(params, &x->header);
}

/* It switches one ciphertext after another into the rows of a unit. */
typedef struct switching {
    hb_engine *engine;
    hb_evaluator *evaluator;
    const hb_switch_key *key;
    hb_ciphertexts one;
    hb_unit_rows unit;
    void *host; /* the words of `one`, on their way to the engine */
} switching;

static void close_switching(switching *s)
{
    hb_unit_rows_clear(&s->unit, 1);
    hb_batch_free(s->engine, &s->one.all);
    hb_evaluator_close(s->evaluator);
    hb_host_free(s->engine, s->host);
}

static hb_status open_switching(switching *s, const hb_switched_input *x, const hb_session *session,
                                const hb_switch_key *key)
{
    const hb_evaluator_requirements requirements = requirements_of(x);
    s->key = key;
    HB_TRY(hb_evaluator_open(s->engine, session->params, &requirements, &s->evaluator));
    HB_TRY(hb_ciphertexts_alloc(&s->one, s->engine, session->params, 2, 1, x->own->limbs));
    HB_TRY(hb_host_alloc(s->engine, hb_ring_switch_host_bytes(s->engine, s->one.all), &s->host));
    return hb_unit_rows_init(&s->unit, 1, s->engine, session->params, &x->header);
}

/* Switches ciphertext i of a unit of `count`. */
static hb_status switch_one(switching *s, const hb_switched_input *x, const uint64_t *words, size_t i, size_t count)
{
    const hb_unit_rows_view place = {i, 1, count};
    HB_TRY(hb_ring_switch_embed(s->engine, s->one.all, words, x->own->spec.n, s->host));
    if (x->header.form == HB_NTT_FORM) {
        HB_TRY(hb_ntt(s->engine, s->one.all));
    }
    HB_TRY(hb_evaluator_change_key(s->evaluator, s->one, s->one, s->key));
    HB_TRY(hb_unit_rows_pack(&s->unit, 0, hb_ciphertexts_component(s->one, 0), place));
    return hb_unit_rows_pack(&s->unit, 1, hb_ciphertexts_component(s->one, 1), place);
}

/* Switches a unit that was loaded. Exchanges. */
static hb_status switch_unit(switching *s, hb_switched_input *x, uint64_t unit, const loading *l)
{
    hb_rows *rows = &x->rows[unit];
    HB_TRY(hb_rows_alloc(rows, 1, s->engine, &x->header));
    rows->count = l->rows.count;
    for (size_t i = 0; i < rows->count; i++) {
        HB_TRY(switch_one(s, x, l->words + i * words_of(x), i, (size_t)rows->count));
    }
    HB_TRY(hb_unit_rows_download(&s->unit, rows));
    return hb_finish(s->engine);
}

static hb_status open_all(hb_switched_input *x, const hb_session *session, const hb_switch_key *key, loading *l,
                          switching *s)
{
    x->engine = session->engine;
    x->rows = calloc((size_t)hb_header_units(&x->header) + 1, sizeof *x->rows);
    if (x->rows == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for its units", x->path);
    }
    HB_TRY(open_loading(l, x));
    return open_switching(s, x, session, key);
}

/* Keys over the integers are made by all members that share limbs, which exchange in the switch: none begins it where
 * another one could not read the unit. */
hb_status hb_switched_input_switch(hb_switched_input *x, const hb_session *session, hb_group *group)
{
    hb_switch_keys keys = {.count = 0};
    hb_switch_key key = {0};
    loading l = {.engine = NULL};
    switching s = {.engine = session->engine};
    hb_status st;
    HB_GOTO(hb_agree(group, hb_moving_key_load(&x->key, session, &x->header, &key)));
    HB_GOTO(hb_agree(group, hb_switch_keys_add(&keys, &key)));
    HB_GOTO(hb_agree(group, open_all(x, session, &keys.key[0], &l, &s)));
    for (uint64_t u = 0; u < hb_header_units(&x->header); u++) {
        HB_GOTO(hb_agree(group, load_unit(&l, x, u)));
        HB_GOTO(hb_agree(group, switch_unit(&s, x, u, &l)));
    }
done:
    close_switching(&s);
    close_loading(&l);
    hb_switch_key_clear(&key);
    hb_switch_keys_clear(&keys);
    return st;
}

void hb_switched_input_read(const hb_switched_input *x, uint64_t unit, hb_rows *rows)
{
    const hb_rows *from = &x->rows[unit];
    const size_t bytes = (size_t)from->count * hb_rows_component_bytes(x->engine, &x->header);
    rows->count = from->count;
    memcpy(rows->c0, from->c0, bytes);
    memcpy(rows->c1, from->c1, bytes);
}
