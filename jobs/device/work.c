#include "work.h"

#include <stdlib.h>

#include "base/clock.h"
#include "cpu/engine.h"

/* Transforms of one limb that the check of all operations of a GPU comes to, as a whole. */
static const double checking = 9000;

/* A GPU: its driver and context on a host with one GPU (0.15 s and 0.13 s on an H200), the tables of each modulus, and
 * how many times as fast as one core it is; on an H200 100 to 300. */
static const double opening = 0.3, table_seconds = 4e-9 /* a coefficient */, faster = 50;

/* Returns the seconds of one transform of a limb of the first prime, the fastest of some: the first meets cold caches
 * and a processor that has not sped up yet. */
static hb_status time_transform(const hb_params *params, double *seconds)
{
    enum { TIMES = 4 };
    hb_ring *ring = malloc(sizeof *ring);
    hb_engine *engine = NULL;
    hb_batch x = {0};
    uint16_t id;
    hb_status st = HB_OK;
    if (ring == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a transform");
    }
    /* A ring of one prime: the tables of all of them would take longer than the measuring. */
    HB_GOTO(hb_ring_init(ring, params->ring.log_n));
    HB_GOTO(hb_ring_add_modulus(ring, params->spec.primes[0], &id));
    HB_GOTO(hb_cpu_engine_open(ring, &engine));
    HB_GOTO(hb_batch_alloc(engine, &x, 1, 1, &id));
    /* Zeros take as long as anything else: transforms do not depend on their values. */
    HB_GOTO(hb_clear(engine, x));
    for (int i = 0; i < TIMES; i++) {
        const double begun = hb_now();
        HB_GOTO(hb_ntt(engine, x));
        HB_GOTO(hb_finish(engine));
        const double taken = hb_now() - begun;
        *seconds = i == 0 || taken < *seconds ? taken : *seconds;
    }
done:
    hb_batch_free(engine, &x);
    hb_engine_close(engine);
    free(ring);
    return st;
}

hb_status hb_work_predict(const hb_work *work, uint64_t queues, bool checks, hb_work_times *times)
{
    double transform = 0;
    HB_TRY(time_transform(work->params, &transform));
    const double one_core = work->transforms * transform;
    const double coefficients = (double)work->params->ring.count * (double)work->params->spec.n;
    times->cpu = one_core / (double)(queues > 0 ? queues : 1);
    times->gpu = opening + coefficients * table_seconds + one_core / faster + (checks ? checking * transform : 0);
    return HB_OK;
}
