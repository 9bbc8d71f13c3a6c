/* Files of Microsoft SEAL come back byte for byte; damaged and hostile ones are refused for the right reason. */
#include "unit/scratch.h"

#include <zlib.h>

#include "cpu/engine.h"
#include "io/seal/object.h"
#include "io/seal/prng.h"
#include "reference/seal_set.h"
#include "seal/key_check.h"
#include "unit/unit.h"

static seal_set set;
static hb_seal_chain chain;
static const hb_seal_style as_4_4 = {HB_SEAL_PLAIN, {4, 4}};

/* A file of the vectors. */
static const char *vector(const char *name)
{
    static char paths[4][640];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", set.folder, name);
    return path;
}

static void assert_same_file(const char *one, const char *other)
{
    size_t bytes, other_bytes;
    uint8_t *a = slurp(one, &bytes), *b = slurp(other, &other_bytes);
    assert_int_equal(bytes, other_bytes);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
    unlink(one);
}

static uint64_t *words_for(uint32_t polynomials, uint32_t limbs)
{
    uint64_t *words = calloc((size_t)polynomials * limbs * set.params->spec.n, sizeof *words);
    assert_non_null(words);
    return words;
}

static hb_status load_ciphertext(const char *path, hb_seal_ciphertext *head, uint64_t *words)
{
    hb_seal_reader *reader;
    HB_TRY(hb_seal_reader_open(path, &reader));
    hb_status st = hb_seal_ciphertext_begin(reader, &chain, head);
    st = st == HB_OK && head->size == 2 ? hb_seal_ciphertext_words(reader, &chain, head, words) : st;
    hb_seal_reader_close(reader);
    return st;
}

static void parameters(void)
{
    hb_params_spec spec;
    assert_ok(hb_seal_parameters_load(vector("parms.seal"), 0, &spec));
    assert_true(spec.n == set.params->spec.n && spec.bfv.plain == set.params->spec.bfv.plain &&
                spec.key_limbs == set.params->spec.key_limbs);
    assert_memory_equal(spec.primes, set.params->spec.primes, spec.key_limbs * sizeof *spec.primes);
    assert_ok(hb_seal_parameters_save(in_scratch("parms"), as_4_4, &spec));
    assert_same_file(in_scratch("parms"), vector("parms.seal"));
}

static void secret_and_plaintext(void)
{
    uint32_t limbs = set.params->key_limbs;
    const size_t n = set.params->spec.n;
    uint64_t *words = words_for(1, limbs), *wanted = read_words(&set, "sk.u64", limbs * n);
    assert_ok(hb_seal_secret_load(vector("sk.seal"), &chain, words));
    assert_memory_equal(words, wanted, limbs * n * sizeof *words);
    assert_ok(hb_seal_secret_save(in_scratch("sk"), as_4_4, &chain, words));
    struct stat info;
    assert_true(stat(in_scratch("sk"), &info) == 0 && (info.st_mode & 0777) == 0600);
    assert_same_file(in_scratch("sk"), vector("sk.seal"));
    free(wanted);
    wanted = read_words(&set, "plain1.u64", n);
    assert_ok(hb_seal_plaintext_load(vector("plain1.seal"), &chain, words, &limbs, &(double){0}));
    assert_memory_equal(words, wanted, n * sizeof *words);
    assert_ok(hb_seal_plaintext_save(in_scratch("plain"), as_4_4, &chain, words));
    assert_same_file(in_scratch("plain"), vector("plain1.seal"));
    assert_refused(hb_seal_plaintext_load(vector("sk.seal"), &chain, words, &limbs, &(double){0}), HB_EDATA, "zero");
    assert_refused(hb_seal_secret_load(vector("plain1.seal"), &chain, words), HB_EDATA, "no secret key");
    free(wanted);
    free(words);
}

