#include "concat_job.h"

#include <stdlib.h>
#include <string.h>

#include "batch/job/ranks.h"
#include "cli/console.h"
#include "cli/paths.h"
#include "cli/stop.h"
#include "output/resume.h"

/* Rows of some ciphertexts with their digests, as files and sums have them. */
typedef struct held_unit {
    hb_rows rows;
    uint8_t *digests; /* [components stored][limbs][count][HB_DIGEST_BYTES] */
} held_unit;

typedef struct concat {
    hb_group *group;
    const hb_common *common;
    const hb_concat_options *options;
    hb_header *header;
    uint8_t header_digest[HB_DIGEST_BYTES];
    uint32_t residue;     /* of several, which are made one after another */
    hb_dataset *input;    /* the one that is read */
    size_t next;          /* the one behind it */
    uint64_t unit, at;    /* ciphertext `at` of its unit is the next one; `unit` is behind the one that is held */
    held_unit held, made; /* of the input, of the output */
    hb_shard_writer *shard;
    hb_hold hold;
    bool begun; /* there is an output that is not committed */
} concat;

static void held_clear(held_unit *held)
{
    free(held->rows.seeds);
    free(held->rows.c0);
    free(held->rows.c1);
    free(held->digests);
    memset(held, 0, sizeof *held);
}

/* Makes room for one unit of a dataset. */
static hb_status held_init(held_unit *held, const hb_header *header)
{
    size_t component = 0; /* bytes of one component of a ciphertext */
    const size_t unit = (size_t)header->unit;
    for (uint32_t l = 0; l < header->limbs; l++) {
        component += hb_header_row_bytes(header, l);
    }
    held_clear(held);
    held->rows.limbs = HB_ROWS_ALL;
    held->rows.c0 = malloc(unit * component);
    held->rows.c1 = header->seeded ? NULL : malloc(unit * component);
    held->rows.seeds = header->seeded ? malloc(unit * sizeof *held->rows.seeds) : NULL;
    held->digests = malloc(unit * header->limbs * 2 * HB_DIGEST_BYTES);
    const bool made = held->rows.c0 != NULL && held->digests != NULL &&
                      (header->seeded ? held->rows.seeds != NULL : held->rows.c1 != NULL);
    return made ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a unit of a dataset");
}

static uint8_t *component_of(const held_unit *held, uint32_t component)
{
    return component == 0 ? held->rows.c0 : held->rows.c1;
}

/* Where row `at` of a limb lies among those of `count` ciphertexts. */
static size_t place_of(const hb_header *header, uint32_t limb, size_t count, size_t at)
{
    size_t place = 0;
    for (uint32_t l = 0; l < limb; l++) {
        place += count * hb_header_row_bytes(header, l);
    }
    return place + at * hb_header_row_bytes(header, limb);
}

static uint8_t *digest_of(const held_unit *held, const hb_header *header, uint32_t component, uint32_t limb,
                          size_t count, size_t at)
{
    return held->digests + ((component * (size_t)header->limbs + limb) * count + at) * HB_DIGEST_BYTES;
}

/* Opens the next input; there is one. */
static hb_status open_next(concat *x)
{
    hb_dataset_close(x->input);
    x->input = NULL;
    HB_TRY(hb_dataset_open_among(x->options->inputs[x->next], x->residue, (hb_dataset_ranks){.count = 1}, &x->input));
    HB_TRY(hb_dataset_require_whole(x->input, x->options->inputs[x->next]));
    x->next++;
    x->unit = x->at = 0;
    x->held.rows.count = 0;
    return held_init(&x->held, hb_dataset_header(x->input));
}

/* Reads a unit of the input, and checks its sum. */
static hb_status read_unit(concat *x)
{
    const hb_header *header = hb_dataset_header(x->input);
    uint8_t sum[HB_DIGEST_BYTES];
    HB_TRY(hb_dataset_read(x->input, x->unit, &x->held.rows));
    const size_t count = (size_t)x->held.rows.count;
    for (uint32_t c = 0; c < hb_header_stored(header); c++) {
        for (uint32_t l = 0; l < header->limbs; l++) {
            for (size_t at = 0; at < count; at++) {
                hb_digest_row(digest_of(&x->held, header, c, l, count, at),
                              component_of(&x->held, c) + place_of(header, l, count, at),
                              hb_header_row_bytes(header, l));
            }
        }
    }
    hb_unit_digest(sum, header, hb_dataset_unit_header(x->input, x->unit), x->unit, &x->held.rows, x->held.digests);
    if (memcmp(sum, hb_dataset_unit_sum(x->input, x->unit), sizeof sum) != 0) {
        return hb_dataset_mismatch(x->input, x->unit);
    }
    x->unit++;
    x->at = 0;
    return HB_OK;
}

/* Makes a ciphertext ready at x->at of the held ones; the output has no more than all inputs. */
static hb_status find_next(concat *x)
{
    while (x->input == NULL || x->at == x->held.rows.count) {
        const bool more = x->input != NULL && x->unit < hb_header_units(hb_dataset_header(x->input));
        HB_TRY(more ? read_unit(x) : open_next(x));
    }
    return HB_OK;
}

