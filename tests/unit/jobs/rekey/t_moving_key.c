/* The rekeying key of a job is the one from the dataset's key, of its parameters and levels, and of the same person. */
#include "rekey/moving_key.h"
#include "unit/scratch.h"
#include "unit/unit.h"

#include "base/prime.h"

static const uint8_t own[HB_KEY_ID_BYTES] = {0xab, 1}, other[HB_KEY_ID_BYTES] = {0xab, 2}, to[HB_KEY_ID_BYTES] = {3};

static hb_params_spec literal(uint32_t last_bits)
{
    const uint32_t bits[] = {20, 21, last_bits};
    hb_params_spec spec = {.n = 1024, .key_limbs = 3, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    assert_ok(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes));
    return spec;
}

/* Writes a key of zeros; nobody computes with it. */
static void write_key(const char *name, const hb_params_spec *spec, uint32_t limbs, const uint8_t *from, bool another)
{
    hb_switch_key_file key;
    assert_ok(hb_switch_key_file_init(&key, spec, (hb_key_name){HB_KEY_REKEY, 0, limbs}, !another));
    memcpy(key.key_id, to, sizeof key.key_id);
    memcpy(key.rekey.from, from, sizeof key.rekey.from);
    key.rekey.another = another;
    key.rekey.error = hb_rekey_error(spec, another, 1);
    memset(key.b, 0, key.parts * key.part_bytes);
    if (another) {
        memset(key.a, 0, key.parts * key.part_bytes);
    }
    assert_ok(hb_switch_key_file_write(in_scratch(name), &key));
    hb_switch_key_file_clear(&key);
}

static hb_header header_of(const hb_params_spec *spec)
{
    hb_header header = {.spec = *spec, .limbs = 2};
    memcpy(header.key_id, own, sizeof header.key_id);
    return header;
}

static void refuse(const char *keys, const hb_header *header, hb_status code, const char *words)
{
    hb_moving_key key;
    assert_refused(hb_moving_key_open(&key, in_scratch(keys), header, "in.heb"), code, words);
    hb_moving_key_close(&key);
}

static void accept(const char *keys, const hb_header *header)
{
    hb_moving_key key;
    assert_ok(hb_moving_key_open(&key, in_scratch(keys), header, "in.heb"));
    assert_memory_equal(key.source.label.rekey.from, own, sizeof own);
    assert_memory_equal(key.source.label.key_id, to, sizeof to);
    hb_moving_key_close(&key);
    assert_null(key.path);
}

static void named_files(void **state)
{
    (void)state;
    const hb_params_spec spec = literal(30), longer = literal(31);
    hb_header header = header_of(&spec);
    write_key("own.h5", &spec, 0, own, false);
    write_key("low.h5", &spec, 1, own, false);
    write_key("other.h5", &spec, 0, other, false);
    write_key("longer.h5", &longer, 0, own, false);
    write_key("theirs.h5", &spec, 0, own, true);
    accept("own.h5", &header);
    refuse("none.h5", &header, HB_ENOINPUT, "none.h5");
    refuse("other.h5", &header, HB_EDATA, "is from key ab02");
    refuse("longer.h5", &header, HB_ECONFIG, "has other parameters than in.heb");
    refuse("theirs.h5", &header, HB_EDATA, "has to be sanitized");
    refuse("low.h5", &header, HB_EDATA, "at most 1 limbs, and in.heb has such of 2");
    header.limbs = 1;
    accept("low.h5", &header);
    assert_int_equal(chmod(in_scratch("own.h5"), 0604), 0);
    refuse("own.h5", &header, HB_EPERM, "chmod 600");
}

static void folders(void **state)
{
    (void)state;
    const hb_params_spec spec = literal(30);
    const hb_header header = header_of(&spec);
    assert_int_equal(mkdir(in_scratch("moves"), 0700), 0);
    refuse("moves", &header, HB_ENOINPUT, "has no rekeying key from ab01");
    write_key("moves/rekey-ab020000-03000000.h5", &spec, 0, other, false);
    refuse("moves", &header, HB_ENOINPUT, "has no rekeying key from ab01");
    /* The name says whom it is from in part, the file wholly. */
    write_key("moves/rekey-ab010000-04000000.h5", &spec, 0, other, false);
    refuse("moves", &header, HB_ENOINPUT, "has no rekeying key from ab01");
    write_key("moves/rekey-ab010000-03000000.h5", &spec, 0, own, false);
    accept("moves", &header);
    write_key("moves/rekey-ab010000-05000000.h5", &spec, 0, own, true);
    refuse("moves", &header, HB_EUSAGE, "are both from the key of in.heb");
}

HB_UNIT(moving_key)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_files),
        cmocka_unit_test(folders),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
