#include "prediction.h"

#include <math.h>

/* Rates of a host on which the core of reference is (speed.c), as the reports of jobs have them: CSV and HDF5 from
 * memory, files on a disk that the system writes beside the job, and memory that is touched for the first time. */
static const double text_byte_seconds = 8e-9; /* of a core: a byte of a CSV */
static const double cell_seconds = 12e-9;     /* of a core */
static const double printed_cell_seconds = 40e-9, printed_real_seconds = 750e-9;
static const double read_rate = 4e9, write_rate = 2.4e9;            /* bytes of a thread */
static const double disk_rate = 2.2e9, sync_rate = 3.8e9;           /* bytes of all threads */
static const double key_thread_rate = 0.8e9, key_rate = 7e9;        /* bytes of a thread, of all threads ... */
static const double key_load_rate = 6.5e9;                          /* ... and of a GPU that takes them */
static const double touch_rate = 6e9, lock_rate = 2.7e9;            /* bytes; where a GPU has them locked */
static const double link_rate = 50e9;                               /* bytes each way between host and GPU */
static const double dataset_seconds = 0.015, table_seconds = 0.004; /* making one, or giving it its name */
static const double gpu_memory_seconds = 0.02;                      /* its queues, and the first allocations */
static const double maps_seconds = 0.9;                             /* maps of bootstrapping for a GPU */

static double at_least_1(double x)
{
    return x > 1 ? x : 1;
}

/* Seconds of computing; of what comes from ranks that share limbs; and of the starts of its transfers. */
typedef struct times {
    double compute, bytes, starts;
} times;

/* A rank computes with its share of the limbs, and starts as many kernels as one that has all of them. */
static times parts_of(const hb_cost *cost, const hb_speed *speed)
{
    const double share = speed->share > 0 ? speed->share : 1;
    times s = {0, 0, 0};
    for (int k = 0; k < HB_COST_KINDS; k++) {
        const double of = cost->of[k] * speed->each.of[k];
        if (!hb_cost_is_exchange((hb_cost_kind)k)) {
            s.compute += k == HB_COST_LAUNCHES ? of : share * of;
        } else if (k == HB_COST_TRANSFERS) {
            s.starts += of;
        } else {
            s.bytes += of;
        }
    }
    return s;
}

/* Transfers of which each half takes longer than a start go in two (hb_exchange_halves). */
static double together(times s, double visible)
{
    const bool halves = s.bytes > 2 * s.starts;
    return hb_speed_beside(s.compute, s.bytes + (halves ? 2 : 1) * s.starts, visible);
}

static double seconds_of(const hb_cost *cost, const hb_speed *speed)
{
    return together(parts_of(cost, speed), speed->visible);
}

/* Returns how many items are computed at a time. */
static double batch_of(const hb_work *work, const hb_speed *speed)
{
    const double share = speed->share > 0 ? speed->share : 1;
    const double limb = (double)work->params->spec.n * sizeof(uint64_t) * work->params->key_limbs * share;
    const double items = at_least_1(work->items), units = at_least_1(work->units);
    const double suits = speed->batch_bytes > 0 ? at_least_1(floor((double)speed->batch_bytes / limb)) : items / units;
    return at_least_1(fmin(work->batch > 0 ? work->batch : suits, items));
}

/* The computing of the loop, in batches: what is done once for a batch is done once for all of its items. */
static double computing_seconds(const hb_work *work, const hb_speed *speed)
{
    const double batch = batch_of(work, speed);
    hb_cost cost = work->loop;
    cost.of[HB_COST_ONCE] /= batch;
    cost.of[HB_COST_TRANSFERS] /= batch;
    cost.of[HB_COST_LAUNCHES] /= batch * at_least_1(speed->workers); /* each queue waits by itself */
    return seconds_of(&cost, speed);
}