static void ciphertexts(void)
{
    static const char *const names[] = {"ct0", "ct1", "ct4_seeded"};
    const uint32_t limbs = set.params->data_limbs;
    const size_t count = 2 * limbs * set.params->spec.n;
    uint64_t *words = words_for(2, limbs);
    for (size_t i = 0; i < 3; i++) {
        char seal[32], u64[32];
        snprintf(seal, sizeof seal, "%s.seal", names[i]);
        snprintf(u64, sizeof u64, "%s.u64", names[i]);
        uint64_t *wanted = read_words(&set, u64, count);
        hb_seal_ciphertext head;
        assert_ok(load_ciphertext(vector(seal), &head, words));
        assert_true(head.size == 2 && head.limbs == limbs && !head.ntt);
        assert_memory_equal(words, wanted, count * sizeof *words);
        free(wanted);
        if (i < 2) {
            assert_ok(hb_seal_ciphertext_save(in_scratch("ct"), as_4_4, &chain, &head, words));
            assert_same_file(in_scratch("ct"), vector(seal));
        }
    }
    free(words);
}

/* Every way to write a ciphertext, read back. */
static void styles(void)
{
    static const hb_seal_version versions[] = {{3, 6}, {3, 7}, {4, 0}, {4, 4}};
    const uint32_t limbs = set.params->data_limbs;
    const size_t bytes = 2 * limbs * set.params->spec.n * sizeof(uint64_t);
    uint64_t *words = words_for(2, limbs), *back = words_for(2, limbs);
    hb_seal_ciphertext head, again;
    assert_ok(load_ciphertext(vector("ct0.seal"), &head, words));
    for (size_t v = 0; v < 4; v++) {
        for (int kind = HB_SEAL_PLAIN; kind <= HB_SEAL_ZSTD; kind++) {
            const hb_seal_style style = {(hb_seal_compression)kind, versions[v]};
            const char *path = in_scratch("ct");
            assert_ok(hb_seal_ciphertext_save(path, style, &chain, &head, words));
            size_t length;
            uint8_t *file = slurp(path, &length);
            uint64_t says;
            memcpy(&says, file + 8, sizeof says);
            assert_true(file[3] == versions[v].major && file[4] == versions[v].minor && file[5] == kind &&
                        says == length && (kind == HB_SEAL_PLAIN || length < bytes));
            free(file);
            memset(back, 0, bytes);
            assert_ok(load_ciphertext(path, &again, back));
            assert_memory_equal(back, words, bytes);
            unlink(path);
        }
    }
    free(words);
    free(back);
}

/* All components of the keys in a file, checked with the secret: their contents, not only that they can be read. */
static void switch_keys(const char *name, bool galois, uint32_t keys)
{
    const hb_params *params = set.params;
    const size_t part = 2 * params->key_limbs * params->spec.n;
    uint64_t *words = words_for(2, params->key_limbs), slots, end;
    hb_seal_key_check check;
    hb_seal_reader *reader;
    uint32_t parts, found = 0;
    assert_ok(hb_seal_key_check_init(&check, &set.secret));
    assert_ok(hb_seal_reader_open(vector(name), &reader));
    assert_ok(hb_seal_switch_keys_begin(reader, &chain, &slots, &end));
    assert_int_equal(slots, galois ? params->spec.n : 1);
    for (uint64_t slot = 0; slot < slots; slot++) {
        assert_ok(hb_seal_switch_keys_next(reader, &chain, &parts));
        found += parts > 0;
        for (uint32_t p = 0; p < parts; p++) {
            const uint32_t element = galois ? (uint32_t)(2 * slot + 1) : HB_RELINEARIZATION;
            assert_ok(hb_seal_key_part_read(reader, &chain, words));
            assert_ok(hb_seal_key_check_part(&check, element, p, words, name));
            words[part - 1] ^= 1; /* one bit in the second polynomial */
            assert_refused(hb_seal_key_check_part(&check, element, p, words, name), HB_EDATA, "another pair");
        }
    }
    assert_ok(hb_seal_object_end(reader, end));
    assert_int_equal(found, keys);
    hb_seal_reader_close(reader);
    hb_seal_key_check_clear(&check);
    free(words);
}

