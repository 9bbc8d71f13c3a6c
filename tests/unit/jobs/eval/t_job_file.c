/* Job files: the contents of a good one, and the refusals of bad ones with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "eval/job_file.h"
#include "unit/unit.h"

static char folder[] = "/tmp/hebatch-job-XXXXXX", job_path[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(job_path, sizeof job_path, "%s/job.json", mkdtemp(folder));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return unlink(job_path) != 0 || rmdir(folder) != 0;
}

static hb_status read_job(const char *text, hb_job_file *job)
{
    FILE *file = fopen(job_path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return hb_job_file_read(job_path, job);
}

static void read_whole(void **state)
{
    (void)state;
    char expected[128];
    hb_job_file job;
    assert_int_equal(
        read_job("{\"eval\": [\"m = sum(a)\", \"y = a - m\"], \"keys\": \"/keys\",\n"
                 " \"inputs\": {\"a\": \"A.heb\", \"w\": \"w.h5:/w\"}, \"outputs\": {\"y\": \"out/Y.heb\"},\n"
                 " \"ranges\": {\"a\": [-3, 150], \"a.\\\"odd name\\\"\": [1, 2]},\n"
                 " \"options\": {\"batch\": 64, \"device\": \"cpu\", \"force\": true, \"json\": false}}",
                 &job),
        HB_OK);
    assert_string_equal(job.expression, "m = sum(a)\ny = a - m");
    assert_string_equal(job.keys, "/keys");
    assert_int_equal(job.input_count, 2);
    assert_string_equal(job.inputs[1].name, "w");
    snprintf(expected, sizeof expected, "%s/w.h5:/w", folder);
    assert_string_equal(job.inputs[1].path, expected);
    assert_int_equal(job.output_count, 1);
    snprintf(expected, sizeof expected, "%s/out/Y.heb", folder);
    assert_string_equal(job.outputs[0].path, expected);
    assert_int_equal(job.range_count, 2);
    assert_true(job.ranges[0].least == -3 && job.ranges[0].most == 150 && job.ranges[0].column == NULL);
    assert_string_equal(job.ranges[1].column, "odd name");
    assert_int_equal(job.option_count, 3);
    assert_string_equal(job.options[0], "--batch=64");
    assert_string_equal(job.options[1], "--device=cpu");
    assert_string_equal(job.options[2], "--force");
    hb_job_file_clear(&job);
}

static void refused(void **state)
{
    (void)state;
    hb_job_file job;
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"", "line 1, character 0"},
        {"[]", "a job is an object"},
        {"{\"eval\": \"y = a\"}", "the job has no \"keys\""},
        {"{\"keys\": \"k\"}", "the job has no \"eval\""},
        {"{\"eval\": \"y = a\", \"keys\": \"k\", \"input\": {}}", "did you mean \"inputs\"?"},
        {"{\"eval\": \"y = a\", \"keys\": \"k\", \"keys\": \"l\"}", "duplicate"},
        {"{\"eval\": 3, \"keys\": \"k\"}", "\"eval\" is a text"},
        {"{\"eval\": [\"y\", 3], \"keys\": \"k\"}", "\"eval\" is a text"},
        {"{\"keys\": 1}", "\"keys\" is the path"},
        {"{\"inputs\": [\"a\"]}", "\"inputs\" is an object"},
        {"{\"inputs\": {\"a b\": \"A.heb\"}}", "found 'a b'"},
        {"{\"outputs\": {\"a\": 3}}", "found 'a'"},
        {"{\"ranges\": {\"a\": [3, 1]}}", "expected [least, most] for a"},
        {"{\"ranges\": {\"a\": [1, 2, 3]}}", "expected [least, most] for a"},
        {"{\"ranges\": {\"a\": [1, \"2\"]}}", "expected [least, most] for a"},
        {"{\"ranges\": {\"a b\": [1, 2]}}", "expected a name, or one of its columns as in a.age, found 'a b'"},
        {"{\"ranges\": 1}", "\"ranges\" is an object"},
        {"{\"options\": {\"batch\": []}}", "batch is a text"},
        {"{\"options\": {\"log\": \"run.log\"}}", "a job file cannot say log: give --log with the command"},
        {"{\"options\": true}", "\"options\" is an object"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(read_job(wrong[i].text, &job), HB_EUSAGE);
        if (strstr(hb_last_error()->text, wrong[i].part) == NULL) {
            fail_msg("'%s' is not in '%s'", wrong[i].part, hb_last_error()->text);
        }
        hb_job_file_clear(&job);
    }
}

static void missing(void **state)
{
    (void)state;
    hb_job_file job;
    char other[96];
    snprintf(other, sizeof other, "%s/other.json", folder);
    assert_int_equal(hb_job_file_read(other, &job), HB_ENOINPUT);
    hb_job_file_clear(&job);
}

HB_UNIT(job_file)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_whole), cmocka_unit_test(refused),
                                       cmocka_unit_test(missing)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
