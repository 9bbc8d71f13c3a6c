#include "plan.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/partition.h"
#include "batch/unit/buffers.h"
#include "batch/unit/unit_rows.h"
#include "cli/console.h"
#include "io/files/durable.h"
#include "machine/machine.h"

static const uint64_t most_unit_bytes = (uint64_t)1 << 48; /* a rank needs some hundred times that at most */
static const uint64_t most_part_bytes = (uint64_t)4 << 30, least_part_bytes = (uint64_t)64 << 20;
static const uint64_t part_overhead = (uint64_t)64 << 10; /* HDF5's own, without the sums */

/* Returns the shards of a rank. */
static uint32_t part_count(const hb_header *header, uint32_t rank, uint32_t size)
{
    const hb_share share = hb_partition(hb_header_units(header), rank, size);
    const uint64_t unit_bytes = header->unit * hb_header_ciphertext_bytes(header);
    const uint64_t most = unit_bytes < most_part_bytes ? most_part_bytes / unit_bytes : 1; /* units a part */
    const uint64_t least = unit_bytes < least_part_bytes ? least_part_bytes / unit_bytes : 1;
    /* At least as many as 4 GiB files need; up to HB_PLAN_ABREAST if each still has 64 MiB. */
    const uint64_t fewest = share.count / most + (share.count % most != 0), several = share.count / least;
    if (fewest >= HB_PLAN_ABREAST || several <= fewest) {
        return (uint32_t)fewest;
    }
    return (uint32_t)(several > HB_PLAN_ABREAST ? HB_PLAN_ABREAST : several);
}

uint32_t hb_plan_parts_before(const hb_header *header, uint32_t rank, uint32_t size)
{
    /* Shares of ranks differ by a unit, so their counts of shards may differ too and are added one by one. */
    uint32_t parts = 0;
    for (uint32_t r = 0; r < rank; r++) {
        parts += part_count(header, r, size);
    }
    return parts;
}

void hb_plan_layout(const hb_header *header, uint32_t size, hb_part *parts)
{
    uint32_t number = 0;
    for (uint32_t rank = 0; rank < size; rank++) {
        const hb_share share = hb_partition(hb_header_units(header), rank, size);
        const uint32_t count = part_count(header, rank, size);
        for (uint32_t i = 0; i < count; i++, number++) {
            const hb_share own = hb_partition(share.count, i, count);
            parts[number] = (hb_part){number, share.first + own.first, own.count};
        }
    }
}

hb_header hb_plan_made(const hb_header *header, const hb_growth *growth)
{
    hb_header made = *header;
    made.ciphertexts -= growth->first_unit * header->unit;
    return made;
}

hb_status hb_plan_make(hb_plan *plan, const hb_header *header, uint32_t groups, uint32_t members)
{
    const hb_schema *schema = &header->schema;
    *plan = (hb_plan){.header = header,
                      .ranks = (uint64_t)groups * members,
                      .ciphertext_bytes = hb_header_ciphertext_bytes(header),
                      .units = hb_header_units(header),
                      .residues = hb_spec_residues(&header->spec)};
    /* A quarter of the range, so that sums of sizes with overheads cannot overflow either. */
    const uint64_t most = UINT64_MAX / 4;
    /* The steps of eval have columns of which nothing is said. */
    const uint64_t words = schema->column != NULL ? hb_schema_words(schema, 0, schema->columns) : schema->columns;
    if (__builtin_mul_overflow(schema->rows, words, &plan->values) || plan->values > most / schema->width ||
        header->ciphertexts > most / plan->residues / plan->ciphertext_bytes) {
        return HB_FAIL(HB_EDATA, "a table of %" PRIu64 " rows and %" PRIu64 " columns is too large", schema->rows,
                       schema->columns);
    }
    plan->table_bytes = plan->values * schema->width;
    plan->stored_bytes = hb_header_stored_bytes(header);
    plan->parts = hb_plan_parts_before(header, groups, groups);
    /* The first group has most. */
    plan->rank_units = hb_partition(plan->units, 0, groups).count;
    /* The last unit may be shorter, and a dataset may have only that. */
    const uint64_t share = plan->rank_units * header->unit;
    plan->rank_ciphertexts = share < header->ciphertexts ? share : header->ciphertexts;
    return HB_OK;
}

