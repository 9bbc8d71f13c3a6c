/* Many packed rows: their digests, and residues out of range wherever they are. */
#include "gpu.h"
#include "reference/slow.h"

/* `rows` rows of every limb, those of a limb `period` different ones over and over again. */
static void check_digests(const gpu_pair *p, const gpu_chain *chain, size_t rows, size_t period)
{
    const size_t bytes = rows * hb_packed_bytes(&p->ring, chain->ids, chain->limbs);
    const size_t digest_bytes = rows * chain->limbs * HB_DIGEST_BYTES;
    uint8_t *host = gpu_host(bytes), *digests = gpu_host(digest_bytes), expected[HB_DIGEST_BYTES];
    uint64_t random = rows;
    void *packed, *made;
    uint8_t *at = host;
    for (uint32_t l = 0; l < chain->limbs; l++) {
        const size_t row = hb_packed_row_bytes(p->ring.n, &p->ring.moduli[chain->ids[l]]);
        for (size_t i = 0; i < rows * row; i += 8) { /* rows are whole words */
            const uint64_t word = slow_random(&random);
            memcpy(at + i, i < period * row ? (const void *)&word : at + i - period * row, 8);
        }
        at += rows * row;
    }
    assert_ok(hb_alloc(p->gpu, bytes, &packed));
    assert_ok(hb_alloc(p->gpu, digest_bytes, &made));
    assert_ok(hb_upload(p->gpu, packed, host, bytes));
    assert_ok(hb_digest_rows(p->gpu, made, (hb_packed){packed, rows, 0, 1}, chain->ids, chain->limbs));
    assert_ok(hb_download(p->gpu, digests, made, digest_bytes));
    assert_ok(hb_finish(p->gpu));
    at = host;
    for (uint32_t l = 0; l < chain->limbs; l++) {
        const size_t row = hb_packed_row_bytes(p->ring.n, &p->ring.moduli[chain->ids[l]]);
        for (size_t i = 0; i < rows; i++) {
            const uint8_t *found = digests + (l * rows + i) * HB_DIGEST_BYTES;
            if (i < period) {
                hb_digest_row(expected, at + i * row, row);
            }
            assert_memory_equal(found, i < period ? expected : found - period * HB_DIGEST_BYTES, HB_DIGEST_BYTES);
        }
        at += rows * row;
    }
    hb_free(p->gpu, packed);
    hb_free(p->gpu, made);
    free(digests);
    free(host);
}

/* The leaves of so many rows are made in several rounds. */
static void test_digests(void **state)
{
    (void)state;
    gpu_pair p;
    gpu_pair_open(&p, 10);
    check_digests(&p, &gpu_chains[1], gpu_small ? 65 : 80000, 50);
    check_digests(&p, &gpu_chains[4], gpu_small ? 3 : 30000, 3);
    gpu_pair_close(&p);
    gpu_pair_open(&p, 17);
    check_digests(&p, &gpu_chains[GPU_CHAINS - 1], gpu_small ? 1 : 12, 5);
    gpu_pair_close(&p);
}

/* A residue that is not below its modulus is counted at any place, and only that. */
static void test_out_of_range(void **state)
{
    (void)state;
    enum { COUNT = 3, PLACES = 40 };
    const gpu_chain *chain = &gpu_chains[GPU_CHAIN_PAIR];
    gpu_pair p;
    gpu_pair_open(&p, 12);
    const size_t n = p.ring.n, bytes = COUNT * hb_packed_bytes(&p.ring, chain->ids, chain->limbs);
    hb_batch x, y;
    void *packed;
    uint64_t random = 3;
    uint8_t *rows = gpu_host(bytes);
    assert_ok(hb_batch_alloc(p.gpu, &x, COUNT, chain->limbs, chain->ids));
    assert_ok(hb_batch_alloc(p.cpu, &y, COUNT, chain->limbs, chain->ids));
    assert_ok(hb_alloc(p.gpu, bytes, &packed));
    for (size_t i = 0; i < PLACES; i++) {
        memset(y.data, 0, COUNT * y.stride * sizeof *y.data);
        const size_t place = i == 0 ? 0 : i == 1 ? COUNT * y.stride - 1 : slow_random(&random) % (COUNT * y.stride);
        const uint64_t m = p.ring.moduli[chain->ids[place / n % chain->limbs]].value;
        const bool wrong = i % 4 != 3;
        size_t found = 0;
        y.data[place] = wrong ? m : m - 1;
        assert_ok(hb_pack(p.cpu, (hb_packed){rows, COUNT, 0, 1}, y));
        assert_ok(hb_upload(p.gpu, packed, rows, bytes));
        assert_ok(hb_unpack(p.gpu, x, (hb_packed){packed, COUNT, 0, 1}, &found));
        assert_int_equal(found, wrong);
    }
    hb_batch_free(p.gpu, &x);
    hb_batch_free(p.cpu, &y);
    hb_free(p.gpu, packed);
    gpu_pair_close(&p);
    free(rows);
}

GPU_MAIN(cmocka_unit_test(test_digests), cmocka_unit_test(test_out_of_range))
