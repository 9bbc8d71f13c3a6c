/* Files of SEAL's CKKS: files of SEAL are read, and written again to the same bytes; invalid scales are refused. */
#include "unit/scratch.h"

#include <math.h>

#include "base/prime.h"
#include "io/seal/object.h"
#include "scheme/params.h"
#include "unit/literals.h"
#include "unit/unit.h"

static const hb_seal_style plain = {HB_SEAL_PLAIN, {4, 4}};

/* A file of the vectors. */
static const char *vector(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, HB_TESTS_VECTORS "/ckks/seal/%s", name);
    return path;
}

static hb_params *open_given(hb_seal_chain *chain)
{
    hb_params_spec spec;
    hb_params *params;
    assert_ok(hb_seal_parameters_load(vector("parms.seal"), 30, &spec));
    spec.security = hb_security_default();
    spec.insecure = true;
    assert_ok(hb_params_open(&spec, &params));
    hb_seal_chain_init(chain, params);
    return params;
}

static void parameters(void **state)
{
    (void)state;
    hb_params_spec spec, again, bfv = {.n = 1024, .key_limbs = 1, .primes = {12289}, .bfv.plain = 5};
    uint64_t primes[3];
    assert_ok(hb_create_primes(1024, (const uint32_t[]){40, 30, 40}, 3, primes));
    assert_ok(hb_seal_parameters_load(vector("parms.seal"), 30, &spec));
    assert_true(spec.scheme == HB_CKKS && spec.n == 1024 && spec.key_limbs == 3);
    assert_true(spec.ckks.like_seal && spec.ckks.scale_bits == 30 && hb_spec_switches_like_seal(&spec));
    assert_memory_equal(spec.primes, primes, sizeof primes);
    assert_ok(hb_seal_parameters_save(in_scratch("parms"), plain, &spec));
    assert_ok(hb_seal_parameters_load(in_scratch("parms"), 30, &again));
    assert_true(same_literal(&spec, &again));
    /* Who reads CKKS says a scale, who reads BFV none. */
    assert_refused(hb_seal_parameters_load(in_scratch("parms"), 0, &again), HB_EUSAGE, "--scale-bits");
    assert_ok(hb_seal_parameters_save(in_scratch("bfv"), plain, &bfv));
    assert_refused(hb_seal_parameters_load(in_scratch("bfv"), 30, &again), HB_EUSAGE, "have no scale");
    spec.bfv.plain = 5;
    assert_ok(hb_seal_parameters_save(in_scratch("plain"), plain, &spec));
    assert_refused(hb_seal_parameters_load(in_scratch("plain"), 30, &again), HB_EDATA, "yet has a plain modulus, 5");
}

static hb_status load(const char *path, const hb_seal_chain *chain, hb_seal_ciphertext *head, uint64_t *words)
{
    hb_seal_reader *reader;
    HB_TRY(hb_seal_reader_open(path, &reader));
    hb_status st = hb_seal_ciphertext_begin(reader, chain, head);
    st = st == HB_OK ? hb_seal_ciphertext_words(reader, chain, head, words) : st;
    hb_seal_reader_close(reader);
    return st;
}

/* By the identifiers that SEAL has of these parameters, in which there is no scale. */
static void ciphertexts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t size, limbs;
        double scale;
    } files[] = {{"fresh.seal", 2, 2, 0x1p30}, {"product.seal", 3, 2, 0x1p60}, {"square.seal", 2, 1, 0x1p30}};
    hb_seal_chain chain;
    hb_params *params = open_given(&chain);
    const size_t n = params->spec.n, most = 3 * 3 * n;
    uint64_t *words = calloc(most, sizeof *words), *back = calloc(most, sizeof *back);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        hb_seal_ciphertext head, again;
        assert_ok(load(vector(files[i].name), &chain, &head, words));
        assert_true(head.size == files[i].size && head.limbs == files[i].limbs && head.ntt);
        assert_true(head.scale == files[i].scale);
        assert_ok(hb_seal_ciphertext_save(in_scratch("ct"), plain, &chain, &head, words));
        assert_ok(load(in_scratch("ct"), &chain, &again, back));
        assert_true(again.size == head.size && again.limbs == head.limbs && again.ntt && again.scale == head.scale);
        assert_memory_equal(words, back, head.size * head.limbs * n * sizeof *words);
        unlink(in_scratch("ct"));
    }
    hb_seal_ciphertext head;
    assert_ok(load(vector("scaled.seal"), &chain, &head, words));
    assert_true(head.scale != 0x1p30 && fabs(head.scale / 0x1p60 * (double)params->spec.primes[1] - 1) < 1e-12);
    free(words);
    free(back);
    hb_params_close(params);
}

/* Exchanges the scale of a plaintext, which stands behind the header, its identifier and the count. */
static void put_scale(const char *path, double scale)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_true(fseek(file, HB_SEAL_HEADER_BYTES + HB_DIGEST_BYTES + 8, SEEK_SET) == 0);
    assert_true(fwrite(&scale, sizeof scale, 1, file) == 1);
    assert_true(fclose(file) == 0);
}