static void public_key(const char *name)
{
    uint64_t *words = words_for(2, set.params->key_limbs);
    hb_seal_key_check check;
    assert_ok(hb_seal_key_check_init(&check, &set.secret));
    assert_ok(hb_seal_public_load(vector(name), &chain, words));
    assert_ok(hb_seal_key_check_part(&check, HB_RELINEARIZATION, HB_SEAL_NO_TARGET, words, name));
    assert_refused(hb_seal_key_check_part(&check, HB_RELINEARIZATION, 0, words, name), HB_EDATA, "another pair");
    hb_seal_key_check_clear(&check);
    free(words);
}

/* SHAKE256 in the place of BLAKE2Xb gives the sampler's words. */
static void other_generator(void)
{
    const hb_params_spec *spec = &set.params->spec;
    const uint32_t limbs = set.params->data_limbs;
    uint64_t *words = words_for(2, limbs), *wanted = words_for(1, limbs);
    size_t bytes;
    uint8_t *file = slurp(vector("ct4_seeded.seal"), &bytes);
    hb_seal_ciphertext head;
    hb_seal_seed seed = {.kind = HB_SEAL_SHAKE256};
    memcpy(seed.bytes, file + bytes - sizeof seed.bytes, sizeof seed.bytes);
    file[bytes - sizeof seed.bytes - 1] = HB_SEAL_SHAKE256;
    spit(in_scratch("ct"), file, bytes);
    assert_ok(load_ciphertext(in_scratch("ct"), &head, words));
    hb_seal_sample_uniform(wanted, spec->n, spec->primes, limbs, &seed);
    assert_memory_equal(words + limbs * spec->n, wanted, limbs * spec->n * sizeof *words);
    file[bytes - sizeof seed.bytes - 1] = 3;
    spit(in_scratch("ct"), file, bytes);
    assert_refused(load_ciphertext(in_scratch("ct"), &head, words), HB_EDATA, "unknown generator");
    unlink(in_scratch("ct"));
    free(file);
    free(words);
    free(wanted);
}

/* SEAL's seeded keys read, and written with the seeds that are in the file: its bytes again. Each part ends with its
 * seed. */
static void seeded_keys(void)
{
    const hb_params *params = set.params;
    const size_t polynomial = params->key_limbs * params->spec.n;
    uint64_t *words = words_for(2, params->key_limbs), *expanded = words_for(1, params->key_limbs), slots, end;
    size_t bytes, before = 16 + 32 + 8 + 8;
    uint8_t *file = slurp(vector("rlk_seeded.seal"), &bytes);
    const size_t part = (bytes - before) / params->data_limbs;
    hb_seal_reader *reader;
    hb_seal_writer *writer;
    uint32_t parts;
    assert_int_equal((bytes - before) % params->data_limbs, 0);
    assert_ok(hb_seal_reader_open(vector("rlk_seeded.seal"), &reader));
    assert_ok(hb_seal_switch_keys_begin(reader, &chain, &slots, &end));
    assert_ok(hb_seal_switch_keys_next(reader, &chain, &parts));
    assert_ok(hb_seal_switch_keys_open(in_scratch("rlk"), as_4_4, &chain, 1, 1, true, &writer));
    assert_ok(hb_seal_write_u64(writer, parts));
    for (uint32_t p = 0; p < parts; p++) {
        const uint8_t *behind = file + before + (p + 1) * part;
        hb_seal_seed seed = {.kind = (hb_seal_prng_kind)behind[-HB_SEAL_SEED_BYTES - 1]};
        memcpy(seed.bytes, behind - sizeof seed.bytes, sizeof seed.bytes);
        assert_ok(hb_seal_key_part_read(reader, &chain, words));
        hb_seal_sample_uniform(expanded, params->spec.n, params->spec.primes, params->key_limbs, &seed);
        assert_memory_equal(words + polynomial, expanded, polynomial * sizeof *words);
        assert_ok(hb_seal_key_part_write(writer, &chain, words, &seed));
    }
    assert_ok(hb_seal_writer_finish(writer));
    hb_seal_writer_close(writer);
    hb_seal_reader_close(reader);
    assert_same_file(in_scratch("rlk"), vector("rlk_seeded.seal"));
    free(file);
    free(expanded);
    free(words);
}