/* Returns the share of bytes that a rank reads or writes of its own: of limbs, where ranks share them. */
static double limbs_share(bool of_limbs, const hb_speed *speed)
{
    return of_limbs && speed->share > 0 ? speed->share : 1;
}

static double key_seconds(const hb_work *work, const hb_speed *speed)
{
    const double threads = at_least_1(speed->key_threads), bytes = limbs_share(true, speed) * work->key_bytes;
    const double rate = fmin(threads * key_thread_rate / speed->core, key_rate);
    const double read = bytes / rate, prepared = seconds_of(&work->keys, speed);
    if (!speed->gpu) {
        /* Ranks that share limbs exchange in one thread. */
        return read + prepared / (speed->share > 0 ? 1 : fmin(threads, at_least_1(speed->processors)));
    }
    /* Reading began before the GPU was opened. */
    return fmax(read - speed->driver, bytes / key_load_rate) + prepared;
}

/* The parts that are done again for each plain modulus. */
static void fill_parts(const hb_work *work, const hb_speed *speed, double *part)
{
    const double file = work->arranges_last ? table_seconds : dataset_seconds;
    const double in = limbs_share(work->limbs.read, speed), out = limbs_share(work->limbs.written, speed);
    part[HB_PART_OUTPUT] = file;
    part[HB_PART_MEMORY] =
        speed->gpu ? work->buffer_bytes / lock_rate + gpu_memory_seconds : work->buffer_bytes / touch_rate;
    part[HB_PART_READ] = in * work->file_bytes / read_rate;
    part[HB_PART_ARRANGE] = work->cells * cell_seconds * speed->core;
    part[HB_PART_UPLOAD] = speed->gpu ? in * work->upload_bytes / link_rate : 0;
    part[HB_PART_COMPUTE] = computing_seconds(work, speed);
    part[HB_PART_DOWNLOAD] = speed->gpu ? out * work->download_bytes / link_rate : 0;
    part[HB_PART_WRITE] = out * work->written_bytes / write_rate;
    part[HB_PART_TOTALS] = seconds_of(&work->totals, speed);
    part[HB_PART_COMMIT] = file + (work->on_disk ? work->written_bytes / sync_rate : 0);
}

hb_batch_times hb_predict_batch(const hb_work *work, const hb_speed *speed)
{
    static const double enough = 256 << 20; /* bytes of a batch: with more an engine is no faster */
    const double items = at_least_1(work->items), limbs = 2.0 * work->params->data_limbs;
    const double share = limbs_share(true, speed), in = limbs_share(work->limbs.read, speed),
                 out = limbs_share(work->limbs.written, speed);
    hb_cost once = {{0}}, each = work->loop;
    const hb_cost_kind kinds[] = {HB_COST_ONCE, HB_COST_TRANSFERS, HB_COST_LAUNCHES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        once.of[kinds[i]] = each.of[kinds[i]];
        each.of[kinds[i]] = 0;
    }
    once.of[HB_COST_LAUNCHES] /= at_least_1(speed->workers);
    const double read = in * work->file_bytes / items, write = out * work->written_bytes / items;
    return (hb_batch_times){.compute = seconds_of(&each, speed) / items,
                            .once = seconds_of(&once, speed) / items,
                            .move = fmax(read, write) / link_rate,
                            .read = read / read_rate,
                            .write = write / write_rate,
                            .memory = (read + write) / lock_rate,
                            .enough = enough / (limbs * share * (double)work->params->spec.n * sizeof(uint64_t))};
}

