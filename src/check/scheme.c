/* Whole encryptions and decryptions on both engines: operations in the order and the shapes of a job. Decrypted values
 * are not compared with the encrypted ones here: that depends on the parameters, and tests of the CPU engine do it. */
#include <inttypes.h>
#include <stdlib.h>

#include "check_private.h"
#include "fixture.h"
#include "scheme/quality.h"

/* A fixture on each side, with the same keys. */
typedef struct schemes {
    hb_check_pair pair;
    hb_fixture fixture[HB_SIDES];
} schemes;

static hb_status encode(hb_fixture *s)
{
    return hb_encode(s->codec, s->plain, s->values);
}

static hb_status encrypt_secret(hb_fixture *s)
{
    return hb_encrypt(s->with_secret, s->c0, s->c1, s->seeds, s->plain, &s->root, 0);
}

static hb_status encrypt_public(hb_fixture *s)
{
    return hb_encrypt(s->with_public, s->c0, s->c1, s->seeds, s->plain, &s->root, s->count);
}

static hb_status phase_seeded(hb_fixture *s)
{
    return hb_phase_seeded(s->decryptor, s->phase, s->c0, s->seeds);
}

static hb_status phase(hb_fixture *s)
{
    return hb_phase(s->decryptor, s->phase, s->c0, s->c1);
}

static hb_status decrypt(hb_fixture *s)
{
    return hb_decrypt(s->decryptor, s->plain, s->phase);
}

/* Measures the noise; it remains in the memory of the phase, which is compared. */
static hb_status noise_budget(hb_fixture *s)
{
    return hb_decryptor_measure(s->decryptor, s->budgets, s->phase);
}

static hb_status decode(hb_fixture *s)
{
    return hb_decode(s->codec, s->values, s->plain);
}

/* One step of both fixtures, and the batch that it makes; act NULL: a second result of the step before. */
typedef struct step {
    const char *name;
    hb_status (*act)(hb_fixture *s);
    size_t result; /* offsetof a batch */
    bool integers; /* only with values that are exact: of others, decoded values tell the error */
} step;

#define BATCH(name) offsetof(hb_fixture, name)

/* The steps of a job, each on the results of the earlier ones. Decryption overwrites the plaintext with itself. */
static const step steps[] = {
    {"encoding", encode, BATCH(plain), false},
    {"encryption with the secret key", encrypt_secret, BATCH(c0), false},
    {"phase of a seeded ciphertext", phase_seeded, BATCH(phase), false},
    {"decryption of a seeded ciphertext", decrypt, BATCH(plain), false},
    {"encryption with the public key, component 0", encrypt_public, BATCH(c0), false},
    {"encryption with the public key, component 1", NULL, BATCH(c1), false},
    {"phase", phase, BATCH(phase), false},
    {"decryption", decrypt, BATCH(plain), false},
    {"noise", noise_budget, BATCH(phase), true},
    {"decoding", decode, BATCH(values), false},
};

/* Returns the batch at an offset of both fixtures. */
static hb_check_area area_of(const schemes *x, size_t offset)
{
    hb_batch batch[HB_SIDES];
    for (int side = 0; side < HB_SIDES; side++) {
        batch[side] = *(const hb_batch *)(const void *)((const char *)&x->fixture[side] + offset);
    }
    return hb_check_area_of(batch, x->fixture[HB_CPU].params->spec.n);
}

/* Takes one step on both sides and compares its results. */
static hb_status take(schemes *x, const step *one)
{
    for (int side = 0; one->act != NULL && side < HB_SIDES; side++) {
        HB_TRY(hb_check_named(one->name, one->act(&x->fixture[side])));
    }
    const hb_check_area result = area_of(x, one->result);
    return hb_check_compare(&x->pair, one->name, &result);
}

/* Budgets are numbers of the host, not words of an area. */
static hb_status compare_budgets(const schemes *x)
{
    const hb_fixture *checked = &x->fixture[HB_CHECKED], *cpu = &x->fixture[HB_CPU];
    for (size_t c = 0; c < cpu->count; c++) {
        if (checked->budgets[c] != cpu->budgets[c]) {
            return HB_FAIL(HB_EUNAVAILABLE, "%s: the engine says %" PRIu32 " bits, the CPU %" PRIu32,
                           hb_quality_name(cpu->params->spec.scheme), checked->budgets[c], cpu->budgets[c]);
        }
    }
    return HB_OK;
}

/* Returns any value that the scheme holds. */
static uint64_t random_value(const hb_params_spec *spec, uint64_t *state)
{
    const uint64_t word = hb_check_random(state);
    if (hb_codec_cell_type(spec->scheme) == HB_CELL_INTEGER) {
        const uint64_t most = hb_codec_cell_range(spec, false).most;
        return most == UINT64_MAX ? word : word % (most + 1);
    }
    const double unit = 1.0 / ((uint64_t)1 << 63);
    return hb_real_word((double)(int64_t)word * unit);
}

static hb_status upload_values(schemes *x, const uint64_t *values)
{
    for (int side = 0; side < HB_SIDES; side++) {
        const hb_batch to = x->fixture[side].values;
        HB_TRY(hb_upload(x->pair.engine[side], to.data, values, to.count * to.stride * sizeof *values));
    }
    return HB_OK;
}

hb_status hb_engine_check_scheme(hb_engine *engine, hb_engine *cpu, const hb_params *params, size_t count)
{
    const hb_seed root = {{1}};
    const size_t words = count * params->spec.n;
    const bool integers = hb_codec_cell_type(params->spec.scheme) == HB_CELL_INTEGER;
    uint64_t *values = malloc(words * sizeof *values), state = 1;
    schemes x = {.pair = {{engine, cpu}, malloc(words * params->fresh_limbs * sizeof *values)}};
    hb_status st = HB_OK;
    if (values == NULL || x.pair.host == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory to check the engine with"));
    }
    for (size_t i = 0; i < words; i++) {
        values[i] = random_value(&params->spec, &state);
    }
    for (int side = 0; side < HB_SIDES; side++) {
        /* Both fixtures draw from the same root: their keys are equal if the engines are. */
        HB_GOTO(hb_check_named("keys", hb_fixture_init(&x.fixture[side], x.pair.engine[side], params, &root, count)));
    }
    HB_GOTO(upload_values(&x, values));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        HB_GOTO(integers || !steps[i].integers ? take(&x, &steps[i]) : HB_OK);
    }
    st = integers ? compare_budgets(&x) : HB_OK;
done:
    for (int side = 0; side < HB_SIDES; side++) {
        hb_fixture_clear(&x.fixture[side]);
    }
    free(x.pair.host);
    free(values);
    return st;
}