/* Keys whose second polynomials are SEAL's samples are keys of the secret, and come back as the same words. */
static void generated_keys(void)
{
    const hb_params *params = set.params;
    const uint32_t elements[] = {HB_RELINEARIZATION, 3}, count = params->data_limbs;
    const size_t polynomial = params->key_limbs * params->spec.n;
    uint64_t *words = words_for(2 * count, params->key_limbs), *back = words_for(2, params->key_limbs), slots, end;
    const hb_seed root = {{7}};
    hb_seal_seed seeds[HB_MAX_LIMBS];
    hb_seal_key_check check;
    assert_ok(hb_seal_key_check_init(&check, &set.secret));
    for (size_t k = 0; k < 2; k++) {
        hb_switch_key key;
        hb_seal_writer *writer;
        hb_seal_reader *reader;
        uint32_t parts;
        for (uint32_t p = 0; p < count; p++) {
            seeds[p].kind = p % 2 == 0 ? HB_SEAL_BLAKE2XB : HB_SEAL_SHAKE256;
            memset(seeds[p].bytes, (int)(1 + p), sizeof seeds[p].bytes);
            hb_seal_sample_uniform(words + (2 * p + 1) * polynomial, params->spec.n, params->spec.primes,
                                   params->key_limbs, &seeds[p]);
        }
        assert_ok(hb_switch_key_generate_words(&key, &set.secret, elements[k], &root, words));
        memcpy(words, key.parts.data, 2 * count * polynomial * sizeof *words);
        hb_switch_key_clear(&key);
        assert_ok(hb_seal_switch_keys_open(in_scratch("key"), as_4_4, &chain, 1, 1, true, &writer));
        assert_ok(hb_seal_write_u64(writer, count));
        for (uint32_t p = 0; p < count; p++) {
            assert_ok(hb_seal_key_part_write(writer, &chain, words + 2 * p * polynomial, &seeds[p]));
        }
        assert_ok(hb_seal_writer_finish(writer));
        hb_seal_writer_close(writer);
        assert_ok(hb_seal_reader_open(in_scratch("key"), &reader));
        assert_ok(hb_seal_switch_keys_begin(reader, &chain, &slots, &end));
        assert_ok(hb_seal_switch_keys_next(reader, &chain, &parts));
        assert_int_equal(parts, count);
        for (uint32_t p = 0; p < count; p++) {
            assert_ok(hb_seal_key_part_read(reader, &chain, back));
            assert_memory_equal(back, words + 2 * p * polynomial, 2 * polynomial * sizeof *back);
            assert_ok(hb_seal_key_check_part(&check, elements[k], p, back, "key"));
        }
        assert_ok(hb_seal_object_end(reader, end));
        hb_seal_reader_close(reader);
        unlink(in_scratch("key"));
        words[2 * polynomial - 1] = params->spec.primes[params->key_limbs - 1];
        assert_refused(hb_switch_key_generate_words(&key, &set.secret, elements[k], &root, words), HB_EDATA,
                       "not below its prime");
        assert_null(key.parts.data);
    }
    hb_seal_key_check_clear(&check);
    free(back);
    free(words);
}

static void with_vectors(const char *folder, void (*body)(void))
{
    open_set(&set, folder, hb_cpu_engine_open);
    hb_seal_chain_init(&chain, set.params);
    body();
    close_set(&set);
}

