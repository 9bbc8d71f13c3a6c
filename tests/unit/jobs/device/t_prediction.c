/* The time of a whole job by given rates: its parts, their sum, and what the loop waits for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/seed.h"
#include "device/prediction.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_params *params;

static int open_params(void **state)
{
    (void)state;
    hb_params_spec spec;
    return hb_seed_start() != HB_OK || hb_params_preset("bfv-8192", &spec) != HB_OK ||
           hb_params_open(&spec, &params) != HB_OK;
}

static int close_params(void **state)
{
    (void)state;
    hb_params_close(params);
    return 0;
}

/* A core and a GPU without any measuring. */
static hb_speed core(void)
{
    return (hb_speed){.each = {{[HB_COST_TRANSFORMS] = 20e-6, [HB_COST_WORDS] = 5e-6, [HB_COST_DIGESTS] = 60e-6}},
                      .core = 1,
                      .tables = 0.01,
                      .workers = 1,
                      .files = 2,
                      .processors = 8,
                      .key_threads = 4};
}

static const hb_cuda_device card = {
    .major = 9, .multiprocessors = 132, .clock = 1.98e9, .bandwidth = 4e12, .fast_f64 = true};

static hb_speed gpu(void)
{
    hb_speed speed = core();
    speed.driver = 0.2;
    hb_speed_of_gpu(params, &card, false, &speed);
    return speed;
}

/* Something of everything. */
static hb_work all_of_it(void)
{
    return (hb_work){.params = params,
                     .residues = 1,
                     .units = 10,
                     .items = 1000,
                     .batch = 10,
                     .loop = {{[HB_COST_TRANSFORMS] = 1e6,
                               [HB_COST_WORDS] = 1e6,
                               [HB_COST_DIGESTS] = 1e5,
                               [HB_COST_DRAWS] = 1e4,
                               [HB_COST_CONVERSIONS] = 1e6,
                               [HB_COST_ONCE] = 1e5,
                               [HB_COST_LAUNCHES] = 1e4}},
                     .totals = {{[HB_COST_TRANSFORMS] = 1e4}},
                     .keys = {{[HB_COST_WORDS] = 1e3}},
                     .diagonals = {{[HB_COST_TRANSFORMS] = 1e3}},
                     .key_bytes = 1e10,
                     .text_bytes = 1e8,
                     .file_bytes = 1e9,
                     .cells = 1e7,
                     .printed_cells = 1e6,
                     .printed_reals = 1e5,
                     .written_bytes = 1e9,
                     .upload_bytes = 1e9,
                     .download_bytes = 1e9,
                     .on_disk = true,
                     .bootstraps = true,
                     .buffer_bytes = 1e9};
}

static double total(const hb_work *work, const hb_speed *speed)
{
    const hb_prediction p = hb_predict(work, speed, (hb_spent){0.1, 0.2});
    return hb_prediction_total(&p);
}

/* Each part is there, and the whole is the loop and the parts around it. */
static void parts_sum_up(void **state)
{
    (void)state;
    hb_speed speeds[] = {core(), gpu()};
    const hb_work work = all_of_it();
    speeds[1].check = 0.3;
    for (int s = 0; s < 2; s++) {
        const hb_prediction p = hb_predict(&work, &speeds[s], (hb_spent){0.1, 0.2});
        hb_time_part bound;
        double sum = hb_prediction_loop(&p, &bound);
        assert_true(bound >= HB_PART_READ && bound < HB_PART_FILL);
        for (int i = 0; i < HB_PARTS; i++) {
            const bool of_gpu =
                i == HB_PART_DRIVER || i == HB_PART_CHECK || i == HB_PART_UPLOAD || i == HB_PART_DOWNLOAD;
            const bool of_limbs = i == HB_PART_EXCHANGE; /* which are not divided here */
            assert_true((of_gpu && s == 0) || of_limbs ? p.part[i] == 0 : p.part[i] > 0);
            sum += i < HB_PART_LOOP_FIRST || i > HB_PART_LOOP_LAST ? p.part[i] : 0;
        }
        assert_true(p.part[HB_PART_START] == 0.1 && p.part[HB_PART_INPUTS] == 0.2);
        assert_true(fabs(sum - hb_prediction_total(&p)) < 1e-9 * sum);
    }
}