/* Copies one ciphertext to place `to` of `count`. */
static void copy_ciphertext(concat *x, size_t to, size_t count)
{
    const hb_header *header = x->header;
    const size_t from = (size_t)x->at, of = (size_t)x->held.rows.count;
    for (uint32_t c = 0; c < hb_header_stored(header); c++) {
        for (uint32_t l = 0; l < header->limbs; l++) {
            memcpy(component_of(&x->made, c) + place_of(header, l, count, to),
                   component_of(&x->held, c) + place_of(header, l, of, from), hb_header_row_bytes(header, l));
            memcpy(digest_of(&x->made, header, c, l, count, to), digest_of(&x->held, header, c, l, of, from),
                   HB_DIGEST_BYTES);
        }
    }
    if (header->seeded) {
        x->made.rows.seeds[to] = x->held.rows.seeds[from];
    }
    x->at++;
}

static hb_status make_unit(concat *x, uint64_t u)
{
    uint8_t sum[HB_DIGEST_BYTES];
    uint64_t first, count;
    hb_header_unit_range(x->header, u, &first, &count);
    for (size_t at = 0; at < count; at++) {
        HB_TRY(hb_stop_check());
        HB_TRY(find_next(x));
        copy_ciphertext(x, at, (size_t)count);
    }
    x->made.rows.count = count;
    hb_unit_digest(sum, x->header, x->header_digest, u, &x->made.rows, x->made.digests);
    return hb_shard_write(x->shard, u, &x->made.rows, sum);
}

static hb_status make_all(concat *x)
{
    const char *output = x->options->output;
    const uint64_t units = hb_header_units(x->header);
    hb_progress progress;
    hb_progress_begin(&progress, x->group, x->common, hb_tally_ciphertexts("copied", x->header),
                      x->header->ciphertexts);
    HB_TRY(held_init(&x->made, x->header));
    hb_header_digest(x->header_digest, x->header);
    if (!x->begun) {
        HB_TRY(hb_resume_begin_once(output, "concat", x->options->force, &x->hold));
        x->begun = true;
    }
    HB_TRY(hb_shard_create(output, x->header, 0, 0, units, &x->shard));
    for (uint64_t u = 0; u < units; u++) {
        HB_TRY(make_unit(x, u));
        hb_progress_add(&progress, x->made.rows.count);
    }
    HB_TRY(hb_shard_sync(x->shard));
    HB_TRY(hb_shard_finish(x->shard));
    HB_TRY(hb_dataset_commit(output, x->header, 1, x->options->force));
    x->begun = x->residue + 1 < hb_spec_residues(&x->header->spec); /* the last one gives all their name */
    hb_progress_end(&progress);
    return HB_OK;
}

/* Looks at all headers before anything is made. */
static hb_status join_headers(concat *x)
{
    const hb_concat_options *options = x->options;
    HB_TRY(hb_paths_check(&options->output, 1, (const char *const *)options->inputs, options->count));
    for (size_t i = 0; i < options->count; i++) {
        hb_dataset *input;
        HB_TRY(hb_dataset_open_among(options->inputs[i], x->residue, (hb_dataset_ranks){.count = 1}, &input));
        hb_status st = hb_dataset_require_whole(input, options->inputs[i]);
        const hb_header *header = hb_dataset_header(input);
        if (st == HB_OK && i == 0) {
            *x->header = *header;
            x->header->version = 0; /* new datasets have the layout of today */
            x->header->schema = (hb_schema){.rows = 0};
            st = hb_schema_copy(&x->header->schema, &header->schema);
        } else if (st == HB_OK) {
            st = hb_concat_header(x->header, header, options->inputs[i], options->inputs[0]);
        }
        hb_dataset_close(input);
        HB_TRY(st);
    }
    return HB_OK;
}

/* Makes one residue of the output, or all of it where there is one. */
static hb_status make_residue(concat *x)
{
    hb_header_clear(x->header);
    HB_TRY(join_headers(x));
    hb_console_residue(x->group, x->common, x->residue, hb_spec_residues(&x->header->spec));
    HB_TRY(make_all(x));
    hb_shard_writer_close(x->shard);
    x->shard = NULL;
    hb_dataset_close(x->input);
    x->input = NULL;
    x->next = 0;
    return HB_OK;
}

hb_status hb_concat(hb_group *group, const hb_common *common, const hb_concat_options *options, hb_header *header)
{
    concat x = {.group = group, .common = common, .options = options, .header = header, .hold = HB_HOLD_NONE};
    hb_status st;
    *header = (hb_header){.version = 0};
    HB_GOTO(hb_dataset_probe(options->output, options->force, false));
    do {
        HB_GOTO(make_residue(&x));
        x.residue++;
    } while (x.residue < hb_spec_residues(&header->spec));
done:
    hb_shard_writer_close(x.shard);
    if (x.begun) {
        hb_dataset_abandon(options->output);
    }
    hb_dataset_release(&x.hold);
    hb_dataset_close(x.input);
    held_clear(&x.held);
    held_clear(&x.made);
    return st;
}