static void everything(void)
{
    parameters();
    secret_and_plaintext();
    ciphertexts();
    styles();
    public_key("pk_seeded.seal");
    switch_keys("rlk_seeded.seal", false, 1);
    seeded_keys();
    generated_keys();
    other_generator();
}

static void n_4096(void **state)
{
    (void)state;
    with_vectors(HB_TESTS_VECTORS "/n4096", everything);
}

static void large_keys(void)
{
    public_key("pk.seal");
    switch_keys("rlk.seal", false, 1);
    switch_keys("glk.seal", true, 3);
}

static void n_1024(void **state)
{
    (void)state;
    with_vectors(HB_TESTS_VECTORS "/n1024", everything);
    with_vectors(HB_TESTS_VECTORS "/n1024", large_keys);
}

/* --- files that are refused */

/* ct0.seal with `count` bytes at `offset` replaced. */
static hb_status load_changed(size_t offset, const void *with, size_t count)
{
    size_t bytes;
    uint8_t *file = slurp(vector("ct0.seal"), &bytes);
    memcpy(file + offset, with, count);
    spit(in_scratch("changed"), file, bytes);
    free(file);
    hb_seal_ciphertext head;
    uint64_t *words = words_for(2, set.params->data_limbs);
    const hb_status st = load_ciphertext(in_scratch("changed"), &head, words);
    free(words);
    return st;
}

static void changed_fields(void)
{
    static const struct {
        size_t offset;
        uint64_t value;
        size_t bytes;
        const char *words;
    } changes[] = {{0, 0x5EA0, 2, "is no file of SEAL"},
                   {2, 17, 1, "3.4 to 4.4 can be read"},
                   {3, 5, 1, "written by SEAL 5.4"},
                   {4, 5, 1, "written by SEAL 4.5"},
                   {5, 3, 1, "not known (3)"},
                   {5, 1, 1, "its zlib stream is damaged"},
                   {5, 2, 1, "its zstd stream is damaged"},
                   {8, 32880, 8, "followed by something else"},
                   {8, 1 << 20, 8, "cut short"},
                   {16, 0, 1, "its parms_id is none of these"},
                   {49, 1, 8, "2 to 16 polynomials, not 1"},
                   {49, 17, 8, "2 to 16 polynomials, not 17"},
                   {49, (uint64_t)1 << 63, 8, "2 to 16 polynomials"},
                   {57, 2048, 8, "says N = 2048"},
                   {65, 3, 8, "3 primes"},
                   {73, 0x4000000000000000, 8, "of CKKS"},
                   {81, 2, 8, "of BGV"},
                   {89, 0, 1, "it has no header"},
                   {94, 1, 1, "not known (1)"},
                   {97, 15, 8, "which it cannot"},
                   {97, 1 << 30, 8, "which it cannot"},
                   {97, 24, 8, "does not have the size"},
                   {105, 4097, 8, "holds 4097 words"},
                   {105, (uint64_t)1 << 61, 8, "words, but 2 polynomials"},
                   {105, 2048, 8, "does not have the size"},
                   {113, UINT64_MAX, 8, "not below their modulus"},
                   {32873, (uint64_t)1 << 40, 8, "not below their modulus"}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        assert_refused(load_changed(changes[i].offset, &changes[i].value, changes[i].bytes), HB_EDATA,
                       changes[i].words);
    }
}

static void cut_short(void)
{
    static const size_t lengths[] = {0, 15, 16, 50, 112, 113, 20000, 32880};
    size_t bytes;
    uint8_t *file = slurp(vector("ct0.seal"), &bytes);
    uint64_t *words = words_for(2, set.params->data_limbs);
    hb_seal_ciphertext head;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        spit(in_scratch("cut"), file, lengths[i]);
        assert_int_equal(load_ciphertext(in_scratch("cut"), &head, words), HB_EDATA);
        const uint64_t says = lengths[i]; /* and with a header that does not tell */
        memcpy(file + 8, &says, sizeof says);
        spit(in_scratch("cut"), file, lengths[i]);
        assert_int_equal(load_ciphertext(in_scratch("cut"), &head, words), HB_EDATA);
    }
    assert_refused(load_ciphertext(in_scratch("nothing"), &head, words), HB_ENOINPUT, "nothing");
    free(file);
    free(words);
}

