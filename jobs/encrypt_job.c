#include "encrypt_job.h"

#include <stdlib.h>
#include <string.h>

#include "durable.h"
#include "stop.h"

/* Ciphertexts that hold the same rows of the table. */
static uint64_t row_block(const hb_header *header)
{
    const uint64_t columns = header->schema.columns, n = header->spec.n;
    return header->order == HB_PACK_COLUMNS ? columns : columns / n + (columns % n != 0);
}

static hb_status fill_header(hb_encrypt_job *job)
{
    hb_header *header = &job->header;
    const hb_session *session = &job->session;
    *header = (hb_header){.spec = session->params->spec,
                          .limbs = session->params->data_limbs,
                          .components = 2,
                          .seeded = session->kind == HB_KEY_SECRET,
                          .encoding = job->options.encoding,
                          .order = job->options.order};
    memcpy(header->key_id, session->key_id, sizeof header->key_id);
    HB_TRY(hb_schema_copy(&header->schema, hb_table_schema(job->table)));
    const hb_packing packing = {header->order, header->schema.rows, header->schema.columns, header->spec.n};
    HB_TRY(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    header->unit = hb_header_choose_unit(header->ciphertexts, hb_header_ciphertext_bytes(header), row_block(header));
    return HB_OK;
}

static hb_status make_plan(hb_encrypt_job *job)
{
    const hb_encrypt_options *options = &job->options;
    HB_TRY(hb_session_open(&job->session, options->key));
    if (options->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_batching(job->session.params));
    }
    HB_TRY(hb_table_open(options->table, &job->table));
    HB_TRY(fill_header(job));
    const uint64_t host = hb_plan_host_bytes(job->session.params, &job->header, true, false);
    HB_TRY(hb_plan_make(&job->plan, &job->header, (uint32_t)job->group->size, host));
    HB_TRY(hb_can_create(options->output));
    return hb_plan_output(&job->plan, hb_plan_dataset_bytes(&job->plan), options->output);
}

hb_status hb_encrypt_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                          const hb_encrypt_options *options)
{
    *job = (hb_encrypt_job){.group = group, .common = common, .options = *options};
    HB_TRY(hb_agree(group, make_plan(job)));
    uint8_t digest[HB_DIGEST_BYTES];
    hb_header_digest(digest, &job->header);
    HB_TRY(hb_ranks_same(group, digest, "the key or the table"));
    job->units = hb_ranks_divide(group, 0, job->plan.units);
    return HB_OK;
}

static hb_status begin(hb_encrypt_job *job)
{
    if (job->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_dataset_begin(job->options.output, job->options.force));
    job->begun = job->unfinished = true;
    return HB_OK;
}

static hb_status create_shards(hb_encrypt_job *job)
{
    const uint32_t rank = (uint32_t)job->group->rank, size = (uint32_t)job->group->size;
    const uint32_t count = hb_plan_part_count(&job->header, rank, size);
    if (count == 0) {
        return HB_OK;
    }
    job->shards = calloc(count, sizeof *job->shards);
    job->parts = calloc(count, sizeof *job->parts);
    if (job->shards == NULL || job->parts == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u shards", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const hb_part part = job->parts[i] = hb_plan_part(&job->header, rank, size, i);
        HB_TRY(hb_shard_create(job->options.output, &job->header, part.number, part.first_unit, part.units,
                               &job->shards[i]));
        job->shard_count++;
    }
    return HB_OK;
}

static hb_status make_ready(hb_encrypt_job *job)
{
    HB_TRY(create_shards(job));
    if (job->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_cells_init(&job->cells, &job->header, (size_t)job->header.unit));
    HB_TRY(hb_slots_init(&job->slots, &job->header, true, false));
    return hb_unit_encryptor_init(&job->encryptor, &job->session, &job->header, job->options.errors);
}

static hb_status read_unit(void *context, uint32_t slot, uint64_t u)
{
    hb_encrypt_job *job = context;
    uint64_t first, count, *values = job->slots.slot[slot].values;
    hb_header_unit_range(&job->header, u, &first, &count);
    HB_TRY(hb_cells_read(&job->cells, job->table, first, (size_t)count, values));
    return hb_cells_to_residues(&job->cells, first, (size_t)count, values);
}

static hb_status encrypt_unit(void *context, uint32_t slot, uint64_t u)
{
    hb_encrypt_job *job = context;
    return hb_unit_encrypt(&job->encryptor, &job->slots.slot[slot], u, &job->options.root);
}

static hb_status write_unit(void *context, uint32_t slot, uint64_t u)
{
    hb_encrypt_job *job = context;
    while (u - job->parts[job->writing].first_unit >= job->parts[job->writing].units) {
        job->writing++; /* units come in order, and the parts tile them */
        HB_ASSERT(job->writing < job->shard_count);
    }
    const hb_slot *done = &job->slots.slot[slot];
    return hb_shard_write(job->shards[job->writing], u, &done->rows, done->sum);
}

static hb_status finish_shards(hb_encrypt_job *job)
{
    for (uint32_t i = 0; i < job->shard_count; i++) {
        HB_TRY(hb_shard_finish(job->shards[i]));
    }
    return HB_OK;
}

static hb_status commit(hb_encrypt_job *job)
{
    if (job->group->rank != 0) {
        return HB_OK;
    }
    const char *output = job->options.output;
    HB_TRY(hb_dataset_commit(output, &job->header, (uint32_t)job->plan.parts, job->options.force));
    job->unfinished = false;
    hb_dataset *dataset;
    HB_TRY(hb_dataset_open(output, &dataset));
    hb_dataset_sum(dataset, job->sum);
    hb_dataset_close(dataset);
    return HB_OK;
}

hb_status hb_encrypt_run(hb_encrypt_job *job)
{
    static const hb_pipeline_stages stages = {read_unit, encrypt_unit, write_unit};
    hb_group *group = job->group;
    hb_stop_catch();
    /* Each rank draws its own: no secret crosses the network. A ciphertext keeps what it takes to read it, so which root
     * made it does not matter later. */
    if (!job->options.test_seed) {
        hb_seed_random(&job->options.root);
    }
    HB_TRY(hb_agree(group, begin(job)));
    hb_status st;
    HB_GOTO(hb_agree(group, make_ready(job)));
    HB_GOTO(hb_ranks_run(group, job->common, &job->header, &job->units, &stages, job, "encrypted", &job->times));
    HB_GOTO(hb_agree(group, finish_shards(job)));
    HB_GOTO(hb_agree(group, commit(job)));
done:
    if (job->unfinished) {
        hb_dataset_abandon(job->options.output); /* after an agreement: no rank writes there any more */
    }
    return st;
}

void hb_encrypt_close(hb_encrypt_job *job)
{
    for (uint32_t i = 0; i < job->shard_count; i++) {
        hb_shard_writer_close(job->shards[i]);
    }
    free(job->shards);
    free(job->parts);
    hb_unit_encryptor_clear(&job->encryptor);
    hb_slots_clear(&job->slots);
    hb_cells_clear(&job->cells);
    hb_table_close(job->table);
    hb_header_clear(&job->header);
    hb_session_close(&job->session);
    hb_wipe(&job->options.root, sizeof job->options.root);
    memset(job, 0, sizeof *job);
}
