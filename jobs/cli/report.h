/* report.json beside an output, and --json on stdout: the same jansson document (one key order, "report_version": 1).
 */
#ifndef HB_CLI_REPORT_H
#define HB_CLI_REPORT_H

#include <jansson.h>
#include <time.h>

#include "common.h"
#include "io/base/schema.h"
#include "io/table/table.h"
#include "machine/machine.h"
#include "mpi/group/group.h"
#include "parse.h"
#include "rlwe/params.h"

/* What the name of an output's report has behind that of the output. */
#define HB_REPORT_SUFFIX ".report.json"

/* A file or column name as JSON text: bytes that are no UTF-8 become '?'. text NULL: null. NULL when out of memory. */
json_t *hb_report_text(const char *text);
/* The name of a table, or a list of those that are read as one. NULL when out of memory. */
json_t *hb_report_tables(hb_table_list tables);
/* A number that may be above 2^53 as what it is, not as what programs make of it that read numbers as FP64: a decimal
 * string. value: two's complement if signed. NULL when out of memory. For every integer that a modulus or a value of a
 * table bounds; counts and sizes are numbers. */
json_t *hb_report_integer(uint64_t value, bool is_signed);
/* One object with the members of three, in this order, all of which it takes over; NULL when out of memory, or when one
 * of them is NULL. */
json_t *hb_report_joined(json_t *first, json_t *second, json_t *third);
/* {"name", "n", what the scheme has ("plain"), "primes": [hex], "bits", "security", "security_table", "security_model",
 * "insecure"}; NULL when out of memory. */
json_t *hb_report_params(const hb_params *params);
/* [{"name", "signed", "values": {"least", "most"} or null, "may_wrap"}, ...]; NULL when out of memory. */
json_t *hb_report_columns(const hb_schema *schema);
/* Adds exit code, reason, seconds, peak host memory of the largest rank (already reduced by the caller). */
hb_status hb_report_finish(json_t *report, hb_status status, double seconds, uint64_t peak_bytes);
/* A new report: command, versions of the program and of the libraries, host, ranks, job of Slurm, start time (UTC), and
 * the members of both objects, which it takes over. NULL when out of memory, or when one of them is NULL. */
json_t *hb_report_compose(const hb_group *group, const char *command, json_t *description, json_t *results);
/* Returns the JSON object in the file that stands beside an output: OUT and `suffix` are its name. NULL: there is none
 * that can be read; the last error is cleared. *changed, unless NULL, receives when the file was last written. */
json_t *hb_report_beside(const char *output, const char *suffix, time_t *changed);
/* HB_ECREATE when OUT.report.json is there and no report of ours, which writing would replace. */
hb_status hb_report_probe(const char *output);
/* Sets "runs_before" of a report to the runs before this one that did not end well, the oldest first and the latest 100
 * at most, by the report that stands beside the output: when and where, by which job of Slurm, for how long, how it
 * ended. `resume`: this run goes on where they ended; else there are none. HB_ENOMEM. */
hb_status hb_report_remember(json_t *report, const char *output, bool resume);
/* Writes OUT.report.json for output OUT (rank 0), replacing an older one. */
hb_status hb_report_write(const json_t *report, const char *output);
/* Prints to stdout, indented, with a newline. */
void hb_report_print(const json_t *report);
/* Prints a new report of `command` with the members of `results` added; rank 0 only. Takes `results` over; NULL stands
 * for one that could not be made (HB_ENOMEM). */
hb_status hb_report_results(const hb_group *group, const char *command, json_t *results);

#endif