static uint64_t fixed_bytes(const hb_plan_requirements *requirements, const hb_params *params)
{
    return requirements->fixed_bytes != NULL ? requirements->fixed_bytes(requirements->context, params) : 0;
}

/* The context of worker_bytes for a session that was started. */
typedef struct session_worker {
    const hb_session *session;
    const hb_plan_requirements *requirements;
} session_worker;

static uint64_t worker_bytes(const void *context, size_t batch)
{
    const session_worker *worker = context;
    return worker->requirements->worker_bytes(worker->requirements->context, worker->session->params, batch);
}

static size_t together_of(const hb_plan_requirements *requirements)
{
    return requirements->together > 0 ? requirements->together : 1;
}

/* Returns how many ciphertexts a worker has in the work at a time: as asked for, or as many as suit the engine, at most
 * a unit. */
static size_t batch_of(const hb_plan_requirements *requirements, const hb_session *session)
{
    const uint64_t unit = requirements->header->unit;
    const size_t batch =
        requirements->batch > 0 ? requirements->batch : hb_unit_batch(session->engine, session->params, unit);
    const size_t whole = hb_workers_batch(batch, together_of(requirements));
    return batch < unit && whole < unit ? whole : (size_t)unit;
}

/* Host memory of the buffers: the kind's own count, or that of unit buffers and the cells beside them. */
static uint64_t host_bytes(const hb_plan_requirements *requirements, const hb_params *params, const hb_workers *workers)
{
    const hb_header *header = requirements->header;
    if (requirements->host_bytes != NULL) {
        return requirements->host_bytes(requirements->context, params, workers);
    }
    const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units);
    uint64_t bytes = hb_unit_buffers_bytes(params, header, buffers, requirements->values, requirements->cells);
    if (requirements->values || requirements->cells) { /* the rectangles of hb_cells */
        bytes += workers->files * header->unit * header->capacity * sizeof(uint64_t);
    }
    return bytes;
}

/* The memory of a rank on a CPU, with the workers that were chosen. */
typedef struct planned_rank {
    const hb_plan_requirements *requirements;
    const hb_workers *workers;
} planned_rank;

/* Returns its bytes, with limbs divided as they are in `params`. */
static uint64_t rank_bytes(const void *context, const hb_params *params)
{
    const planned_rank *rank = context;
    const hb_plan_requirements *requirements = rank->requirements;
    const uint64_t worker = hb_device_queue_bytes(requirements->device, params) +
                            requirements->worker_bytes(requirements->context, params, rank->workers->batch);
    return hb_device_table_bytes(requirements->device, params) + fixed_bytes(requirements, params) +
           rank->workers->count * worker + host_bytes(requirements, params, rank->workers);
}

/* Refuses what the host has too little memory for. The reason names the ways out. Limbs may be divided over the ranks
 * that there are, or, where there is one, over ranks of several hosts. */
static hb_status require_host(const hb_plan *plan, const hb_session *session, const hb_plan_requirements *requirements)
{
    const hb_group *group = session->grid.all;
    const uint64_t share = hb_machine_memory_left((uint32_t)group->node_size);
    if (plan->host_bytes <= share) {
        return HB_OK;
    }
    const planned_rank rank = {requirements, &plan->workers};
    const hb_limb_requirements limbs = {.rank_bytes = rank_bytes, .context = &rank};
    const hb_limb_advice advice =
        hb_limb_advise(session->params, &limbs, share, group->size > 1 ? (uint32_t)group->size : 0);
    const bool several = plan->workers.count > 1 || plan->workers.files > 1;
    return HB_FAIL(HB_ENOMEM, "this needs %s of memory a rank, and a rank of this host has %s: %s%s%s%s%s",
                   hb_human_bytes((double)plan->host_bytes).text, hb_human_bytes((double)share).text,
                   group->node_size > 1 ? "start fewer ranks on a host" : "take a host with more",
                   several ? " or use fewer --queues and --io-threads" : "", advice.text[0] != '\0' ? ", or " : "",
                   advice.text, advice.text[0] != '\0' && group->size == 1 ? ", on hosts of their own" : "");
}

