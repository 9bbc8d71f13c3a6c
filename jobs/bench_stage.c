#include "bench_stage.h"

#include <stdlib.h>

static hb_status allocate(hb_bench_stage *s)
{
    const hb_params *p = s->params;
    const size_t count = s->count;
    s->ternary = malloc(p->spec.n);
    s->seeds = calloc(count, sizeof *s->seeds);
    s->budgets = calloc(count, sizeof *s->budgets);
    if (s->ternary == NULL || s->seeds == NULL || s->budgets == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for keys and %zu seeds", count);
    }
    HB_TRY(hb_batch_alloc(s->engine, &s->values, count, 1, &p->plain_id));
    HB_TRY(hb_batch_alloc(s->engine, &s->plain, count, 1, &p->plain_id));
    HB_TRY(hb_batch_alloc(s->engine, &s->plain_gamma, count, 2, p->plain_gamma_ids));
    HB_TRY(hb_batch_alloc(s->engine, &s->c0, count, p->data_limbs, p->ids));
    HB_TRY(hb_batch_alloc(s->engine, &s->c1, count, p->data_limbs, p->ids));
    HB_TRY(hb_batch_alloc(s->engine, &s->phase, count, p->data_limbs, p->ids));
    HB_TRY(hb_alloc(s->engine, count * s->packed_bytes, &s->packed));
    HB_TRY(hb_alloc(s->engine, count * p->data_limbs * HB_DIGEST_BYTES, &s->digests));
    return hb_host_alloc(s->engine, count * s->packed_bytes, &s->host);
}

static hb_status make_keys(hb_bench_stage *s)
{
    const hb_params *p = s->params;
    hb_seed_random(&s->root);
    hb_seed_random(&s->public_seed);
    HB_TRY(hb_secret_draw(s->engine, p, &s->root, s->ternary));
    HB_TRY(hb_secret_key_load(&s->secret, s->engine, p, s->ternary));
    HB_TRY(hb_public_key_generate(&s->public, &s->secret, &s->root, &s->public_seed));
    HB_TRY(hb_encryptor_open(s->engine, &s->secret, NULL, HB_GAUSSIAN, s->count, &s->with_secret));
    HB_TRY(hb_encryptor_open(s->engine, NULL, &s->public, HB_GAUSSIAN, s->count, &s->with_public));
    return hb_decryptor_open(s->engine, &s->secret, p->data_limbs, s->count, &s->decryptor);
}

hb_status hb_bench_stage_init(hb_bench_stage *s, const hb_bench_options *options)
{
    const hb_params *p = s->params = options->params;
    s->count = hb_bench_batch(options, &p->ring, p->data_limbs, 10);
    s->packed_bytes = hb_packed_bytes(&p->ring, p->ids, p->data_limbs);
    HB_TRY(hb_device_open_ring(options->device, &p->ring, &s->engine));
    HB_TRY(hb_encoder_open(s->engine, p, p->batching ? HB_ENCODE_SLOTS : HB_ENCODE_COEFFICIENTS, &s->encoder));
    HB_TRY(allocate(s));
    HB_TRY(make_keys(s));
    hb_seed_public(s->seeds, s->count, &s->root, 0);
    HB_TRY(hb_sample_uniform(s->engine, s->values, s->seeds));
    HB_TRY(hb_sample_uniform(s->engine, s->c1, s->seeds));
    HB_TRY(hb_encode(s->encoder, s->plain, s->values));
    HB_TRY(hb_encrypt(s->with_secret, s->c0, s->c1, s->seeds, s->plain, &s->root, 0));
    HB_TRY(hb_pack(s->engine, (hb_packed){s->packed, s->count, 0}, s->c0));
    s->number = s->count;
    return hb_finish(s->engine);
}

void hb_bench_stage_clear(hb_bench_stage *s)
{
    hb_decryptor_close(s->decryptor);
    hb_encryptor_close(s->with_secret);
    hb_encryptor_close(s->with_public);
    hb_public_key_clear(&s->public);
    hb_secret_key_clear(&s->secret);
    hb_encoder_close(s->encoder);
    if (s->engine != NULL) {
        hb_batch *const batches[] = {&s->values, &s->plain, &s->plain_gamma, &s->c0, &s->c1, &s->phase};
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            hb_batch_free(s->engine, batches[i]);
        }
        hb_free(s->engine, s->packed);
        hb_free(s->engine, s->digests);
        hb_host_free(s->engine, s->host);
    }
    hb_engine_close(s->engine);
    free(s->budgets);
    free(s->seeds);
    free(s->ternary);
}