/* At any level and any scale, which the file says. */
static void plaintexts(void **state)
{
    (void)state;
    hb_seal_chain chain, other;
    hb_params *params = open_given(&chain), *smaller;
    const size_t n = params->spec.n;
    uint64_t *words = calloc(2 * n, sizeof *words), *back = calloc(2 * n, sizeof *back);
    uint32_t limbs;
    double scale;
    assert_ok(hb_seal_plaintext_load(vector("plain_low.seal"), &chain, words, &limbs, &scale));
    assert_int_equal(limbs, 1);
    assert_ok(hb_seal_plaintext_load(vector("plain.seal"), &chain, back, &limbs, &scale));
    assert_int_equal(limbs, 2);
    assert_memory_equal(words, back, n * sizeof *words); /* the level below has the leading limbs */
    assert_ok(hb_seal_plaintext_save(in_scratch("plaintext"), plain, &chain, back));
    assert_ok(hb_seal_plaintext_load(in_scratch("plaintext"), &chain, words, &limbs, &scale));
    assert_int_equal(limbs, 2);
    assert_memory_equal(words, back, 2 * n * sizeof *words);
    assert_refused(hb_seal_plaintext_load(vector("secret.seal"), &chain, back, &limbs, &scale), HB_EDATA,
                   "is no plaintext of CKKS");
    hb_params_spec spec = params->spec;
    spec.ckks.scale_bits = 29;
    assert_ok(hb_params_open(&spec, &smaller));
    hb_seal_chain_init(&other, smaller);
    assert_ok(hb_seal_plaintext_load(vector("plain.seal"), &other, back, &limbs, &scale));
    assert_true(scale == 0x1p30);
    assert_memory_equal(words, back, 2 * n * sizeof *words);
    const double odd[] = {0, 0.5, -0x1p30, INFINITY, NAN, 0x1p101};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        put_scale(in_scratch("plaintext"), odd[i]);
        assert_refused(hb_seal_plaintext_load(in_scratch("plaintext"), &chain, back, &limbs, &scale), HB_EDATA,
                       "not between 1 and 2^100");
    }
    hb_params_close(smaller);
    free(words);
    free(back);
    hb_params_close(params);
}

static void keys(void **state)
{
    (void)state;
    hb_seal_chain chain;
    hb_params *params = open_given(&chain);
    const size_t count = 2 * 3 * params->spec.n;
    uint64_t *words = calloc(count, sizeof *words), *back = calloc(count, sizeof *back);
    assert_ok(hb_seal_secret_load(vector("secret.seal"), &chain, words));
    assert_ok(hb_seal_public_load(vector("public.seal"), &chain, words));
    assert_ok(hb_seal_public_save(in_scratch("public"), plain, &chain, words));
    assert_ok(hb_seal_public_load(in_scratch("public"), &chain, back));
    assert_memory_equal(words, back, count * sizeof *words);
    /* Neither a ciphertext nor anything with a scale. */
    assert_refused(hb_seal_public_load(vector("fresh.seal"), &chain, back), HB_EDATA, "is no key");
    const hb_seal_ciphertext scaled = {.size = 2, .limbs = 3, .ntt = true, .scale = 2};
    assert_ok(hb_seal_ciphertext_save(in_scratch("scaled"), plain, &chain, &scaled, words));
    assert_refused(hb_seal_public_load(in_scratch("scaled"), &chain, back), HB_EDATA, "is no key");
    free(words);
    free(back);
    hb_params_close(params);
}

static void scales(void **state)
{
    (void)state;
    static const double none[] = {-1, NAN, INFINITY, -0x1p30};
    hb_seal_chain chain, other;
    hb_params *params = open_given(&chain), *bfv;
    uint64_t *words = calloc(2 * 2 * params->spec.n, sizeof *words);
    hb_seal_ciphertext head = {.size = 2, .limbs = 2, .ntt = true};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        head.scale = none[i];
        assert_ok(hb_seal_ciphertext_save(in_scratch("none"), plain, &chain, &head, words));
        assert_refused(load(in_scratch("none"), &chain, &head, words), HB_EDATA, "its scale is no positive number");
        unlink(in_scratch("none"));
    }
    /* Parameters of BFV have none. */
    hb_params_spec spec = params->spec;
    spec.scheme = HB_BFV;
    spec.bfv.plain = 65537;
    assert_ok(hb_params_open(&spec, &bfv));
    hb_seal_chain_init(&other, bfv);
    assert_refused(load(vector("fresh.seal"), &other, &head, words), HB_EDATA,
                   "has a scale, as ciphertexts of CKKS do; these parameters are of BFV");
    hb_params_close(bfv);
    free(words);
    hb_params_close(params);
}

HB_UNIT(seal_reals)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameters), cmocka_unit_test(ciphertexts),
                                       cmocka_unit_test(plaintexts), cmocka_unit_test(keys), cmocka_unit_test(scales)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