hb_status hb_plan_memory(hb_plan *plan, const hb_session *session, const hb_plan_requirements *requirements)
{
    const hb_device *device = requirements->device;
    plan->limbs = hb_plan_limbs_of(session);
    plan->device = device;
    /* The unit size comes from a file, and later code multiplies it without a check for overflow. */
    if (plan->header->unit > most_unit_bytes / plan->ciphertext_bytes) {
        return HB_FAIL(HB_ENOMEM, "no memory for units of %" PRIu64 " ciphertexts", plan->header->unit);
    }
    const session_worker worker = {session, requirements};
    const hb_worker_requirements worker_requirements = {.units = plan->rank_units,
                                                        .batch = batch_of(requirements, session),
                                                        .together = together_of(requirements),
                                                        .in_order = requirements->in_order,
                                                        .fixed_bytes = fixed_bytes(requirements, session->params),
                                                        .worker_bytes = worker_bytes,
                                                        .context = &worker};
    HB_TRY(hb_workers_choose(&plan->workers, session, device, &worker_requirements));
    /* After the workers, whose number decides how many buffers there are. */
    plan->host_bytes = host_bytes(requirements, session->params, &plan->workers);
    /* The CPU engine's memory is the host's. */
    if (device->gpu) {
        plan->device_bytes = plan->workers.bytes;
        plan->device_limit = device->memory;
    } else {
        plan->host_bytes += plan->workers.bytes;
    }
    return device->gpu || requirements->refuses ? HB_OK : require_host(plan, session, requirements);
}

/* Returns the bytes of a rank with one worker and one ciphertext at a time, or as many as must be together; on a CPU,
 * whose memory is the host's, with the buffers of units. */
static uint64_t least_bytes(const void *context, const hb_params *params)
{
    const hb_plan_requirements *requirements = context;
    const uint64_t units = hb_header_units(requirements->header);
    const hb_workers one = {.count = 1, .files = 1, .units = units > 0 ? units : 1, .batch = together_of(requirements)};
    return hb_device_table_bytes(requirements->device, params) + hb_device_queue_bytes(requirements->device, params) +
           fixed_bytes(requirements, params) + requirements->worker_bytes(requirements->context, params, one.batch) +
           (requirements->device->gpu ? 0 : host_bytes(requirements, params, &one));
}

static hb_work work_of(const void *context, uint32_t groups)
{
    const hb_plan_requirements *requirements = context;
    return requirements->work(requirements->context, groups);
}

hb_limb_requirements hb_plan_limb_requirements(const hb_plan_requirements *requirements)
{
    return (hb_limb_requirements){least_bytes, work_of, requirements};
}

hb_status hb_plan_refuse(const hb_session *session, const hb_plan_requirements *requirements, hb_status failed)
{
    const hb_limb_requirements limbs = hb_plan_limb_requirements(requirements);
    const uint64_t memory = requirements->device->memory;
    if (failed != HB_ENOMEM || !requirements->device->gpu || least_bytes(requirements, session->params) <= memory) {
        return failed;
    }
    const hb_limb_advice advice = hb_limb_advise(session->params, &limbs, memory, 0);
    return advice.text[0] != '\0' ? HB_FAIL(failed, "%s, or %s", hb_last_error()->text, advice.text) : failed;
}

uint64_t hb_plan_file_bytes(const hb_header *header, uint64_t parts)
{
    /* Sums stand in the shard and in the index. */
    return header->ciphertexts * hb_header_ciphertext_bytes(header) + (parts + 1) * part_overhead +
           2 * hb_header_units(header) * HB_DIGEST_BYTES;
}

