#include "stage.h"

#include <stdlib.h>

#include "base/digest.h"

static hb_status allocate(hb_bench_stage *s)
{
    const hb_params *p = s->scheme.params;
    const size_t count = s->scheme.count;
    s->ternary = malloc(p->spec.n);
    if (s->ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a secret key of %zu coefficients", p->spec.n);
    }
    HB_TRY(hb_batch_alloc(s->engine, &s->plain_gamma, count, 2, hb_bfv_of(p)->plain_gamma_ids));
    if (p->auxiliary_limbs > 0) {
        HB_TRY(hb_behz_init(&s->behz, p, p->data_limbs));
        HB_TRY(hb_batch_alloc(s->engine, &s->auxiliary, count, s->behz.limbs, s->behz.ids));
        HB_TRY(hb_clear(s->engine, s->auxiliary));
    }
    HB_TRY(hb_alloc(s->engine, count * s->packed_bytes, &s->packed));
    HB_TRY(hb_alloc(s->engine, count * p->data_limbs * HB_DIGEST_BYTES, &s->digests));
    return hb_host_alloc(s->engine, count * s->packed_bytes, &s->host);
}

hb_status hb_bench_stage_init(hb_bench_stage *s, const hb_bench_options *options)
{
    const hb_params *p = options->params;
    hb_stage *scheme = &s->scheme;
    hb_seed root;
    const size_t count = hb_bench_batch(options, &p->ring, p->data_limbs, 12);
    s->packed_bytes = hb_packed_bytes(&p->ring, p->ids, p->data_limbs);
    HB_TRY(hb_device_open_ring(options->device, &p->ring, &s->engine));
    hb_seed_random(&root);
    const hb_status st = hb_stage_init(scheme, s->engine, p, &root, count);
    hb_wipe(&root, sizeof root);
    HB_TRY(st);
    HB_TRY(allocate(s));
    hb_seed_public(scheme->seeds, count, &scheme->root, 0);
    HB_TRY(hb_sample_uniform(s->engine, scheme->values, scheme->seeds));
    HB_TRY(hb_sample_uniform(s->engine, scheme->c1, scheme->seeds));
    HB_TRY(hb_encode(scheme->encoder, scheme->plain, scheme->values));
    HB_TRY(hb_encrypt(scheme->with_secret, scheme->c0, scheme->c1, scheme->seeds, scheme->plain, &scheme->root, 0));
    HB_TRY(hb_pack(s->engine, (hb_packed){s->packed, count, 0, 1}, scheme->c0));
    s->now = count;
    return hb_finish(s->engine);
}

void hb_bench_stage_clear(hb_bench_stage *s)
{
    if (s->engine != NULL) {
        hb_batch_free(s->engine, &s->plain_gamma);
        hb_batch_free(s->engine, &s->auxiliary);
        hb_free(s->engine, s->packed);
        hb_free(s->engine, s->digests);
        hb_host_free(s->engine, s->host);
    }
    hb_behz_clear(&s->behz);
    hb_stage_clear(&s->scheme);
    hb_engine_close(s->engine);
    if (s->ternary != NULL) {
        hb_wipe(s->ternary, s->scheme.params->spec.n);
    }
    free(s->ternary);
}