/* More of anything takes no less time, and more of what a part is made of takes more. */
static void more_takes_longer(void **state)
{
    (void)state;
    const hb_speed speeds[] = {core(), gpu()};
    for (int s = 0; s < 2; s++) {
        hb_work work = all_of_it();
        double last = total(&work, &speeds[s]);
        double *const amounts[] = {&work.loop.of[HB_COST_TRANSFORMS],
                                   &work.totals.of[HB_COST_TRANSFORMS],
                                   &work.diagonals.of[HB_COST_TRANSFORMS],
                                   &work.key_bytes,
                                   &work.printed_cells,
                                   &work.printed_reals,
                                   &work.written_bytes,
                                   &work.buffer_bytes};
        for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
            *amounts[i] *= 100;
            const double now = total(&work, &speeds[s]);
            assert_true(now > last);
            last = now;
        }
        work.residues = 3;
        assert_true(total(&work, &speeds[s]) > last);
        work.residues = 1;
        work.batch = 1000; /* keys are read and kernels started less often */
        assert_true(total(&work, &speeds[s]) <= last);
    }
}

static void assert_bound(hb_work work, hb_time_part wanted)
{
    const hb_speed speed = gpu();
    const hb_prediction p = hb_predict(&work, &speed, (hb_spent){0, 0});
    hb_time_part bound;
    const double loop = hb_prediction_loop(&p, &bound);
    assert_int_equal(bound, wanted);
    assert_true(loop >= p.part[HB_PART_FILL]);
}

/* The loop is as slow as its slowest stage. */
static void slowest_stage(void **state)
{
    (void)state;
    const hb_work none = {.params = params, .units = 10, .items = 10};
    hb_work work = none;
    work.loop.of[HB_COST_TRANSFORMS] = 1e9;
    assert_bound(work, HB_PART_COMPUTE);
    work.file_bytes = 1e13;
    assert_bound(work, HB_PART_READ);
    work.cells = 1e13;
    assert_bound(work, HB_PART_ARRANGE);
    work = none;
    work.upload_bytes = 1e12;
    assert_bound(work, HB_PART_UPLOAD);
    work.download_bytes = 1e13;
    assert_bound(work, HB_PART_DOWNLOAD);
    work.written_bytes = 1e13;
    assert_bound(work, HB_PART_WRITE);
    /* Two threads write at most twice as fast, and a disk not even that. */
    work = none;
    work.written_bytes = 1e12;
    const hb_speed one = {.gpu = true, .core = 1, .files = 1, .processors = 9},
                   two = {.gpu = true, .core = 1, .files = 2, .processors = 9};
    const double in_memory = total(&work, &two);
    assert_true(in_memory < total(&work, &one) && 2 * in_memory > total(&work, &one));
    work.on_disk = true;
    assert_true(total(&work, &two) > in_memory);
}

/* A faster GPU is faster by what it is better at; integers take longer there than FP64. */
static void faster_gpus(void **state)
{
    (void)state;
    const hb_speed reference = gpu();
    hb_speed other = core();
    hb_cuda_device changed = card;
    changed.bandwidth *= 2;
    hb_speed_of_gpu(params, &changed, false, &other);
    assert_true(other.each.of[HB_COST_WORDS] * 2 == reference.each.of[HB_COST_WORDS]);
    assert_true(other.each.of[HB_COST_CONVERSIONS] == reference.each.of[HB_COST_CONVERSIONS]);
    assert_true(other.each.of[HB_COST_TRANSFORMS] < reference.each.of[HB_COST_TRANSFORMS]);
    changed = card;
    changed.multiprocessors /= 2;
    hb_speed_of_gpu(params, &changed, true, &other);
    assert_true(other.each.of[HB_COST_CONVERSIONS] == 2 * reference.each.of[HB_COST_CONVERSIONS]);
    assert_true(other.check > 0 && reference.check == 0);
    changed = card;
    changed.fast_f64 = false;
    hb_speed_of_gpu(params, &changed, false, &other);
    assert_true(other.each.of[HB_COST_TRANSFORMS] > reference.each.of[HB_COST_TRANSFORMS]);
    changed.major = 8;
    changed.fast_f64 = true; /* half as many units */
    hb_speed_of_gpu(params, &changed, false, &other);
    assert_true(other.each.of[HB_COST_TRANSFORMS] > reference.each.of[HB_COST_TRANSFORMS]);
    const hb_cuda_device unknown = {.index = 0};
    hb_speed_of_gpu(params, &unknown, false, &other);
    for (int k = 0; k < HB_COST_KINDS; k++) {
        assert_true(isfinite(other.each.of[k]));
    }
}

