/* Questions as people ask them, in the words of the language: names of results and tables, columns that exist, what is
 * read; the commands that come of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask/job.h"
#include "unit/io/table/said_table.h"
#include "unit/scratch.h"
#include "unit/unit.h"

/* Reads a question about tables, w.csv and on, that all have these columns. */
static hb_status read_about(hb_question *q, const char *said, const char *const *names, size_t count,
                            const char *columns)
{
    char words[2][160], text[160], *word[2] = {words[0], words[1]};
    const hb_reading none = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        const char *sign = strchr(names[i], '='), *file = sign != NULL ? sign + 1 : names[i];
        snprintf(text, sizeof text, "%s\n1", columns);
        for (const char *at = columns; *at != '\0'; at++) {
            strcat(text, *at == ',' ? ",1" : "");
        }
        strcat(text, "\n");
        snprintf(words[i], sizeof words[i], "%.*s%s", (int)(file - names[i]), names[i], put(file, text));
    }
    return hb_question_read(q, said, &none, word, count);
}

static void test_lone_table(void **state)
{
    (void)state;
    static const struct {
        const char *said, *text, *results;
    } cases[] = {
        {"count(age > 65)", "answer = count(p.age > 65)", "answer"},
        {"groupby(ward, count(), mean(age))", "answer = groupby(p.ward, count(), mean(p.age))", "answer"},
        {"n = count(age > 65); mean(age)", "n = count(p.age > 65); answer = mean(p.age)", "n,answer"},
        {"sum(age)\nmean(age) # both", "answer = sum(p.age)\nanswer2 = mean(p.age) # both", "answer,answer2"},
        {"m = mean(age); y = sum(age - m)", "m = mean(p.age); y = sum(p.age - m)", "y"},
        {"sum(\"body weight\")", "answer = sum(p.\"body weight\")", "answer"},
        {"count(ward == 'age')", "answer = count(p.ward == 'age')", "answer"},
        {"sum(p.age)", "answer = sum(p.age)", "answer"},
        {"y = age; repeat 3 { y = y*y }; sum(y)", "y = p.age; repeat 3 { y = y*y }; answer = sum(y)", "answer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const tables[] = {"p.csv"};
        char results[64] = "";
        hb_question q;
        const hb_status st = read_about(&q, cases[i].said, tables, 1, "ward,age,body weight,id");
        if (st != HB_OK) {
            fail_msg("%s: %s", cases[i].said, hb_last_error()->text);
        }
        assert_string_equal(q.text, cases[i].text);
        for (uint32_t r = 0; r < q.result_count; r++) {
            strcat(results, r > 0 ? "," : "");
            strcat(results, q.results[r]);
        }
        assert_string_equal(results, cases[i].results);
        assert_false(q.table[0].picked[3] || q.table[0].whole);
        hb_question_clear(&q);
    }
}

static void test_names(void **state)
{
    (void)state;
    /* A table whose file is called like a column, or like no name, gets another one. */
    const char *const tables[] = {"age.csv"}, *const others[] = {"2024 all.csv"};
    hb_question q;
    assert_int_equal(read_about(&q, "mean(age)", tables, 1, "age"), HB_OK);
    assert_string_equal(q.text, "answer = mean(t0.age)");
    hb_question_clear(&q);
    /* Results get no name of a column, nor one that the question has. */
    const char *const patients[] = {"p.csv"};
    assert_int_equal(read_about(&q, "sum(answer); sum(age)", patients, 1, "answer,age,result2"), HB_OK);
    assert_string_equal(q.text, "result = sum(p.answer); result3 = sum(p.age)");
    hb_question_clear(&q);
    assert_int_equal(read_about(&q, "answer = sum(age); mean(age)", patients, 1, "age"), HB_OK);
    assert_string_equal(q.text, "answer = sum(p.age); result = mean(p.age)");
    hb_question_clear(&q);
    assert_int_equal(read_about(&q, "mean(age)", others, 1, "age,t"), HB_OK);
    assert_string_equal(q.text, "answer = mean(t0.age)");
    hb_question_clear(&q);
}

static void test_several_tables(void **state)
{
    (void)state;
    const char *const tables[] = {"h=patients.csv", "w=wards.csv"};
    hb_question q;
    assert_int_equal(read_about(&q, "s = sum(lookup(h.ward, w)); r = sum(h.age)", tables, 2, "ward,age"), HB_OK);
    assert_string_equal(q.text, "s = sum(lookup(h.ward, w)); r = sum(h.age)");
    assert_true(q.table[1].plain && q.table[1].whole && !q.table[0].plain && !q.table[0].whole);
    assert_true(q.table[0].picked[0] && q.table[0].picked[1] && !q.reals);
    hb_question_clear(&q);
    assert_int_equal(read_about(&q, "y = w @ h; z = sigmoid(h.age)", tables, 2, "ward,age"), HB_OK);
    assert_true(q.table[1].plain && q.reals);
    hb_question_clear(&q);
}

/* A word that means the table itself, which has no name on the command line. */
static void test_table_itself(void **state)
{
    (void)state;
    const char *const said[] = {"transpose(matrix(x, 1, 3))", "matrix(age, 1, 1) @ matrix(x, 1, 3)", "sum(patients)"};
    const char *const reasons[] = {
        "has no column 'x'; for the table itself write x=", "has no column 'x'; for the table itself write x=",
        "has no column 'patients'; for the table itself write patients="};
    const char *const tables[] = {"patients.csv"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        hb_question q;
        assert_int_equal(read_about(&q, said[i], tables, 1, "ward,age,weight"), HB_EUSAGE);
        assert_non_null(strstr(hb_last_error()->text, reasons[i]));
        hb_question_clear(&q);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *said, *reason;
        size_t tables;
    } cases[] = {
        {"mean(agee)", "patients.csv has no column 'agee'; did you mean age?", 1},
        {"mean(h.agee)", "patients.csv has no column 'agee'; did you mean age?", 2},
        {"mean(age)", "write h.age: there are several tables", 2},
        {"mean(xyzzy)", "no table has a column 'xyzzy'; the columns are ", 2},
        {"count(h.age == xyzzy)", "no table has a column 'xyzzy'; a text stands in single quotes", 2},
        {"mean(age", "expected", 1},
        {"age = mean(age); b = age + 1", "'age' is a result of the question and a column of ", 1},
        {"1 +", "character 4 of '1 +': ", 1},
        {"age; mean(age)\nsum(agee)", "line 2, character 5 of 'sum(agee)': ", 1},
        {"n = \"body weight\"; mean(agee)", "character 25 of 'n = \"body weight\"; mean(agee)': ", 1},
        {"", "the expression is empty", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const tables[] = {"h=patients.csv", "w=wards.csv"};
        hb_question q;
        assert_int_equal(read_about(&q, cases[i].said, tables, cases[i].tables, "ward,age,body weight"), HB_EUSAGE);
        if (strstr(hb_last_error()->text, cases[i].reason) == NULL) {
            fail_msg("'%s' is not in '%s'", cases[i].reason, hb_last_error()->text);
        }
        hb_question_clear(&q);
    }
    static const char *const twice[] = {"h=a.csv", "h=b.csv"};
    hb_question q;
    assert_int_equal(read_about(&q, "mean(h.age)", twice, 2, "ward,age"), HB_EUSAGE);
    hb_question_clear(&q);
}

/* Options name columns with their table or alone: a column of the whole name stays, and so does what is no column. */
static void test_unqualified(void **state)
{
    (void)state;
    static const struct {
        const char *missing, *without, *derive, *made, *reason;
    } cases[] = {
        {"h.kg=mask,drop", "kg=mask,drop", "y=bin(h.kg, 1..2, 3..)", "y=bin(kg, 1..2, 3..)", NULL},
        {"0.5,h.\"odd, name\"=3", "0.5,\"odd, name\"=3", "h.y=h.kg >= 2.5", "y=kg >= 2.5", NULL},
        {"h.kg", "h.kg", "y=kg == 'h.kg'", "y=kg == 'h.kg'", NULL}, /* a text in the place of missing cells */
        {"w.dot=mask", "w.dot=mask", "y=w.dot >= 1", "y=w.dot >= 1", NULL},
        {"h.y=drop,w.cost=1", "y=drop,cost=1", "h.y=kg >= 1", "y=kg >= 1", NULL},
        {"\"h.kg\"=mask,z.kg=1", "\"h.kg\"=mask,z.kg=1", "y=xh.kg >= 1", "y=xh.kg >= 1", NULL},
        {"h.cost=mask", NULL, "y=kg >= 1", NULL, "--missing: there is no column cost in table h, "},
        {"h.ward=mask", NULL, "y=kg >= 1", NULL, "h and w both have a column ward; --missing ward=mask is about both"},
        {"kg=mask", NULL, "y=w.kg >= 1", NULL, "--derive: there is no column kg in table w, "},
    };
    char words[2][160], *const tables[] = {words[0], words[1]};
    snprintf(words[0], sizeof words[0], "h=%s", put("h.csv", "ward,kg,\"odd, name\"\n1,2,3\n"));
    snprintf(words[1], sizeof words[1], "w=%s", put("w.csv", "ward,cost,w.dot\n1,2,3\n"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_ask_options options = {.tables = tables, .table_count = 2};
        hb_asked_texts kept;
        options.table.missing = cases[i].missing;
        options.table.derive.text[options.table.derive.count++] = cases[i].derive;
        const hb_status st = hb_asked_unqualify(&options, &kept);
        assert_int_equal(st, cases[i].reason == NULL ? HB_OK : HB_EUSAGE);
        if (cases[i].reason != NULL) {
            assert_non_null(strstr(hb_last_error()->text, cases[i].reason));
        } else {
            assert_string_equal(options.table.missing, cases[i].without);
            assert_string_equal(options.table.derive.text[0], cases[i].made);
        }
        hb_asked_texts_clear(&kept);
    }
}

/* Makes a plan of commands, NULL-terminated, whose words stand between bars; the first one is that of keygen. */
static hb_status make_plan(hb_asked_plan *plan, const char *const *commands, const hb_question *q)
{
    json_t *all = json_array(), *keygen = NULL;
    for (size_t i = 0; commands[i] != NULL; i++) {
        json_t *words = json_array();
        for (const char *at = commands[i]; *at != '\0';) {
            const size_t length = strcspn(at, "|");
            json_array_append_new(words, json_stringn(at, length));
            at += length + (at[length] == '|');
        }
        if (i == 0) {
            keygen = words;
        } else {
            json_array_append_new(all, words);
        }
    }
    json_t *said = json_pack("{s:o?, s:o, s:[{s:s}, {s:s}]}", "keygen", keygen, "commands", all, "outputs", "name", "m",
                             "name", "n");
    char *text = json_dumps(said, 0);
    assert_non_null(text);
    const hb_status st = hb_asked_plan_make(plan, text, q);
    free(text);
    json_decref(said);
    return st;
}

/* Commands are taken as params suggest says them, and results that others are made of are not stored. */
static void test_plan(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "hebatch|keygen|--n|4096|--out|KEYS|--for|m = sum(p.a); n = count(p.s == 'f')",
        "hebatch|encrypt|--key|KEYS/public.h5|my p.csv|p.heb|--range|measured",
        "hebatch|eval|--keys|KEYS|m = ..|p=p.heb|m=m.heb|n=n.heb",
        "hebatch|decrypt|--key|KEYS/secret.h5|m.heb|m.csv",
        "hebatch|decrypt|--key|KEYS/secret.h5|n.heb|n.csv",
        NULL};
    static const char *const eval[] = {"hebatch", "eval", "--keys", "KEYS", "m = ..", "p=p.heb", "n=n.heb"};
    char n[] = "n", *results[] = {n};
    const hb_question q = {.results = results, .result_count = 1};
    hb_asked_plan plan = {.suggested = NULL};
    assert_int_equal(make_plan(&plan, commands, &q), HB_OK);
    assert_int_equal(plan.encrypts, 1);
    assert_int_equal(plan.decrypts, 1);
    assert_string_equal(plan.keygen.words.word[7], "m = sum(p.a); n = count(p.s == 'f')");
    assert_string_equal(plan.keygen.words.word[5], "KEYS");
    assert_string_equal(plan.encrypt[0].words.word[HB_ENCRYPT_TABLE], "my p.csv");
    assert_string_equal(plan.encrypt[0].words.word[HB_ENCRYPT_OUT], "p.heb");
    assert_int_equal(plan.eval.words.count, sizeof eval / sizeof *eval);
    for (size_t i = 0; i < plan.eval.words.count; i++) {
        assert_string_equal(plan.eval.words.word[i], eval[i]);
    }
    assert_string_equal(plan.decrypt[0].words.word[HB_DECRYPT_TO], "n.csv");
    assert_string_equal(plan.encrypt[0].name, "p");
    assert_string_equal(plan.decrypt[0].name, "n");
    hb_asked_plan_clear(&plan);
}

/* Results keep their names in whatever order params suggest decrypts them. */
static void test_order(void **state)
{
    (void)state;
    static const char *const commands[] = {"hebatch|keygen", "hebatch|eval|--keys|KEYS|m = ..|p=p.heb|m=m.heb|n=n.heb",
                                           "hebatch|decrypt|--key|KEYS/secret.h5|n.heb|n.csv",
                                           "hebatch|decrypt|--key|KEYS/secret.h5|m.heb|m.csv", NULL};
    char m[] = "m", n[] = "n", *results[] = {m, n};
    const hb_question q = {.results = results, .result_count = 2};
    hb_asked_plan plan = {.suggested = NULL};
    assert_int_equal(make_plan(&plan, commands, &q), HB_OK);
    assert_int_equal(plan.decrypts, 2);
    for (uint32_t i = 0; i < plan.decrypts; i++) {
        const hb_asked_command *decrypt = &plan.decrypt[i];
        assert_int_equal(strncmp(decrypt->words.word[HB_DECRYPT_FROM], decrypt->name, strlen(decrypt->name)), 0);
    }
    assert_string_equal(plan.decrypt[0].name, "n");
    hb_asked_plan_clear(&plan);
}

/* Output of params suggest that is no suggestion is refused. */
static void test_no_plan(void **state)
{
    (void)state;
    static const char eval[] = "hebatch|eval|--keys|K|e|n=n.heb";
    static const char *const wrong[][5] = {
        {NULL},
        {"hebatch|keygen", NULL},
        {"hebatch|keygen", "rm|-rf|a|b|c|d", NULL},
        {"hebatch|keygen", "hebatch|eval|x", NULL},
        {"hebatch|keygen", eval, "hebatch|decrypt|--key|K|n.heb", NULL},
        {"hebatch|keygen", eval, eval, "hebatch|decrypt|--key|K|n.heb|n.csv", NULL},
    };
    char n[] = "n", *results[] = {n};
    const hb_question q = {.results = results, .result_count = 1};
    hb_asked_plan plan = {.suggested = NULL};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(make_plan(&plan, wrong[i], &q), HB_EINTERNAL);
        hb_asked_plan_clear(&plan);
    }
    assert_int_equal(hb_asked_plan_make(&plan, "", &q), HB_EINTERNAL);
    hb_asked_plan_clear(&plan);
}

/* Tables that a question does not read, and lookups that do not say the value. */
static void test_joins(void **state)
{
    (void)state;
    static const struct {
        const char *said, *why, *join; /* the call of a refusal of a table that is not read */
    } cases[] = {
        {"sum(p.days * lookup(p.ward, w.days))", NULL, NULL},
        {"sum(p.days)", "does not read table w: leave it out, or join with lookup(p.ward, w.days)",
         "lookup(p.ward, w.days)"},
        {"sum(w.\"body weight\")", "does not read table p: leave it out, or join with lookup(w.ward, p.days)",
         "lookup(w.ward, p.days)"},
        {"sum(lookup(p.ward, w))",
         "w has 3 columns, ward, days, body weight: say which one is the value, as in lookup(p.ward, w.days)", NULL},
        {"sum(lookup(p.days + 1, w, 0))", "as in lookup(p.days + 1, (w.ward, w.days))", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const tables[] = {"p=p.csv", "w=w.csv"};
        hb_question q;
        assert_ok(read_about(&q, cases[i].said, tables, 2, "ward,days,body weight"));
        assert_int_equal(hb_asked_check_joins(&q), cases[i].why != NULL ? HB_EUSAGE : HB_OK);
        if (cases[i].why != NULL && strstr(hb_last_error()->text, cases[i].why) == NULL) {
            fail_msg("%s: %s", cases[i].said, hb_last_error()->text);
        }
        assert_int_equal(q.unread, cases[i].join != NULL);
        assert_int_equal(q.join != NULL, cases[i].join != NULL);
        if (q.join != NULL) {
            assert_string_equal(q.join, cases[i].join);
        }
        hb_question_clear(&q);
    }
}

HB_UNIT(question)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lone_table),     cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_several_tables), cmocka_unit_test(test_table_itself),
                                       cmocka_unit_test(test_refused),        cmocka_unit_test(test_plan),
                                       cmocka_unit_test(test_order),          cmocka_unit_test(test_no_plan),
                                       cmocka_unit_test(test_joins),          cmocka_unit_test(test_unqualified)};
    return cmocka_run_group_tests_name("question", tests, scratch_make, scratch_remove);
}
