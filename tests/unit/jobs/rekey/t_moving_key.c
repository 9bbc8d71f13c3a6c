/* The rekeying key of a job is the one from the dataset's key, of its parameters and levels; and the public key, where
 * it leads to another person, is that of the pair that it leads to. */
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

/* Writes a key of zeros; nobody computes with it. Its errors are those of a key to so many owners. */
static void write_key_to(const char *name, const hb_params_spec *spec, uint32_t limbs, const uint8_t *from,
                         uint32_t owners)
{
    hb_switch_key_file key;
    assert_ok(hb_switch_key_file_init(&key, spec, (hb_key_name){HB_KEY_REKEY, 0, limbs}, owners == 0));
    memcpy(key.key_id, to, sizeof key.key_id);
    memcpy(key.rekey.from, from, sizeof key.rekey.from);
    key.rekey.another = owners > 0;
    key.rekey.error = hb_rekey_error(spec, owners > 0, owners > 0 ? owners : 1);
    memset(key.b, 0, key.parts * key.part_bytes);
    if (owners > 0) {
        memset(key.a, 0, key.parts * key.part_bytes);
    }
    assert_ok(hb_switch_key_file_write(in_scratch(name), &key));
    hb_switch_key_file_clear(&key);
}

static void write_key(const char *name, const hb_params_spec *spec, uint32_t limbs, const uint8_t *from, bool another)
{
    write_key_to(name, spec, limbs, from, another ? 1 : 0);
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

/* The session of a job with a key of that kind, id and owners. */
static void receive(const char *keys, const hb_header *header, hb_key_kind kind, const uint8_t *id, uint32_t owners,
                    hb_status code, const char *words)
{
    hb_moving_key key;
    hb_params params = {.spec = header->spec};
    hb_session session = {.params = &params, .key_name = "theirs.h5", .kind = kind};
    params.spec.joint.owners = owners;
    memcpy(session.key_id, id, sizeof session.key_id);
    assert_ok(hb_moving_key_open(&key, in_scratch(keys), header, "in.heb"));
    assert_true(hb_moving_key_to_another(&key));
    if (code == HB_OK) {
        assert_ok(hb_moving_key_require_receiver(&key, &session));
    } else {
        assert_refused(hb_moving_key_require_receiver(&key, &session), code, words);
    }
    hb_moving_key_close(&key);
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
    accept("theirs.h5", &header);
    refuse("low.h5", &header, HB_EDATA, "at most 1 limbs, and in.heb has such of 2");
    header.limbs = 1;
    accept("low.h5", &header);
    assert_int_equal(chmod(in_scratch("own.h5"), 0604), 0);
    refuse("own.h5", &header, HB_EPERM, "chmod 600");
}

/* Bounds of noise go by the owners of the public key, which has to be the one that the rekeying key was made with. */
static void receivers(void **state)
{
    (void)state;
    const hb_params_spec spec = literal(30);
    const hb_header header = header_of(&spec);
    hb_params_spec joint = spec;
    joint.joint = (hb_joint_spec){.owners = 3, .threshold = 3, .results = 10};
    write_key("one.h5", &spec, 0, own, true);
    write_key_to("three.h5", &joint, 0, own, 3);
    write_key_to("few.h5", &joint, 0, own, 1);
    receive("one.h5", &header, HB_KEY_PUBLIC, to, 0, HB_OK, "");
    receive("one.h5", &header, HB_KEY_SECRET, to, 0, HB_EUSAGE, "theirs.h5 is a secret key");
    receive("one.h5", &header, HB_KEY_PUBLIC, other, 0, HB_EDATA, "theirs.h5 is key ab02");
    receive("one.h5", &header, HB_KEY_PUBLIC, to, 3, HB_EDATA, "other parameters or owners");
    receive("three.h5", &header, HB_KEY_PUBLIC, to, 0, HB_EDATA, "other parameters or owners");
    hb_header few = header;
    few.spec.joint = joint.joint;
    receive("three.h5", &few, HB_KEY_PUBLIC, to, 3, HB_OK, "");
    receive("three.h5", &few, HB_KEY_PUBLIC, to, 2, HB_EDATA, "other parameters or owners");
    receive("few.h5", &few, HB_KEY_PUBLIC, to, 3, HB_EDATA, "other parameters or owners");
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
        cmocka_unit_test(receivers),
        cmocka_unit_test(folders),
    };
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, scratch_make, scratch_remove) : 1;
}
