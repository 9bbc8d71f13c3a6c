/* Questions in SQL, in plain English and with names of functions of other languages, in the words of this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ask/phrase.h"
#include "unit/unit.h"

static char ward[] = "ward", age[] = "age", weight[] = "weight", sex[] = "sex", kg[] = "kg", body[] = "\"body mass\"";
static char type[] = "\"blood-type\"",
            height[] = "\"Gr\xC3\xB6\xC3\x9F"
                       "e\"",
            on[] = "admitted";
static const hb_phrase_column columns[] = {{"ward", ward, .texts = true},
                                           {"age", age, .odd = false},
                                           {"weight", weight, .missing = true},
                                           {"kg", kg, .odd = false},
                                           {"sex", sex, .texts = true},
                                           {"admitted", on, .days = true},
                                           {"blood-type", type, .odd = true, .texts = true},
                                           {"Gr\xC3\xB6\xC3\x9F"
                                            "e",
                                            height, .odd = true},
                                           {"body mass", body, .odd = true}};

static void test_phrases(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"select avg(age) from t group by ward", "groupby(ward, mean(age))"},
        {"SELECT ward, AVG(age), COUNT(*) AS n FROM t GROUP BY ward ORDER BY n DESC LIMIT 3;",
         "groupby(ward, mean(age), count())"},
        {"SELECT ward, sex, SUM(weight) FROM t WHERE age >= 18 GROUP BY ward, sex",
         "groupby((ward, sex), sum(weight where age >= 18))"},
        {"SELECT COUNT(*) FROM t WHERE ward = 'Heart, acute' AND age <> 7",
         "count(ward == 'Heart, acute' and age != 7)"},
        {"select count(weight), count(age), stddev(t.age) from t", "count(weight is not missing); count(); var(age)"},
        {"select sum(Age) from t where weight is not null", "sum(age where weight is not missing)"},
        {"select avg(\"body mass\") from t where age between 3 and 5", "mean(\"body mass\" where age between 3 and 5)"},
        {"select count(*) from t where age != 7", "count(age != 7)"},
        {"select count(weight) from t where age > 7", "count(weight is not missing and age > 7)"},
        {"select ward as w, avg(x.age) as m from s.t as x group by x.ward", "groupby(ward, mean(age))"},
        {"average age by ward", "groupby(ward, mean(age))"},
        {"what is the average age of patients per ward?", "groupby(ward, mean(age))"},
        {"how many patients are older than 65?", "count(age > 65)"},
        {"number of patients with age at least 65 by ward and sex", "groupby((ward, sex), count(age >= 65))"},
        {"how many patients have age != 65?", "count(age != 65)"},
        {"average kg of patients older than 65", "mean(kg where age > 65)"},
        {"total weight where ward is Surgery", "sum(weight where ward == 'Surgery')"},
        {"count(age > 50) by ward", "groupby(ward, count(age > 50))"},
        {"count(*) where age > 50", "count(age > 50)"},
        {"mean(age) where age > 50", "mean(age where age > 50)"},
        {"groupby(ward, count()) order by count", "groupby(ward, count())"},
        {"groupby(ward, count()) limit 3", "groupby(ward, count())"},
        {"AVERAGE(age)", "mean(age)"},
        {"stdev(age)", "var(age)"},
        {"max(age)", "histogram(age)"},
        {"count(ward = \"Surgery\")", "count(ward == 'Surgery')"},
        {"count(ward == Surgery)", "count(ward == 'Surgery')"},
        {"sum(weight where ward in (\"A\", \"B\"))", "sum(weight where ward in ('A', 'B'))"},
        {"count(age > 3)", "count(age > 3)"},
        /* names without their quotes */
        {"mean(body mass)", "mean(\"body mass\")"},
        {"average Body Mass by blood-type", "groupby(\"blood-type\", mean(\"body mass\"))"},
        {"count(Gr\xC3\xB6\xC3\x9F"
         "e > 170)",
         "count(\"Gr\xC3\xB6\xC3\x9F"
         "e\" > 170)"},
        {"groupby(blood-type, count())", "groupby(\"blood-type\", count())"},
        {"body mass > 3", "\"body mass\" > 3"},
        {"body mass", "\"body mass\""},
        /* conditions alone, and signs of other languages */
        {"ward = ICU", "ward == 'ICU'"},
        {"ward == \"ICU\"", "ward == 'ICU'"},
        {"age > 3 && kg > 4", "age > 3 and kg > 4"},
        {"count(age > 3 || kg > 4)", "count(age > 3 or kg > 4)"},
        {"count(age \xE2\x89\xA5 65)", "count(age >= 65)"},
        {"count(age => 65 and kg =< 3)", "count(age >= 65 and kg <= 3)"},
        {"admitted > 2024-01-01", "admitted > '2024-01-01'"},
        {"count(admitted between 2024-01-01 and 2024-02-01)", "count(admitted between '2024-01-01' and '2024-02-01')"},
        /* of categories there are counts */
        {"groupby(ward)", "groupby(ward, count())"},
        {"mean('age')", "mean(age)"},
        {"mean(ward)", "groupby(ward, count())"},
        {"count(ward)", "groupby(ward, count())"},
        {"max(ward)", "groupby(ward, count())"},
        {"count(distinct ward)", "groupby(ward, count())"},
        {"select count(distinct ward) from t", "groupby(ward, count())"},
        {"count(distinct age)", "histogram(age)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        unsigned changes;
        assert_int_equal(hb_phrase_find(cases[i][0], columns, sizeof columns / sizeof *columns, &text, &changes),
                         HB_OK);
        if (text == NULL || strcmp(text, cases[i][1]) != 0) {
            fail_msg("'%s' becomes '%s', not '%s'", cases[i][0], text != NULL ? text : "nothing", cases[i][1]);
        }
        free(text);
    }
}

