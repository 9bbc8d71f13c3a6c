/* The keys in the plan of a computation: what their files cost is known before a device and a number of ranks are
 * chosen, and is said of all limbs, whoever reads which of them. */
#include "unit/scratch.h"

#include <math.h>

#include "base/prime.h"
#include "eval/job_private.h"
#include "mpi/group/group_private.h"
#include "rlwe/keys.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, KEYS = 3, LIMBS = 3 };

static const uint8_t key_id[HB_KEY_ID_BYTES] = {1, 2, 3};

static hb_status same_agree(hb_group *group, hb_status mine)
{
    (void)group;
    return mine;
}

static hb_status same_words(hb_group *group, uint64_t *values, size_t count)
{
    (void)group;
    (void)values;
    (void)count;
    return HB_OK;
}

static hb_status same_bytes(hb_group *group, void *data, size_t bytes, int root)
{
    (void)group;
    (void)data;
    (void)bytes;
    (void)root;
    return HB_OK;
}

/* Two ranks that are alike. */
static const hb_group_ops ops = {.agree = same_agree, .max = same_words, .broadcast = same_bytes};
static hb_group two = {.ops = &ops, .size = 2, .node_size = 2};

static hb_params *open_params(void)
{
    hb_params_spec spec = {
        .n = N, .key_limbs = LIMBS + 1, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    hb_params *params;
    assert_ok(hb_create_primes(N, (const uint32_t[]){30, 30, 30, 31}, LIMBS + 1, spec.primes));
    assert_ok(hb_params_open(&spec, &params));
    return params;
}

/* Writes files of keys of zeros: nobody computes with them. */
static void write_keys(const hb_params *params, hb_key_choice *choices)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        hb_switch_key_file file;
        char *path;
        choices[i] = (hb_key_choice){.file = hb_key_for_all_levels(2 * i + 3)};
        assert_ok(hb_switch_key_file_init(&file, &params->spec, choices[i].file, false));
        memcpy(file.key_id, key_id, sizeof key_id);
        assert_ok(hb_switch_key_path(scratch_folder, choices[i].file, &path));
        assert_ok(hb_switch_key_file_write(path, &file));
        free(path);
        hb_switch_key_file_clear(&file);
    }
}

static void keys_are_counted_whole(void **state)
{
    (void)state;
    hb_eval_job *job = calloc(1, sizeof *job);
    hb_params *params = open_params();
    hb_key_choice choices[KEYS];
    write_keys(params, choices);
    job->base.group = &two;
    job->base.session.params = params;
    job->base.options.limbs = (hb_limb_choice){.ranks = "auto", .exchange = "auto", .timeout = 1};
    job->options.expression = "";
    job->plan.looks = true;
    job->keys = (hb_key_choices){choices, KEYS};
    assert_ok(hb_key_files_open(&job->key_files, scratch_folder, params, key_id, job->keys, &job->plan.key_file_bytes));
    const double whole = (double)hb_key_files_choose(job->key_files, (hb_key_share){params, NULL, 0});
    /* A packed polynomial for each prime of the key, two for each digit. */
    assert_true(whole > 0.9 * KEYS * 2 * LIMBS * (LIMBS + 1) * N * 30 / 8);
    assert_ok(hb_eval_job_compare(&job->base));
    assert_true(hb_eval_plan_work(&job->base, 2).key_bytes == whole);
    /* A rank has a part of the limbs, reads the rows of these, and is predicted to read so many bytes, once. */
    assert_ok(hb_params_divide(params, LIMBS));
    job->plan.key_read_bytes = hb_key_files_choose(job->key_files, (hb_key_share){params, NULL, LIMBS - 1});
    assert_in_range(job->plan.key_read_bytes, 1, (uint64_t)whole * 2 / 3);
    const hb_work work = hb_eval_plan_work(&job->base, 1);
    assert_true(work.key_bytes == whole);
    hb_speed speed = {.core = 1, .share = 1.0 / LIMBS}, all = {.core = 1};
    const double third = hb_predict(&work, &speed, (hb_spent){0}).part[HB_PART_KEYS];
    assert_true(third > 0);
    assert_true(fabs(3 * third - hb_predict(&work, &all, (hb_spent){0}).part[HB_PART_KEYS]) < 1e-9 * third);
    hb_key_files_close(job->key_files);
    hb_params_close(params);
    free(job);
}

HB_UNIT(eval_plan)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_are_counted_whole)};
    return hb_seed_start() != HB_OK ? 1 : cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
