/* Whole units: a GPU stores the bytes that the CPU stores, and each reads the other's. */
#include "gpu.h"

#include "batch/unit/unit_decrypt.h"
#include "batch/unit/unit_encrypt.h"
#include "scheme/params.h"

static const hb_seed root = {{42}};

/* One device with keys, and the workspace of one unit. */
typedef struct side {
    hb_device device;
    hb_session session;
    hb_unit_buffers buffers;
    hb_unit_encryptor encryptor;
    hb_unit_decryptor decryptor;
} side;

typedef struct rig {
    hb_params_spec spec;
    hb_header header;
    hb_column column;
    hb_group *group; /* of one */
    side gpu, cpu;
    uint64_t *values; /* of a unit, [unit][n] */
} rig;

static void make_keys(hb_session *s, hb_key_kind kind)
{
    const hb_seed public_seed = {{7}};
    int8_t *ternary = gpu_host(s->params->spec.n);
    assert_ok(hb_secret_draw(s->engine, s->params, &root, ternary));
    assert_ok(hb_secret_key_load(&s->secret, s->engine, s->params, ternary));
    assert_ok(hb_public_key_generate(&s->public_key, &s->secret, &root, &public_seed));
    s->kind = kind;
    free(ternary);
}

/* A plan counts exactly the memory that is taken. */
static void check_account(const side *s, const rig *r, size_t batch)
{
    const hb_params *params = s->session.params;
    const uint64_t shared = hb_device_table_bytes(&s->device, params) + hb_device_queue_bytes(&s->device, params);
    assert_true(hb_cuda_engine_bytes(s->session.engine) <= shared + hb_unit_encryptor_bytes(params, &r->header, batch) +
                                                               hb_unit_decryptor_bytes(params, &r->header, batch));
}

static void side_open(side *s, const rig *r, size_t batch)
{
    const hb_header *header = &r->header;
    assert_ok(hb_session_open_keyless(&s->session, &r->spec));
    assert_ok(hb_session_start(&s->session, r->group, &s->device, NULL, NULL));
    make_keys(&s->session, header->seeded ? HB_KEY_SECRET : HB_KEY_PUBLIC);
    assert_ok(hb_unit_buffers_init(&s->buffers, s->session.engine, header, 2, true, false));
    assert_ok(hb_unit_encryptor_init(&s->encryptor, &s->session, s->session.engine, header, batch, HB_GAUSSIAN));
    assert_ok(hb_unit_decryptor_init(&s->decryptor, &s->session, s->session.engine, header, batch));
    if (s->device.gpu) {
        check_account(s, r, batch);
    }
}

static void side_close(side *s)
{
    hb_unit_decryptor_clear(&s->decryptor);
    hb_unit_encryptor_clear(&s->encryptor);
    hb_unit_buffers_clear(&s->buffers);
    hb_session_close(&s->session);
}

static void rig_open(rig *r, const char *preset, bool seeded, hb_encoding encoding, uint64_t unit, size_t batch)
{
    memset(r, 0, sizeof *r);
    assert_ok(hb_params_preset(preset, &r->spec));
    assert_ok(hb_group_open_alone(&r->group));
    r->column = (hb_column){.name = "", .is_signed = false};
    r->header = (hb_header){.spec = r->spec,
                            .limbs = r->spec.key_limbs - 1,
                            .seeded = seeded,
                            .encoding = encoding,
                            .capacity = r->spec.n,
                            .schema = {.rows = 3 * unit * r->spec.n, .columns = 1, .rank = 1, .width = 8},
                            .ciphertexts = 3 * unit,
                            .unit = unit};
    r->header.schema.column = &r->column;
    r->gpu.device = (hb_device){.gpu = true, .card = gpu_device, .memory = gpu_device.free / 2, .sharing = 1};
    side_open(&r->gpu, r, batch);
    side_open(&r->cpu, r, unit);
    const size_t words = unit * r->spec.n;
    r->values = gpu_host(words * sizeof *r->values);
    for (size_t i = 0; i < words; i++) {
        r->values[i] = i * 2654435761U % r->spec.bfv.plain; /* Knuth's multiplier: a prime near 2^32 / golden ratio */
    }
}