hb_prediction hb_predict(const hb_work *work, const hb_speed *speed, hb_spent spent)
{
    const double residues = at_least_1(work->residues), units = at_least_1(work->units) * residues;
    hb_prediction p = {.files = at_least_1(speed->files),
                       .processors = at_least_1(speed->processors),
                       .disk = work->on_disk ? residues * work->written_bytes / disk_rate : 0,
                       .queues = speed->gpu ? at_least_1(speed->workers) : 1,
                       .arranges_last = work->arranges_last,
                       .queues_write = work->queues_write,
                       .gpu = speed->gpu};
    fill_parts(work, speed, p.part);
    for (int i = 0; i < HB_PARTS; i++) {
        p.part[i] *= residues;
    }
    /* A table of text is read, or written, once for all moduli. */
    p.part[HB_PART_READ] += work->text_bytes * text_byte_seconds * speed->core;
    p.part[HB_PART_COMMIT] +=
        (work->printed_cells * printed_cell_seconds + work->printed_reals * printed_real_seconds) * speed->core;
    /* Computing is no part of it where it is the slowest, and else it is short. */
    p.part[HB_PART_FILL] = (p.part[HB_PART_READ] + p.part[HB_PART_ARRANGE] + p.part[HB_PART_UPLOAD] +
                            p.part[HB_PART_DOWNLOAD] + p.part[HB_PART_WRITE]) /
                           units;
    p.part[HB_PART_START] = spent.start;
    p.part[HB_PART_INPUTS] = spent.inputs;
    p.part[HB_PART_DRIVER] = speed->gpu ? speed->driver : 0;
    p.part[HB_PART_TABLES] = speed->tables;
    p.part[HB_PART_CHECK] = speed->check;
    p.part[HB_PART_EXCHANGE] = speed->opening;
    p.part[HB_PART_KEYS] = key_seconds(work, speed);
    p.part[HB_PART_DIAGONALS] =
        seconds_of(&work->diagonals, speed) + (speed->gpu && work->bootstraps ? maps_seconds : 0);
    return p;
}

/* The threads of a stage do both parts, one after another. */
static void consider(const hb_prediction *p, hb_time_part a, hb_time_part b, double threads, double *most,
                     hb_time_part *bound)
{
    const double of_b = a != b ? p->part[b] : 0, seconds = (p->part[a] + of_b) / threads;
    if (seconds > *most) {
        *most = seconds;
        *bound = p->part[a] >= of_b ? a : b;
    }
}

/* A stage has threads, the queues of a GPU do different things at a time, and all threads have the processors of the
 * rank. */
double hb_prediction_loop(const hb_prediction *p, hb_time_part *bound)
{
    const hb_time_part reads = p->arranges_last ? HB_PART_READ : HB_PART_ARRANGE,
                       writes = p->arranges_last ? HB_PART_ARRANGE : HB_PART_WRITE;
    double most = 0;
    *bound = HB_PART_COMPUTE;
    consider(p, HB_PART_COMPUTE, HB_PART_COMPUTE, 1, &most, bound);
    consider(p, HB_PART_UPLOAD, HB_PART_UPLOAD, 1, &most, bound);
    consider(p, HB_PART_DOWNLOAD, HB_PART_DOWNLOAD, 1, &most, bound);
    consider(p, HB_PART_READ, reads, p->files, &most, bound);
    if (p->queues_write) {
        consider(p, HB_PART_COMPUTE, HB_PART_WRITE, p->queues, &most, bound);
    } else {
        consider(p, HB_PART_WRITE, writes, p->files, &most, bound);
    }
    if (p->disk > most) {
        most = p->disk;
        *bound = HB_PART_WRITE;
    }
    const double host = p->part[HB_PART_READ] + p->part[HB_PART_ARRANGE] + p->part[HB_PART_WRITE] +
                        (p->gpu ? 0 : p->part[HB_PART_COMPUTE]);
    return fmax(most, host / p->processors) + p->part[HB_PART_FILL];
}

double hb_prediction_total(const hb_prediction *p)
{
    hb_time_part bound;
    double total = hb_prediction_loop(p, &bound);
    for (int i = 0; i < HB_PARTS; i++) {
        total += i < HB_PART_LOOP_FIRST || i > HB_PART_LOOP_LAST ? p->part[i] : 0;
    }
    return total;
}
