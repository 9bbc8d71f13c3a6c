/* report.json beside an output, and --json on stdout: the same jansson document (one key order, "report_version": 1).
 */
#ifndef HB_CLI_REPORT_H
#define HB_CLI_REPORT_H

#include <jansson.h>
#include <time.h>

#include "common.h"
#include "io/table/table.h"
#include "machine/machine.h"
#include "mpi/group/group.h"
#include "parse.h"
#include "rlwe/params.h"
#include "table/schema.h"

/* The suffix that makes the name of an output the name of its report. */
#define HB_REPORT_SUFFIX ".report.json"

/* Returns a file or column name as JSON text: bytes that are no UTF-8 become '?'. text NULL: null. NULL when out of
 * memory. */
json_t *hb_report_text(const char *text);
/* Returns the name of a table, or a list of the tables that are read as one. NULL when out of memory. */
json_t *hb_report_tables(hb_table_list tables);
/* Returns an integer as a decimal string: JSON readers round above 2^53. value: two's complement if signed. NULL when
 * out of memory. For every integer that a modulus or a table value bounds; counts and sizes are numbers. */
json_t *hb_report_integer(uint64_t value, bool is_signed);
/* Returns one object with the members of three, in this order, which it takes over; NULL when out of memory, or when
 * one of them is NULL. */
json_t *hb_report_joined(json_t *first, json_t *second, json_t *third);
/* Returns {"name", "n", the scheme's member ("plain"), "primes": [hex], "bits", "security", "security_table",
 * "security_model", "insecure"}, of joint keys with "joint": {"owners", "threshold", "results", "session"}; NULL when
 * out of memory. */
json_t *hb_report_params(const hb_params *params);
/* Returns [{"name", "signed", "values": {"least", "most"} or null, "may_wrap"}, ...], with "mask", the name of
 * another column, where that one tells which cells are missing; NULL when out of memory. */
json_t *hb_report_columns(const hb_schema *schema);
/* Adds exit code, reason, seconds, and the peak host memory of the largest rank, which the caller has found.
 * HB_ENOMEM. */
hb_status hb_report_finish(json_t *report, hb_status status, double seconds, uint64_t peak_bytes);
/* Makes a new report: command, versions of the program and of the libraries, host, ranks, job of Slurm, start time
 * (UTC), warnings (hb_console_warn), and the members of both objects, which it takes over. NULL when out of memory, or
 * when one of them is NULL. */
json_t *hb_report_compose(const hb_group *group, const char *command, json_t *description, json_t *results);
/* Returns the JSON object in the file beside an output, whose name is OUT and `suffix`. NULL: no such file can be read;
 * the last error is cleared. *changed, unless NULL, receives the time of the last change. */
json_t *hb_report_beside(const char *output, const char *suffix, time_t *changed);
/* Returns HB_ECREATE when OUT.report.json exists and is not a report of hebatch: writing would replace it. */
hb_status hb_report_probe(const char *output);
/* Sets "runs_before" of a report to the earlier runs that did not end well, the oldest first, at most the latest 100,
 * from the report beside the output: when and where, by which job of Slurm, how long, how it ended. `resume`: this run
 * continues them; else the list is empty. HB_ENOMEM. */
hb_status hb_report_remember(json_t *report, const char *output, bool resume);
/* Returns the text of a document, for a file or a terminal. Foreign characters that move a cursor or have no width
 * stand in it as \uXXXX. The caller frees it; NULL: no memory. */
char *hb_report_dump(const json_t *document);
/* Writes OUT.report.json for output OUT (rank 0), and replaces an older one. HB_ECREATE, HB_EIO, HB_ENOMEM. */
hb_status hb_report_write(const json_t *report, const char *output);
/* Removes what a run left that was killed while it wrote OUT.report.json, unless a process still writes it. */
void hb_report_sweep(const char *output);
/* Prints to stdout, indented, with a newline. */
void hb_report_print(const json_t *report);
/* Prints a new report of `command` with the members of `results`; rank 0 only. Takes `results` over; NULL means that
 * they could not be made (HB_ENOMEM). */
hb_status hb_report_results(const hb_group *group, const char *command, json_t *results);

#endif
