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

static char ward[] = "ward", age[] = "age", weight[] = "weight", sex[] = "sex", body[] = "\"body mass\"";
static const hb_phrase_column columns[] = {{"ward", ward, false},
                                           {"age", age, false},
                                           {"weight", weight, true},
                                           {"sex", sex, false},
                                           {"body mass", body, false}};

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
        {"select count(weight), count(age), stddev(t.age) from t", "count(weight); count(); var(age)"},
        {"select sum(Age) from t where weight is not null", "sum(age where weight is not missing)"},
        {"select avg(\"body mass\") from t where age between 3 and 5", "mean(\"body mass\" where age between 3 and 5)"},
        {"average age by ward", "groupby(ward, mean(age))"},
        {"what is the average age of patients per ward?", "groupby(ward, mean(age))"},
        {"how many patients are older than 65?", "count(age > 65)"},
        {"number of patients with age at least 65 by ward and sex", "groupby((ward, sex), count(age >= 65))"},
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
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        assert_int_equal(hb_phrase_find(cases[i][0], columns, sizeof columns / sizeof *columns, &text), HB_OK);
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
    static const char *const cases[] = {"",
                                        "hello",
                                        "who is the oldest",
                                        "average height",
                                        "select * from t",
                                        "select count(distinct ward) from t",
                                        "average age by doctor",
                                        "mean(age) where height > 3",
                                        "count(ward = 'Surgery",
                                        "how many beds are over 3"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        assert_int_equal(hb_phrase_find(cases[i], columns, sizeof columns / sizeof *columns, &text), HB_OK);
        if (text != NULL) {
            fail_msg("'%s' becomes '%s'", cases[i], text);
        }
    }
}

HB_UNIT(phrase)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_phrases), cmocka_unit_test(test_not_understood)};
    return cmocka_run_group_tests_name("phrase", tests, NULL, NULL);
}