hb_status hb_plan_space(const char *output, uint64_t bytes, uint64_t *free_bytes)
{
    HB_TRY(hb_free_bytes(output, free_bytes));
    if (bytes > *free_bytes) {
        return HB_FAIL(HB_EIO, "%s needs %s, but only %s are free there", output, hb_human_bytes((double)bytes).text,
                       hb_human_bytes((double)*free_bytes).text);
    }
    return HB_OK;
}

hb_status hb_plan_output(hb_plan *plan, uint64_t bytes, const char *output)
{
    plan->output_bytes = bytes;
    return hb_plan_space(output, bytes, &plan->free_bytes);
}

static double ratio(uint64_t a, uint64_t b)
{
    return b > 0 ? (double)a / (double)b : 0;
}

void hb_plan_print_device(const hb_plan *plan, const hb_group *group, const hb_common *common, bool results)
{
    hb_workers_print(&plan->workers, plan->device, group, common, results);
}

/* --- the predicted time */

static const char *const part_names[HB_PARTS] = {
    "start", "driver",  "tables", "check",   "exchange", "inputs", "keys", "output", "memory", "diagonals",
    "read",  "arrange", "upload", "compute", "download", "write",  "fill", "totals", "commit"};

static bool is_in_loop(int part)
{
    return part >= HB_PART_LOOP_FIRST && part <= HB_PART_LOOP_LAST;
}

json_t *hb_plan_time_json(const hb_plan *plan)
{
    const hb_prediction *prediction = &plan->predicted;
    hb_time_part bound;
    json_t *parts = json_object();
    bool good = parts != NULL;
    for (int i = 0; i < HB_PARTS; i++) {
        good = good && json_object_set_new(parts, part_names[i], json_real(prediction->part[i])) == 0;
    }
    if (!good) {
        json_decref(parts);
        return NULL;
    }
    const double loop = hb_prediction_loop(prediction, &bound);
    return json_pack("{s:o, s:f, s:s, s:f}", "parts", parts, "loop", loop, "bound", part_names[bound], "total",
                     hb_prediction_total(prediction));
}

/* A list of parts that are a hundredth of the whole or more. */
typedef struct part_list {
    double least;
    char text[400];
    size_t length;
} part_list;

static void add_part(part_list *list, const char *name, double seconds)
{
    const size_t left = sizeof list->text - list->length;
    if (seconds < list->least) {
        return;
    }
    const int more = snprintf(list->text + list->length, left, "%s%s %s", list->length > 0 ? ", " : "", name,
                              hb_human_seconds(seconds).text);
    list->length += more > 0 && (size_t)more < left ? (size_t)more : 0;
}

void hb_plan_print_time(const hb_plan *plan, const hb_group *group, const hb_common *common, bool results)
{
    static const char *const words[HB_PARTS] = {
        [HB_PART_READ] = "reading",      [HB_PART_ARRANGE] = "arranging cells", [HB_PART_UPLOAD] = "uploading",
        [HB_PART_COMPUTE] = "computing", [HB_PART_DOWNLOAD] = "downloading",    [HB_PART_WRITE] = "writing"};
    const hb_speaker say = hb_console_speaker(results);
    const hb_prediction *p = &plan->predicted;
    hb_time_part bound;
    const double total = hb_prediction_total(p), loop = hb_prediction_loop(p, &bound);
    const double shown = 0.005; /* seconds: less reads 0.00 */
    part_list list = {.least = total / 100 > shown ? total / 100 : shown};
    char name[48];
    if (total <= 0) {
        return;
    }
    snprintf(name, sizeof name, "loop (bound by %s)", words[bound]);
    for (int i = 0; i < HB_PARTS; i++) {
        if (!is_in_loop(i)) {
            add_part(&list, part_names[i], p->part[i]);
        } else if (i == HB_PART_LOOP_FIRST) {
            add_part(&list, name, loop);
        }
    }
    say(group, common, "time         about %s%s%s", hb_human_about(total).text, list.length > 0 ? ": " : "", list.text);
}