/* Nothing is made up where the words say too little, or something else. */
static void test_not_understood(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "", "hello", "who is the oldest", "average height", "select * from t", "count(distinct ward, sex)",
        "average age by doctor", "mean(age) where height > 3", "count(ward = 'Surgery", "how many beds are over 3",
        /* a word turns the sense */
        "average kg of patients not older than 65", "how many patients are no older than 65",
        "number of patients with age not over 65 but male", "average age of all but ward ICU",
        "average age without ward ICU", "count(!age)",
        /* a word would be dropped */
        "select avg(age)/avg(kg) from t", "mean(age)/mean(kg) by ward", "select avg(age) from t having avg(age) > 3",
        "select ward, avg(age) from t group by ward having avg(age) > 3", "select avg(age) from t join u",
        "select avg(age) from t natural u x", "select avg(age) from t, u",
        "select avg(age) from t union select avg(kg) from t", "select distinct avg(age) from t",
        "select avg(age), age/ward from t group by ward", "select avg(age) as m + 1 from t", "average age of men",
        "average age and kg", "average age from Surgery", "average age by ward sex", "average age by ward; sum(kg)",
        "average age by ward sorted by sex over 65", "sum(age kg", "how many patients with age",
        "how many patients whose", "number of ward", "number of patients older than 65, average kg",
        "count(age, age, age, age) limit all",
        /* it would mean something else */
        "is the average age of patients over 65", "count(age > 3 or sex = 'f') where ward = 'A'",
        "count(age > 3) where ward = 'A' or sex = 'f'", "count(sex) where age > 3",
        "average kg of patients with age over 1,000", "average kg with age over 2024-03-01",
        "average kg of patients with weight older than 65", "select avg(kg/2) from t",
        "select avg(kg) from t where ward = Surgery", "select count(age > 3) from t",
        "select count(x.age) from t where kg > 3 -- 5", "select avg(age) from t where kg > 3 -- 5",
        "average age where kg is above average", "select var_pop(age) from t where kg > 3", "max(age) where kg > 3",
        "sum(a), sum(b), sum(age), sum(age), sum(age), sum(age), sum(age), sum(age), "
        "sum(age), sum(age), sum(age), sum(age), sum(age), sum(age), sum(age), "
        "sum(age), sum(kg) by ward"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        unsigned changes;
        assert_int_equal(hb_phrase_find(cases[i], columns, sizeof columns / sizeof *columns, &text, &changes), HB_OK);
        if (text != NULL) {
            fail_msg("'%s' becomes '%s'", cases[i], text);
        }
    }
}

/* A proposal that differs from the question says so. */
static void test_changes(void **state)
{
    (void)state;
    static const struct {
        const char *said, *text;
        unsigned changes;
    } cases[] = {{"average age by ward", "groupby(ward, mean(age))", 0},
                 {"average age by ward order by ward", "groupby(ward, mean(age))", HB_PHRASE_UNORDERED},
                 {"groupby(ward, count()) limit 3", "groupby(ward, count())", HB_PHRASE_UNORDERED},
                 {"stdev(age)", "var(age)", HB_PHRASE_SQUARED},
                 {"standard deviation of age", "var(age)", HB_PHRASE_SQUARED},
                 {"select stddev(age) from t order by 1", "var(age)", HB_PHRASE_SQUARED | HB_PHRASE_UNORDERED},
                 {"max(age)", "histogram(age)", HB_PHRASE_COUNTED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        unsigned changes;
        assert_int_equal(hb_phrase_find(cases[i].said, columns, sizeof columns / sizeof *columns, &text, &changes),
                         HB_OK);
        assert_non_null(text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(changes, cases[i].changes);
        free(text);
    }
}

/* A column that two tables have is not guessed, and a table that is named is the column's. */
static void test_several_tables(void **state)
{
    (void)state;
    static char own[] = "h.age", other[] = "w.age", beds[] = "w.beds";
    static const hb_phrase_column both[] = {
        {"age", own, .odd = false}, {"age", other, .odd = false}, {"beds", beds, .odd = false}};
    static const char *const cases[][2] = {{"average beds", "mean(w.beds)"},
                                           {"AVG(w.beds)", "mean(w.beds)"},
                                           {"AVG(h.beds)", NULL},
                                           {"AVG(w.age)", NULL},
                                           {"average beds older than 3", NULL},
                                           {"average age", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        unsigned changes;
        assert_int_equal(hb_phrase_find(cases[i][0], both, sizeof both / sizeof *both, &text, &changes), HB_OK);
        if ((text == NULL) != (cases[i][1] == NULL) || (text != NULL && strcmp(text, cases[i][1]) != 0)) {
            fail_msg("'%s' becomes '%s'", cases[i][0], text != NULL ? text : "nothing");
        }
        free(text);
    }
}

HB_UNIT(phrase)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_phrases), cmocka_unit_test(test_not_understood),
                                       cmocka_unit_test(test_changes), cmocka_unit_test(test_several_tables)};
    return cmocka_run_group_tests_name("phrase", tests, NULL, NULL);
}
