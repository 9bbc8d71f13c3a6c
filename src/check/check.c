#include "check_private.h"

#include "base/hash.h"
#include "cpu/engine.h"
#include "scheme/params.h"

/* Runs one row on both sides and compares the result. Only a failure of the checked engine gets the row's name. */
static hb_status check_row(hb_check *k, const hb_check_row *row)
{
    if (row->run != NULL) {
        HB_TRY(hb_check_named(row->name, row->run(k, HB_CHECKED, row->with)));
        HB_TRY((row->second_way != NULL ? row->second_way : row->run)(k, HB_CPU, row->with));
    }
    return hb_check_compare(&k->pair, row->name, &k->area[row->result]);
}

static hb_status check_rows(hb_check *k, const hb_check_row *rows)
{
    for (; rows->name != NULL; rows++) {
        HB_TRY(check_row(k, rows));
    }
    return HB_OK;
}

/* Compares all operands, also the ones that no operation should have changed. */
static hb_status check_all(hb_check *k, const char *what)
{
    for (int i = 0; i < HB_CHECK_OPERANDS; i++) {
        HB_TRY(hb_check_compare(&k->pair, what, &k->area[i]));
    }
    return HB_OK;
}

hb_status hb_engine_check_operations(hb_engine *engine, hb_engine *cpu, const hb_check_shape *shape)
{
    hb_check k = {0};
    hb_status st;
    HB_GOTO(hb_check_init(&k, engine, cpu, shape));
    /* If copies do not work, no later comparison means anything. */
    HB_GOTO(check_all(&k, "upload and download"));
    HB_GOTO(check_rows(&k, hb_check_polynomials));
    HB_GOTO(check_rows(&k, hb_check_products));
    HB_GOTO(check_rows(&k, hb_check_conversions));
    HB_GOTO(check_rows(&k, hb_check_slices));
    HB_GOTO(check_rows(&k, hb_check_fused));
    HB_GOTO(check_rows(&k, hb_check_reals));
    st = check_all(&k, "operand that nothing should have changed");
done:
    hb_check_clear(&k);
    return st;
}

/* Returns the polynomials that an engine is tried on which is to be trusted with a job: both kinds of polynomials that
 * operands.c begins with, where that takes milliseconds, else the first. */
static size_t polynomials(const hb_params *params)
{
    return params->ring.log_n <= 14 ? 2 : 1;
}

/* Returns the limbs that the evaluator is tried on. Where all would take long they are those of two levels: the
 * operations have been tried on all. */
static uint32_t level(const hb_params *params)
{
    const uint32_t own = hb_params_level_limbs(params);
    uint32_t limbs = params->fresh_limbs;
    while (params->ring.log_n > 13 && limbs > 2 * own && params->levels[limbs - own].basis.limbs > 0) {
        limbs -= own;
    }
    return limbs;
}

/* Sets ids to the limbs of the sample, in their order, and returns how many there are. The first and the last are often
 * of other lengths than those between them, of which each is drawn as often as any other. */
static uint32_t draw_limbs(uint16_t ids[HB_MAX_LIMBS], const hb_params *params, hb_check_sample sample)
{
    enum { FEW = 4 };
    const uint32_t all = params->key_limbs;
    uint32_t count = 0, drawn = 0;
    const bool few = sample.few && params->ring.log_n > 13 && all > FEW;
    for (uint32_t i = 0; i < all; i++) {
        const bool end = i == 0 || i == all - 1;
        /* The sample still lacks so many of the limbs that are left. */
        const bool taken = few && !end && hb_mix(sample.seed + i) % (all - 1 - i) < FEW - 2 - drawn;
        drawn += taken;
        if (!few || end || taken) {
            ids[count++] = params->ids[i];
        }
    }
    return count;
}

hb_status hb_engine_check(hb_engine *engine, const hb_params *params, hb_check_sample sample)
{
    uint16_t two[2], ids[HB_MAX_LIMBS];
    hb_params_check_moduli(params, two);
    const hb_check_shape shape = {.ids = ids,
                                  .limbs = draw_limbs(ids, params, sample),
                                  .plain_id = two[0],
                                  .gamma_id = two[1],
                                  .count = polynomials(params),
                                  .seed = params->spec.n + sample.seed};
    hb_engine *cpu = NULL;
    hb_status st;
    HB_GOTO(hb_cpu_engine_open(&params->ring, &cpu));
    HB_GOTO(hb_engine_check_operations(engine, cpu, &shape));
    HB_GOTO(hb_engine_check_scheme(engine, cpu, params, shape.count));
    if (hb_params_has_products(params)) {
        st = hb_engine_check_evaluation(engine, cpu, params, level(params), shape.count);
    }
done:
    hb_engine_close(cpu);
    return st;
}
