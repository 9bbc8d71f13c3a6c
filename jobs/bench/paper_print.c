/* Times at the papers' parameters beside the papers' own. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/report.h"
#include "paper.h"

enum { COLUMNS = 4 };

static const char *const primitives[HB_PRIMITIVES] = {"KeyGen", "Enc", "Dec", "Add", "Mul"};

/* "High-Performance FV Somewhat Homomorphic Encryption on GPUs", table 5: milliseconds, as printed. GPU-FV on an NVIDIA
 * Tesla P100 and on a K80; SEAL 2.3.0-4 and NFLlib-FV on an Intel Xeon E5-2620 with 24 cores. */
static const char *const columns[COLUMNS] = {"P100", "K80", "SEAL 2.3", "NFLlib"};
static const char *const printed[HB_PRIMITIVES][HB_PAPER_TABLE_5][COLUMNS] = {
    {{"2.786", "5.943", "4.981", "0.903"},
     {"8.147", "17.218", "35.624", "12.131"},
     {"30.943", "86.095", "212.719", "83.366"},
     {"174.508", "356.224", "1474.903", "633.42"}},
    {{"0.271", "0.541", "1.642", "0.276"},
     {"0.730", "1.440", "4.095", "1.081"},
     {"1.081", "2.645", "9.792", "4.321"},
     {"3.296", "6.657", "28.834", "17.353"}},
    {{"0.065", "0.151", "0.198", "0.396"},
     {"0.108", "0.194", "0.967", "1.494"},
     {"0.152", "0.252", "3.308", "4.645"},
     {"0.252", "0.610", "13.888", "15.36"}},
    {{"0.016", "0.037", "0.007", "0.007"},
     {"0.021", "0.052", "0.054", "0.065"},
     {"0.030", "0.068", "0.177", "0.309"},
     {"0.053", "0.127", "0.612", "1.075"}},
    {{"1.072", "3.343", "2.327", "3.231"},
     {"1.833", "3.873", "13.655", "16.722"},
     {"3.538", "7.700", "57.857", "81.363"},
     {"11.747", "28.953", "314.029", "465.587"}},
};

static const double ms = 1e3;

static void print_table_5(const hb_group *group, const hb_common *common, const hb_paper_times *times)
{
    hb_console_result(group, common,
                      "Al Badawi et al., table 5: t = 2, primes of 30 bits, one more for key switching; milliseconds");
    hb_console_result(group, common, "%-7s %6s %6s %7s %12s %12s %10s %10s %10s %10s", "", "N", "log q", "a call",
                      "amortised", "alone", columns[0], columns[1], columns[2], columns[3]);
    for (int i = 0; i < HB_PRIMITIVES; i++) {
        for (size_t s = 0; s < HB_PAPER_TABLE_5; s++) {
            const char *const *theirs = printed[i][s];
            hb_console_result(group, common, "%-7s %6zu %6" PRIu32 " %7zu %12.6f %12.6f %10s %10s %10s %10s",
                              primitives[i], times[s].n, times[s].log_q,
                              i == HB_PRIMITIVE_KEYGEN ? (size_t)1 : times[s].count, ms * times[s].amortised[i],
                              ms * times[s].alone[i], theirs[0], theirs[1], theirs[2], theirs[3]);
        }
    }
}

/* The paper's text gives for its largest set what SEAL 3.5 on an Intel Core i9-7900X takes times a Tesla V100. */
static void print_table_7(const hb_group *group, const hb_common *common, const hb_paper_times *times)
{
    static const char *const largest[HB_PRIMITIVE_ADD] = {"141.95", "94.39", "90.13"};
    hb_console_result(group, common,
                      "Ozerk et al., table 7: t = 1024; milliseconds; theirs: how much faster a V100 is than SEAL 3.5");
    hb_console_result(group, common, "%-7s %6s %6s %7s %12s %12s %10s", "", "N", "log q", "a call", "amortised",
                      "alone", "speed-up");
    for (int i = 0; i < HB_PRIMITIVE_ADD; i++) {
        for (size_t s = 0; s < HB_PAPER_TABLE_7; s++) {
            hb_console_result(group, common, "%-7s %6zu %6" PRIu32 " %7zu %12.6f %12.6f %10s", primitives[i],
                              times[s].n, times[s].log_q, i == HB_PRIMITIVE_KEYGEN ? (size_t)1 : times[s].count,
                              ms * times[s].amortised[i], ms * times[s].alone[i],
                              s + 1 == HB_PAPER_TABLE_7 ? largest[i] : "");
        }
    }
}

void hb_bench_print_paper(const hb_group *group, const hb_common *common, const hb_paper_times times[HB_PAPER_SETS])
{
    print_table_5(group, common, times);
    print_table_7(group, common, times + HB_PAPER_TABLE_5);
}

static json_t *time_json(const hb_paper_times *times, size_t set, int i)
{
    json_t *row = json_pack("{s:s, s:i, s:I, s:i, s:i, s:o, s:I, s:f, s:f}", "primitive", primitives[i], "table",
                            set < HB_PAPER_TABLE_5 ? 5 : 7, "n", (json_int_t)times->n, "log_q", (int)times->log_q,
                            "limbs", (int)times->limbs, "plain", hb_report_integer(times->plain, false), "items",
                            i == HB_PRIMITIVE_KEYGEN ? (json_int_t)1 : (json_int_t)times->count, "amortised_ms",
                            ms * times->amortised[i], "alone_ms", ms * times->alone[i]);
    for (int c = 0; row != NULL && set < HB_PAPER_TABLE_5 && c < COLUMNS; c++) {
        if (json_object_set_new(row, columns[c], json_string(printed[i][set][c])) != 0) {
            json_decref(row);
            row = NULL;
        }
    }
    return row;
}

json_t *hb_bench_paper_json(const hb_paper_times times[HB_PAPER_SETS])
{
    json_t *rows = json_array();
    for (size_t s = 0; s < HB_PAPER_SETS; s++) {
        for (int i = 0; i < (s < HB_PAPER_TABLE_5 ? HB_PRIMITIVES : HB_PRIMITIVE_ADD); i++) {
            if (json_array_append_new(rows, time_json(&times[s], s, i)) != 0) {
                json_decref(rows);
                return NULL;
            }
        }
    }
    return rows;
}
