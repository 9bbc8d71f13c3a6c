/* Programs written by hand, run on encrypted columns: results decrypt to those of the plain model, and have the same
 * bits for every split of the row blocks over batches and runners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/cost/program_cost.h"
#include "reference/engine_copy.h"
#include "reference/hand_program.h"
#include "unit/unit.h"

/* Slots of ciphertext `block` of an output. */
static void decrypt(fixture *f, uint32_t output, size_t block, uint32_t limbs, uint64_t *slots)
{
    const size_t words = (size_t)limbs * N;
    hb_decryptor *decryptor;
    hb_batch c0, c1;
    uint32_t budget = 0;
    const hb_batch plain = hb_batch_slice(f->fixture.plain, 0, 1), values = hb_batch_slice(f->fixture.values, 0, 1);
    assert_int_equal(hb_batch_alloc(f->engine, &c0, 1, limbs, f->params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(f->engine, &c1, 1, limbs, f->params->ids), HB_OK);
    memcpy(c0.data, f->out[output] + block * ciphertext_words, words * sizeof *slots);
    memcpy(c1.data, f->out[output] + block * ciphertext_words + words, words * sizeof *slots);
    assert_int_equal(hb_decryptor_open(f->engine, &f->fixture.secret, limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, c0, c0, c1), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, c0), HB_OK);
    assert_int_equal(hb_decode(f->fixture.codec, values, plain), HB_OK);
    memcpy(slots, values.data, N * sizeof *slots);
    assert_int_equal(hb_decryptor_measure(decryptor, &budget, c0), HB_OK);
    assert_true(budget > 0);
    hb_decryptor_close(decryptor);
    hb_batch_free(f->engine, &c0);
    hb_batch_free(f->engine, &c1);
}

/* Slot j of the block that begins at x, after rotating both rows to the left. */
static uint64_t rotated(const uint64_t *x, size_t j, size_t step)
{
    return x[j / (N / 2) * (N / 2) + (j + step) % (N / 2)];
}

static uint64_t total_of(const fixture *f)
{
    uint64_t sum = 7;
    for (size_t i = 0; i < f->program.rows; i++) {
        sum += f->slots[0][i];
    }
    return sum % T;
}

/* Constants are added in slots that hold rows alone. */
static uint64_t expected_of(const fixture *f, uint32_t output, size_t block, size_t j)
{
    const uint64_t *x = f->slots[0] + block * N;
    const uint64_t y = f->slots[1][block * N + j], w = f->slots[2][block * N + j], total = total_of(f);
    const bool row = block * N + j < f->program.rows;
    if (output == 0) {
        const uint64_t sum = x[j] * y + (row ? T - 3 : 0) + rotated(x, j, 1) + rotated(x, j, 2) + T - rotated(x, j, 3) +
                             T - x[(j + N / 2) % N];
        return (T - (5 * (sum % T * w + w) + T - w) % T) % T;
    }
    if (output == 2) {
        return (2 * total + T - x[j] + (row ? 7 : 0)) % T;
    }
    return output == 1 ? total : total * y % T;
}

static void programs_compute_what_they_say(void **state)
{
    fixture *f = *state;
    uint64_t slots[N];
    run(f, BLOCKS, 1);
    for (uint32_t output = 0; output < OUTPUTS; output++) {
        for (size_t block = 0; block < (output == 1 ? 1 : BLOCKS); block++) {
            decrypt(f, output, block, output == 0 ? LIMBS - 1 : LIMBS, slots);
            for (size_t j = 0; j < N; j++) {
                assert_int_equal(slots[j], expected_of(f, output, block, j));
            }
        }
    }
}

static void splits_change_no_bit(void **state)
{
    fixture *f = *state;
    uint64_t *first[OUTPUTS];
    run(f, BLOCKS, 1);
    for (size_t i = 0; i < OUTPUTS; i++) {
        first[i] = f->out[i];
        f->out[i] = calloc(BLOCKS * ciphertext_words, sizeof(uint64_t));
    }
    for (size_t batch = 1; batch <= BLOCKS; batch++) {
        for (size_t runners = 1; runners <= 2; runners++) {
            for (size_t i = 0; i < OUTPUTS; i++) {
                memset(f->out[i], 0, BLOCKS * ciphertext_words * sizeof(uint64_t));
            }
            run(f, batch, runners);
            for (size_t i = 0; i < OUTPUTS; i++) {
                assert_memory_equal(f->out[i], first[i], BLOCKS * ciphertext_words * sizeof(uint64_t));
            }
        }
    }
    for (size_t i = 0; i < OUTPUTS; i++) {
        free(first[i]);
    }
}

static void missing_keys_are_named(void **state)
{
    fixture *f = *state;
    const hb_switch_keys none = {0};
    const hb_runner_setting setting = {f->params, &none,        &f->program, 1,   {load, load_plain, store, f},
                                       NULL,      {NULL, NULL}, NULL,        NULL};
    hb_runner *runner;
    f->queue = f->engine;
    assert_int_equal(hb_runner_open(f->engine, &setting, NULL, &runner), HB_OK);
    assert_int_equal(hb_runner_rows(runner, 0, 0, 1), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "relinearization"));
    hb_runner_close(runner);
}