void hb_plan_print(const hb_plan *plan, const hb_group *group, const hb_common *common, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    const hb_header *header = plan->header;
    say(group, common, "table        %s, %s",
        hb_human_table(header->schema.rows, hb_schema_shown(&header->schema)).text,
        hb_human_bytes((double)plan->table_bytes).text);
    char residues[64] = "";
    if (plan->residues > 1) {
        snprintf(residues, sizeof residues, " for each of %" PRIu32 " plain moduli", plan->residues);
    }
    say(group, common, "ciphertexts  %" PRIu64 " of %" PRIu64 " bytes%s, %s", header->ciphertexts,
        plan->ciphertext_bytes, residues, hb_human_bytes((double)plan->stored_bytes).text);
    say(group, common, "expansion    %.2f times, %.2f bytes a value", ratio(plan->stored_bytes, plan->table_bytes),
        ratio(plan->stored_bytes, plan->values));
    say(group, common, "units        %" PRIu64 " (ciphertexts in each: %" PRIu64 "; shards: %" PRIu64 ")", plan->units,
        header->unit, plan->parts);
    say(group, common, "ranks        %" PRIu64 ", each%s at most %s, %s%s, %s", plan->ranks,
        plan->limbs.ranks > 1 ? " group" : "", hb_human_things(plan->rank_units, "unit").text,
        hb_human_things(plan->rank_ciphertexts, "ciphertext").text, residues,
        hb_human_bytes((double)plan->rank_ciphertexts * (double)plan->ciphertext_bytes * plan->residues).text);
    hb_plan_limbs_print(&plan->limbs, group, common, results);
    hb_plan_print_device(plan, group, common, results);
    say(group, common, "memory       %s of buffers a rank", hb_human_bytes((double)plan->host_bytes).text);
    if (plan->device_limit > 0) {
        say(group, common, "GPU memory   %s of %s a rank, %s at a time",
            hb_human_bytes((double)plan->device_bytes).text, hb_human_bytes((double)plan->device_limit).text,
            hb_human_things(plan->workers.batch, "ciphertext").text);
    }
    /* Jobs that only check write nothing. */
    if (plan->output_bytes > 0) {
        say(group, common, "disk         %s to write, %s free", hb_human_bytes((double)plan->output_bytes).text,
            hb_human_bytes((double)plan->free_bytes).text);
    }
    hb_plan_print_time(plan, group, common, results);
}

json_t *hb_plan_json(const hb_plan *plan)
{
    const hb_header *header = plan->header;
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:I, s:o}",
        "rows", (json_int_t)header->schema.rows, "columns", (json_int_t)header->schema.columns, "values",
        (json_int_t)plan->values, "table_bytes", (json_int_t)plan->table_bytes, "ciphertexts",
        (json_int_t)header->ciphertexts, "ciphertext_bytes", (json_int_t)plan->ciphertext_bytes, "stored_bytes",
        (json_int_t)plan->stored_bytes, "expansion", ratio(plan->stored_bytes, plan->table_bytes), "bytes_per_value",
        ratio(plan->stored_bytes, plan->values), "units", (json_int_t)plan->units, "unit_ciphertexts",
        (json_int_t)header->unit, "shards", (json_int_t)plan->parts, "rank_units", (json_int_t)plan->rank_units,
        "rank_ciphertexts", (json_int_t)plan->rank_ciphertexts, "rank_host_bytes", (json_int_t)plan->host_bytes,
        "rank_device_bytes", (json_int_t)plan->device_bytes, "queues", (json_int_t)plan->workers.count, "io_threads",
        (json_int_t)plan->workers.files, "batch_ciphertexts", (json_int_t)plan->workers.batch, "output_bytes",
        (json_int_t)plan->output_bytes, "free_bytes", (json_int_t)plan->free_bytes, "predicted",
        hb_plan_time_json(plan));
}
