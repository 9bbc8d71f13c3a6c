/* Single operations of the engine, on one component of each ciphertext of a batch. */
#include "base/digest.h"
#include "bfv/level.h"
#include "stage.h"

static hb_packed rows_of(const hb_bench_stage *s)
{
    return (hb_packed){s->packed, s->scheme.count, 0, 1};
}

static hb_status pack(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_pack(s->engine, rows_of(s), s->scheme.c0);
}

static hb_status unpack(void *argument)
{
    hb_bench_stage *s = argument;
    size_t out_of_range;
    return hb_unpack(s->engine, s->scheme.c0, rows_of(s), &out_of_range);
}

static hb_status digest(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_digest_rows(s->engine, s->digests, rows_of(s), s->scheme.params->ids, s->scheme.params->data_limbs);
}

static hb_status sample_uniform(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_sample_uniform(s->engine, s->scheme.c1, s->scheme.seeds);
}

static hb_status sample_gaussian(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_sample_small(s->engine, s->scheme.c1, HB_GAUSSIAN, (hb_draw){&s->scheme.root, HB_DRAW_ERROR_0, 0});
}

static hb_status add(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_add(s->engine, s->scheme.phase, s->scheme.c0, s->scheme.c1);
}

static hb_status multiply(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_mul(s->engine, s->scheme.phase, s->scheme.c0, s->scheme.c1);
}

static hb_status base_convert(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_base_convert(s->engine, s->plain_gamma, s->scheme.c0,
                           &hb_bfv_level_of(s->scheme.params, s->scheme.params->data_limbs)->to_plain_gamma);
}

/* The three of a multiplication (bfv/behz.h). What stands in the auxiliary base is canonical, as all they need. */
static hb_status lift(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_base_convert(s->engine, s->auxiliary, s->scheme.c0, &s->behz.lift);
}

static hb_status floor_quotient(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_base_convert(s->engine, s->auxiliary, s->scheme.c0, &s->behz.floor);
}

static hb_status back(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_base_convert(s->engine, s->scheme.phase, s->auxiliary, &s->behz.back);
}

static hb_status garner(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_garner_digits(s->engine, s->scheme.phase, s->scheme.c0, &hb_params_data_level(s->scheme.params)->garner);
}

static hb_status upload(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_upload(s->engine, s->packed, s->host, s->scheme.count * s->packed_bytes);
}

static hb_status download(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_download(s->engine, s->host, s->packed, s->scheme.count * s->packed_bytes);
}

/* Of one polynomial: words and bytes that come and go, and polynomials' worth of keystream. */
static hb_rates cost_of(const hb_bench_stage *s, size_t limbs, size_t bytes, size_t draws)
{
    hb_rates cost = {0};
    hb_cost_words(&cost, limbs * s->scheme.params->spec.n);
    hb_cost_bytes(&cost, bytes);
    hb_cost_draw(&cost, &s->scheme.params->ring, draws);
    return cost;
}

static hb_rates digest_cost(const hb_bench_stage *s)
{
    const hb_params *p = s->scheme.params;
    hb_rates cost = cost_of(s, 0, s->packed_bytes + p->data_limbs * HB_DIGEST_BYTES, 0);
    hb_cost_digest(&cost, &p->ring, p->ids, p->data_limbs);
    return cost;
}

static hb_rates link_cost(const hb_bench *bench, const hb_bench_stage *s, hb_ceiling way)
{
    hb_rates cost = {0};
    hb_cost_link(&cost, bench->options->device, way, s->packed_bytes);
    return cost;
}

hb_status hb_bench_pieces(hb_bench *bench, hb_bench_stage *s)
{
    const size_t count = s->scheme.count, limbs = s->scheme.params->data_limbs, packed = s->packed_bytes;
    const size_t auxiliary = s->behz.limbs;
    /* A download finds packed rows, an upload brings them back, so that unpacking stays in range. */
    const hb_bench_line lines[] = {
        {"pack", "pack", count, cost_of(s, limbs, packed, 0), pack},
        {"pack", "unpack", count, cost_of(s, limbs, packed, 0), unpack},
        {"digest", "digest", count, digest_cost(s), digest},
        {"link", "download, packed", count, link_cost(bench, s, HB_CEILING_DOWNLOAD), download},
        {"link", "upload, packed", count, link_cost(bench, s, HB_CEILING_UPLOAD), upload},
        {"sample", "sample, Gaussian", count, cost_of(s, limbs, 0, 1), sample_gaussian},
        {"sample", "sample, uniform", count, cost_of(s, limbs, 0, limbs), sample_uniform},
        {"pointwise", "add", count, cost_of(s, 3 * limbs, 0, 0), add},
        {"pointwise", "multiply", count, cost_of(s, 3 * limbs, 0, 0), multiply},
        {"convert", "base conversion, to t, gamma", count, cost_of(s, limbs + 2, 0, 0), base_convert},
        {"convert", "Garner digits", count, cost_of(s, 2 * limbs, 0, 0), garner},
        {"convert", "base conversion, lift", count, cost_of(s, limbs + auxiliary, 0, 0), lift},
        {"convert", "base conversion, floor", count, cost_of(s, limbs + 2 * auxiliary, 0, 0), floor_quotient},
        {"convert", "base conversion, back", count, cost_of(s, limbs + auxiliary, 0, 0), back}};
    const size_t all = sizeof lines / sizeof lines[0];
    for (size_t i = 0; i < (auxiliary > 0 ? all : all - 3); i++) { /* the last ones are of a multiplication */
        HB_TRY(hb_bench_measure(bench, s->engine, &lines[i], s));
    }
    return HB_OK;
}
