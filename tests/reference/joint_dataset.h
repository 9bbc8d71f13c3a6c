/* A dataset under joint keys in the scratch folder, whose owners have cards that sign, for tests of parts of it. */
#ifndef HB_TESTS_JOINT_DATASET_H
#define HB_TESTS_JOINT_DATASET_H

#include "batch/unit/buffers.h"
#include "batch/unit/unit_rows.h"
#include "joint_cipher.h"
#include "unit/scratch.h"
#include "unit/unheld.h"

/* COUNT ciphertexts a unit; the last one has cells in half of its slots. */
enum { JOINT_OWNERS = 3, JOINT_UNITS = 2, JOINT_CIPHERTEXTS = JOINT_UNITS * COUNT, JOINT_N = 1024 };
enum { JOINT_ROWS = JOINT_CIPHERTEXTS * JOINT_N - JOINT_N / 2 };
static const joint_chain joint_dataset_chain = {JOINT_N, {45, 45, 45, 45, 45, 46}, 6, 1032193};

typedef struct joint_dataset {
    joint_world w;
    sealed unit[JOINT_UNITS];
    hb_column column;
    hb_header header;
    char name[256];
    hb_dataset *dataset;
    uint8_t sum[HB_DIGEST_BYTES];
} joint_dataset;

/* The rows of unit u of a header, of components in coefficient form, or zeros where there are none, and their sum. The
 * caller frees the rows. */
static inline void joint_rows(const joint_world *w, const hb_header *header, uint64_t u, const hb_batch *components,
                              hb_rows *rows, uint8_t sum[HB_DIGEST_BYTES])
{
    hb_unit_rows x;
    memset(rows, 0, sizeof *rows);
    assert_ok(hb_unit_rows_init(&x, 1, w->engine, w->params, header));
    assert_ok(hb_rows_alloc(rows, 1, w->engine, header));
    rows->count = COUNT;
    for (uint32_t c = 0; c < hb_header_stored(header); c++) {
        hb_batch own;
        assert_ok(hb_batch_alloc(w->engine, &own, COUNT, header->limbs, w->params->ids));
        assert_ok(components != NULL ? hb_copy(w->engine, own, components[c]) : hb_clear(w->engine, own));
        assert_ok(hb_unit_rows_pack(&x, c, own, (hb_unit_rows_view){0, 1, COUNT}));
        hb_batch_free(w->engine, &own);
    }
    assert_ok(hb_unit_rows_download(&x, rows));
    assert_ok(hb_unit_rows_sum(&x, u, rows, sum));
    hb_unit_rows_clear(&x, 1);
}

/* Writes a dataset, or a part, in a shard for each unit; components[u] are those of unit u; NULL: zeros. */
static inline void joint_write(const joint_world *w, const char *name, const hb_header *header,
                               const hb_batch (*components)[2], const hb_part_signer *signer)
{
    const hb_committing how = {.parts = JOINT_UNITS, .force = true, .signer = signer};
    assert_ok(begin_dataset(name, true));
    for (uint32_t u = 0; u < JOINT_UNITS; u++) {
        hb_shard_writer *shard;
        hb_rows rows;
        uint8_t sum[HB_DIGEST_BYTES];
        joint_rows(w, header, u, components != NULL ? components[u] : NULL, &rows, sum);
        assert_ok(hb_shard_create(name, header, u, u, 1, &shard));
        assert_ok(hb_shard_write(shard, u, &rows, sum));
        assert_ok(hb_shard_finish(shard));
        hb_shard_writer_close(shard);
        hb_rows_free(&rows, w->engine);
    }
    assert_ok(hb_dataset_commit_as(name, header, &how));
}

/* The world, with cards of the owners' own keys. threshold: how many decrypt. */
static inline void joint_dataset_world(joint_world *w, uint32_t threshold)
{
    joint_world_open(w, &joint_dataset_chain, JOINT_OWNERS, 9);
    for (uint32_t i = 0; i < JOINT_OWNERS; i++) {
        hb_owner_card card;
        assert_ok(hb_party_card(&card, &w->owner[i].root, w->cards[i].name));
        w->cards[i] = card;
    }
    w->session.threshold = threshold;
    hb_joint_session_id(w->id, &w->session);
    joint_make_keys(w);
}

static inline void joint_dataset_open(joint_dataset *d, const char *name, uint32_t threshold)
{
    memset(d, 0, sizeof *d);
    joint_world *w = &d->w;
    hb_header *h = &d->header;
    hb_batch components[JOINT_UNITS][2];
    joint_dataset_world(w, threshold);
    h->limbs = w->params->data_limbs;
    hb_header_set_scheme(h, &w->params->spec, HB_ENCODE_SLOTS);
    h->spec.joint = (hb_joint_spec){.owners = JOINT_OWNERS, .threshold = threshold, .results = w->session.results};
    memcpy(h->spec.joint.session, w->id, sizeof w->id);
    memset(h->key_id, 0x5a, sizeof h->key_id);
    d->column = (hb_column){.name = "", .cells = h->cells};
    h->schema = (hb_schema){.rows = JOINT_ROWS, .columns = 1, .rank = 1, .width = 8, .column = &d->column};
    h->ciphertexts = JOINT_CIPHERTEXTS;
    h->unit = COUNT;
    for (uint64_t u = 0; u < JOINT_UNITS; u++) {
        d->unit[u] = encrypt(w, 3 + u);
        for (uint32_t c = 0; c < 2; c++) {
            components[u][c] = hb_ciphertexts_component(d->unit[u].c, c);
        }
    }
    hb_header_quality(h, d->unit[0].noise);
    snprintf(d->name, sizeof d->name, "%s", in_scratch(name));
    joint_write(w, d->name, h, (const hb_batch(*)[2])components, NULL);
    assert_ok(hb_dataset_open(d->name, &d->dataset));
    hb_dataset_sum(d->dataset, d->sum);
}

static inline void joint_dataset_close(joint_dataset *d)
{
    hb_dataset_close(d->dataset);
    for (uint32_t u = 0; u < JOINT_UNITS; u++) {
        sealed_free(&d->w, &d->unit[u]);
    }
    joint_world_close(&d->w);
}

#endif