static void rig_close(rig *r)
{
    side_close(&r->gpu);
    side_close(&r->cpu);
    hb_group_close(r->group);
    free(r->values);
}

static hb_unit_buffer *encrypt(side *s, const rig *r, uint64_t unit)
{
    hb_unit_buffer *buffer = &s->buffers.buffer[0];
    memcpy(buffer->values, r->values, r->header.unit * r->spec.n * sizeof *r->values);
    assert_ok(hb_unit_encrypt(&s->encryptor, buffer, unit, &root));
    return buffer;
}

/* Decrypts on one side the rows that the other has stored. */
static void decrypt(side *s, const rig *r, const hb_unit_buffer *stored, uint64_t unit)
{
    hb_unit_buffer *buffer = &s->buffers.buffer[1];
    const size_t words = r->header.unit * r->spec.n;
    const hb_rows own = buffer->rows;
    buffer->rows = stored->rows;
    memset(buffer->values, 0, words * sizeof *buffer->values);
    assert_ok(hb_unit_rows_upload(&s->decryptor.rows, &buffer->rows));
    assert_ok(hb_unit_decrypt(&s->decryptor, buffer, unit));
    assert_memory_equal(buffer->values, r->values, words * sizeof *buffer->values);
    buffer->rows = own;
}

static void check(const char *preset, bool seeded, hb_encoding encoding, uint64_t unit, size_t batch)
{
    rig r;
    rig_open(&r, preset, seeded, encoding, unit, batch);
    size_t bytes = 0;
    for (uint32_t l = 0; l < r.header.limbs; l++) {
        bytes += unit * hb_header_row_bytes(&r.header, l);
    }
    for (uint64_t u = 0; u < 3; u += 2) {
        const hb_unit_buffer *gpu = encrypt(&r.gpu, &r, u), *cpu = encrypt(&r.cpu, &r, u);
        assert_memory_equal(gpu->sum, cpu->sum, sizeof gpu->sum);
        assert_memory_equal(gpu->rows.c0, cpu->rows.c0, bytes);
        if (seeded) {
            assert_memory_equal(gpu->rows.seeds, cpu->rows.seeds, unit * sizeof(hb_seed));
        } else {
            assert_memory_equal(gpu->rows.c1, cpu->rows.c1, bytes);
        }
        decrypt(&r.gpu, &r, cpu, u);
        decrypt(&r.cpu, &r, gpu, u);
    }
    rig_close(&r);
}

static void test_secret_key(void **state)
{
    (void)state;
    check("bfv-4096", true, HB_ENCODE_SLOTS, gpu_small ? 3 : 60, gpu_small ? 2 : 13);
    if (!gpu_small) {
        check("bfv-8192", true, HB_ENCODE_SLOTS, 20, 20);
        check("bfv-16384", true, HB_ENCODE_COEFFICIENTS, 5, 2);
        check("bfv-32768", true, HB_ENCODE_SLOTS, 2, 1);
        check("seal-32768", true, HB_ENCODE_SLOTS, 2, 1); /* transforms in integers */
    }
}

static void test_public_key(void **state)
{
    (void)state;
    check("bfv-4096", false, HB_ENCODE_COEFFICIENTS, gpu_small ? 2 : 31, gpu_small ? 2 : 8);
    if (!gpu_small) {
        check("bfv-8192", false, HB_ENCODE_SLOTS, 20, 7);
        check("bfv-32768", false, HB_ENCODE_SLOTS, 2, 2);
        check("seal-32768", false, HB_ENCODE_SLOTS, 2, 2);
    }
}

GPU_MAIN(cmocka_unit_test(test_secret_key), cmocka_unit_test(test_public_key))