/* Compressed files of a ciphertext that goes on and on, or stops early, or has something behind the stream. */
static void write_zlib(const char *path, const uint8_t *content, size_t bytes, size_t zeros, size_t keep, size_t more)
{
    uint8_t *all = calloc(1, bytes + zeros), *file = calloc(1, 16 + compressBound(bytes + zeros) + more);
    assert_true(all != NULL && file != NULL);
    memcpy(all, content, bytes);
    uLongf compressed = compressBound(bytes + zeros);
    assert_int_equal(compress(file + 16, &compressed, all, bytes + zeros), Z_OK);
    const uint64_t length = 16 + compressed - keep + more;
    const uint8_t header[8] = {0x5e, 0xa1, 16, 4, 4, HB_SEAL_ZLIB};
    memcpy(file, header, sizeof header);
    memcpy(file + 8, &length, sizeof length);
    spit(path, file, (size_t)length);
    free(all);
    free(file);
}

static void streams(void)
{
    size_t bytes;
    uint8_t *file = slurp(vector("ct0.seal"), &bytes);
    uint64_t *words = words_for(2, set.params->data_limbs);
    hb_seal_ciphertext head;
    const char *path = in_scratch("stream");
    write_zlib(path, file + 16, bytes - 16, 0, 0, 0);
    assert_ok(load_ciphertext(path, &head, words));
    write_zlib(path, file + 16, bytes - 16, (size_t)1 << 28, 0, 0); /* 256 MiB in a quarter of one */
    assert_refused(load_ciphertext(path, &head, words), HB_EDATA, "more in it than the object");
    write_zlib(path, file + 16, bytes - 16, 0, 2, 0); /* of the checksum at its end */
    assert_refused(load_ciphertext(path, &head, words), HB_EDATA, "stream is cut short");
    write_zlib(path, file + 16, bytes - 16, 0, 0, 1);
    assert_refused(load_ciphertext(path, &head, words), HB_EDATA, "more in it than the object");
    write_zlib(path, file + 16, bytes / 2, 0, 0, 0);
    assert_refused(load_ciphertext(path, &head, words), HB_EDATA, "is cut short");
    free(file);
    free(words);
}

/* As SEAL 3.4 wrote: another header, no correction factor. */
static void oldest_header(void)
{
    size_t bytes;
    uint8_t *file = slurp(vector("ct0.seal"), &bytes);
    uint64_t *words = words_for(2, set.params->data_limbs),
             *wanted = read_words(&set, "ct0.u64", 4 * set.params->spec.n);
    hb_seal_ciphertext head;
    const uint32_t outer = (uint32_t)bytes - 8, inner = outer - 81;
    memmove(file + 81, file + 89, bytes - 89);
    memset(file + 2, 0, 14);
    memset(file + 83, 0, 14);
    memcpy(file + 4, &outer, sizeof outer);
    memcpy(file + 85, &inner, sizeof inner);
    spit(in_scratch("old"), file, outer);
    assert_ok(load_ciphertext(in_scratch("old"), &head, words));
    assert_memory_equal(words, wanted, 4 * set.params->spec.n * sizeof *words);
    free(file);
    free(words);
    free(wanted);
}

static void refused(void)
{
    changed_fields();
    cut_short();
    streams();
    oldest_header();
}

static void refusals(void **state)
{
    (void)state;
    with_vectors(HB_TESTS_VECTORS "/n1024", refused);
}

HB_UNIT(seal_files)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(n_1024), cmocka_unit_test(n_4096), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