/* A queue that says whether additions were waited for: on a GPU they are still under way when the call returns. */
static engine_copy watched;
static const hb_engine_ops *unwatched;
static bool adding;

static hb_status watched_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    adding = true;
    return unwatched->ring->add(e, r, a, b);
}

static hb_status watched_finish(hb_engine *e)
{
    adding = false;
    return unwatched->finish(e);
}

/* Anyone who owns the sums that were added may clear them at once, on a queue of its own. */
static void sums_are_added_on_return(void **state)
{
    fixture *f = *state;
    const hb_switch_keys none = {0};
    const hb_runner_setting setting = {f->params, &none,        &f->program, 1,   {load, load_plain, store, f},
                                       NULL,      {NULL, NULL}, NULL,        NULL};
    hb_runner *runner, *more;
    assert_true(hb_pass_accumulates_any(&f->program.passes[0]));
    f->queue = f->engine;
    assert_int_equal(hb_runner_open(f->engine, &setting, NULL, &runner), HB_OK);
    assert_int_equal(hb_runner_open(f->engine, &setting, runner, &more), HB_OK);
    unwatched = f->engine->ops;
    engine_copy_of(&watched, unwatched);
    watched.ring.add = watched_add;
    watched.ops.finish = watched_finish;
    f->engine->ops = &watched.ops;
    assert_int_equal(hb_runner_add(runner, more, 0), HB_OK);
    f->engine->ops = unwatched;
    assert_false(adding);
    hb_runner_close(more);
    hb_runner_close(runner);
}

static uint32_t steps, ends;

/* Steps come in their order, and before the end of their instruction. */
static void add_work(void *context, uint64_t work, const hb_op_step *step)
{
    static double share;
    uint64_t *done = context;
    assert_false(adding);
    assert_true(work > 0 || step != NULL);
    if (step != NULL) {
        assert_true(step->name != NULL && step->done >= 1 && step->done <= step->of);
        assert_true(step->share > share && step->share <= 1);
    }
    ends += step == NULL && share > 0;
    share = step != NULL ? step->share : 0;
    steps += step != NULL;
    *done += work;
}

/* All passes come to the work that is predicted, to the last instruction, whatever the batch. */
static void count_all(fixture *f, size_t batch)
{
    uint64_t done = 0, predicted = 0;
    const hb_runner_setting setting = {f->params, &f->keys,          &f->program, batch, {load, load_plain, store, f},
                                       NULL,      {add_work, &done}, NULL,        NULL};
    hb_runner *runner;
    f->queue = f->engine;
    assert_int_equal(hb_runner_open(f->engine, &setting, NULL, &runner), HB_OK);
    for (uint32_t p = 0; p < f->program.pass_count; p++) {
        const hb_pass *pass = &f->program.passes[p];
        const uint64_t rows = hb_instructions_work(f->params, &f->program, pass->rows, pass->row_count);
        const uint64_t totals = hb_instructions_work(f->params, &f->program, pass->totals, pass->total_count);
        for (size_t first = 0; first < BLOCKS; first += batch) {
            const size_t count = BLOCKS - first < batch ? BLOCKS - first : batch;
            assert_int_equal(hb_runner_rows(runner, p, first, count), HB_OK);
            assert_true(done <= predicted + (first + count) * rows);
        }
        assert_int_equal(hb_finish(f->engine), HB_OK);
        hb_runner_worked(runner, p, 0);
        predicted += BLOCKS * rows;
        assert_int_equal(done, predicted);
        assert_int_equal(hb_runner_totals(runner, p), HB_OK);
        predicted += totals;
        assert_int_equal(done, predicted);
    }
    hb_runner_worked(runner, 0, 2);
    assert_int_equal(done - predicted, 2 * hb_instructions_work(f->params, &f->program, f->program.passes[0].rows,
                                                                f->program.passes[0].row_count));
    hb_runner_close(runner);
}

/* Where the queue may be behind, work counts once it was waited for. */
static void work_is_counted(void **state)
{
    fixture *f = *state;
    adding = false;
    count_all(f, 1);
    count_all(f, 2);
    unwatched = f->engine->ops;
    engine_copy_of(&watched, unwatched);
    watched.ring.add = watched_add;
    watched.ops.finish = watched_finish;
    f->engine->ops = &watched.ops;
    f->engine->on_host = false;
    assert_true(ends > 0 && steps > 2 * ends); /* of sums of slots */
    steps = ends = 0;
    count_all(f, 2);
    assert_int_equal(steps + ends, 0);
    f->engine->ops = unwatched;
    f->engine->on_host = true;
}

HB_UNIT(runner)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_compute_what_they_say),
        cmocka_unit_test(splits_change_no_bit),
        cmocka_unit_test(missing_keys_are_named),
        cmocka_unit_test(sums_are_added_on_return),
        cmocka_unit_test(work_is_counted),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