/* A core is measured, and every kind of work takes time there that it does. */
static void measured_core(void **state)
{
    (void)state;
    hb_speed speed;
    assert_int_equal(hb_speed_of_core(params, (hb_speed_share){.workers = 2, .files = 3, .ranks = 1}, &speed), HB_OK);
    assert_true(speed.core > 0 && speed.tables > 0 && speed.workers == 2 && speed.files == 3);
    assert_true(speed.processors >= 1 && speed.key_threads >= 2);
    for (int k = 0; k < HB_COST_KINDS; k++) {
        const bool free = k == HB_COST_CORE || k == HB_COST_LAUNCHES || hb_cost_is_exchange((hb_cost_kind)k);
        assert_true(free ? speed.each.of[k] == 0 : speed.each.of[k] > 0);
    }
}

/* By hand: two ranks that share 4 limbs compute half, start as many kernels, and wait for all that comes, or for
 * the share of it that shows beside computing. */
static void shared_limbs(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *own;
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &own), HB_OK);
    assert_int_equal(own->fresh_limbs, 4);
    hb_exchange_cost cost = {.start = {1e-4, 3e-4, 0}, .byte = {1e-9, 2e-9, 0}, .visible = 1};
    const double limb = 8192 * 8, bytes = 100 * limb * (3 * 1e-9 + 2 * 2e-9), starts = 100 * 2e-4;
    hb_work work = {.params = own, .items = 100, .units = 100, .batch = 1};
    work.loop = (hb_cost){
        {[HB_COST_TRANSFORMS] = 100e4, [HB_COST_GATHERED] = 300, [HB_COST_SLICED] = 200, [HB_COST_TRANSFERS] = 100}};
    hb_speed speed = {.each = {{[HB_COST_TRANSFORMS] = 1e-6}}, .core = 1};
    hb_speed_divide(own, &cost, true, &speed);
    assert_true(speed.share == 0 && speed.opening == 0); /* nothing is divided yet */
    assert_int_equal(hb_params_divide(own, 2), HB_OK);
    hb_speed_divide(own, &cost, true, &speed);
    assert_true(speed.share == 0.5 && speed.opening > 0 && speed.visible == 1 && speed.workers == 1);
    const double over_mpi = speed.opening;
    const double halves = bytes > 2 * starts ? 2 : 1;
    hb_prediction p = hb_predict(&work, &speed, (hb_spent){0});
    assert_true(fabs(p.part[HB_PART_COMPUTE] - (0.5 + bytes + halves * starts)) < 1e-9);
    /* Which exchange it is does not follow from what shows of it. */
    cost.visible = 0.25;
    hb_speed_divide(own, &cost, true, &speed);
    assert_true(speed.opening == over_mpi && speed.workers == 1 && speed.visible == 0.25);
    hb_speed_divide(own, &cost, false, &speed);
    assert_true(speed.opening > over_mpi);
    work.batch = 10; /* fewer starts: so transfers go in halves */
    p = hb_predict(&work, &speed, (hb_spent){0});
    assert_true(fabs(p.part[HB_PART_COMPUTE] - (0.5 + 0.25 * (bytes + 2 * starts / 10))) < 1e-9);
    /* Each reads its own limbs, and all of a table. */
    work.file_bytes = work.written_bytes = 1e9;
    work.limbs.read = true;
    const double table = p.part[HB_PART_WRITE];
    p = hb_predict(&work, &speed, (hb_spent){0});
    assert_true(table == 0 && p.part[HB_PART_READ] > 0 && p.part[HB_PART_WRITE] > 0);
    const double half = p.part[HB_PART_READ], whole_written = p.part[HB_PART_WRITE];
    work.limbs.read = false;
    work.limbs.written = true;
    p = hb_predict(&work, &speed, (hb_spent){0});
    assert_true(fabs(p.part[HB_PART_READ] - 2 * half) < 1e-9 && fabs(2 * p.part[HB_PART_WRITE] - whole_written) < 1e-9);
    hb_params_close(own);
}

HB_UNIT(prediction)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_sum_up),  cmocka_unit_test(more_takes_longer),
                                       cmocka_unit_test(slowest_stage), cmocka_unit_test(faster_gpus),
                                       cmocka_unit_test(measured_core), cmocka_unit_test(shared_limbs)};
    return cmocka_run_group_tests(tests, open_params, close_params);
}
