/* Checkpoints of steps in a folder: which one counts, which are removed, and the message for a folder that cannot be
 * read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/checkpoint/checkpoint.h"
#include "io/files/durable.h"
#include "unit/unit.h"

enum { STEPS = 8 };

static const uint64_t both[HB_CHECKPOINT_LIMB_WORDS] = {3};
static uint8_t may_exist[STEPS];
static char folder[64], linked[96];

static hb_checkpoints checkpoints_in(char *path)
{
    return (hb_checkpoints){.folder = path, .identity = {1}, .pass = 2, .steps = STEPS, .may_exist = may_exist};
}

/* Writes the file of a member with the limbs of `limbs`. */
static void put(hb_checkpoints *checkpoints, uint64_t step, uint32_t member, uint64_t generation, uint64_t limbs)
{
    const hb_checkpoint_head head = {.step = step, .steps = STEPS, .generation = generation, .limbs = {limbs}};
    hb_checkpoint_file file;
    assert_int_equal(hb_checkpoint_file_begin(&file, checkpoints->identity), HB_OK);
    assert_int_equal(hb_checkpoint_file_put(&file, HB_CHECKPOINT_HEAD, (const uint64_t *)(const void *)&head,
                                            sizeof head / sizeof(uint64_t)),
                     HB_OK);
    assert_int_equal(hb_checkpoint_write(checkpoints, &file, step, member, 2, generation), HB_OK);
    hb_checkpoint_file_clear(&file);
}

/* Returns how many files the step is continued from. */
static uint32_t files_of(const hb_checkpoints *checkpoints, uint64_t step, hb_status expected)
{
    hb_checkpoint_file *files;
    uint32_t count;
    assert_int_equal(hb_checkpoint_read(checkpoints, step, both, &files, &count), expected);
    hb_checkpoint_files_clear(files, count);
    return count;
}

static void count_one(void *context, uint32_t pass, const hb_checkpoint_head *head)
{
    uint32_t *count = context;
    assert_int_equal(pass, 2);
    assert_true(head->step < STEPS);
    ++*count;
}

static uint32_t count_all(const char *path)
{
    uint32_t count = 0;
    assert_int_equal(hb_checkpoint_each(path, count_one, &count), HB_OK);
    return count;
}

static void of_a_step(void **state)
{
    (void)state;
    hb_checkpoints checkpoints = checkpoints_in(folder);
    put(&checkpoints, 3, 0, 1, 1);
    assert_int_equal(files_of(&checkpoints, 3, HB_EDATA), 0); /* member 1 has the other limb */
    put(&checkpoints, 3, 1, 1, 2);
    put(&checkpoints, 3, 0, 2, 1); /* a generation that is not whole */
    put(&checkpoints, 4, 0, 1, 3);
    assert_int_equal(files_of(&checkpoints, 3, HB_OK), 2);
    assert_int_equal(files_of(&checkpoints, 4, HB_OK), 1);
    assert_int_equal(files_of(&checkpoints, 5, HB_OK), 0);
    assert_int_equal(count_all(folder), 4);
    hb_checkpoint_remove(&checkpoints, 3, 0, 2);
    assert_int_equal(count_all(folder), 2);
    checkpoints.may_exist[3] = 1;
    hb_checkpoint_remove(&checkpoints, 3, 1, 2);
    hb_checkpoint_remove(&checkpoints, 4, 0, 1);
    assert_int_equal(count_all(folder), 0);
}

/* All files, in every order that a folder lists them in. */
static void of_many_files(void **state)
{
    enum { MANY = 150 };
    (void)state;
    hb_checkpoints checkpoints = checkpoints_in(folder);
    for (uint32_t member = 0; member < MANY; member++) {
        put(&checkpoints, 3, member, 1, 1);
        put(&checkpoints, 3, member, 2, 1);
    }
    assert_int_equal(files_of(&checkpoints, 3, HB_EDATA), 0); /* all have the same limb */
    put(&checkpoints, 3, MANY, 1, 2);
    assert_int_equal(files_of(&checkpoints, 3, HB_OK), MANY + 1);
    put(&checkpoints, 3, MANY, 2, 2);
    assert_int_equal(files_of(&checkpoints, 3, HB_OK), MANY + 1);
    hb_checkpoint_remove(&checkpoints, 3, 0, 1);
    assert_int_equal(count_all(folder), 0);
}

static void without_a_folder(void **state)
{
    (void)state;
    char missing[96];
    snprintf(missing, sizeof missing, "%s/missing", folder);
    hb_checkpoints checkpoints = checkpoints_in(missing);
    assert_int_equal(count_all(missing), 0);
    assert_int_equal(files_of(&checkpoints, 3, HB_OK), 0);
}

/* Another user's folder would be read and cleared through a link. */
static void through_a_link(void **state)
{
    (void)state;
    uint32_t count = 0;
    hb_checkpoints own = checkpoints_in(folder), other = checkpoints_in(linked);
    put(&own, 3, 0, 1, 3);
    assert_int_equal(hb_checkpoint_each(linked, count_one, &count), HB_ECREATE);
    assert_int_equal(count, 0);
    assert_int_equal(files_of(&other, 3, HB_EDATA), 0);
    assert_non_null(strstr(hb_last_error()->text, "cannot open the folder"));
    other.may_exist[3] = 1;
    hb_checkpoint_remove(&other, 3, 0, 1);
    assert_int_equal(count_all(folder), 1);
    own.may_exist[3] = 1;
    hb_checkpoint_remove(&own, 3, 0, 1);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/hb_checkpoints_XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(linked, sizeof linked, "%s.link", folder);
    return symlink(folder, linked);
}

static int remove_folder(void **state)
{
    (void)state;
    return unlink(linked) == 0 && hb_remove_folder(folder) == HB_OK ? 0 : -1;
}

HB_UNIT(checkpoint)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_step), cmocka_unit_test(of_many_files),
                                       cmocka_unit_test(without_a_folder), cmocka_unit_test(through_a_link)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
