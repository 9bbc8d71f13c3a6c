/* Results of `hebatch bench` as tables on stdout and as JSON. */
#ifndef HB_BENCH_PRINT_H
#define HB_BENCH_PRINT_H

#include "cli/console.h"
#include "job.h"

/* Three digits and a unit from ns to s. */
hb_human hb_bench_duration(double seconds);

void hb_bench_print(const hb_group *group, const hb_common *common, const hb_bench_results *results);
void hb_bench_print_job(const hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                        const hb_bench_job_results *results);

/* {"ceilings", "measures"}; members of `bench job`. NULL when out of memory. */
json_t *hb_bench_json(const hb_bench_results *results);
json_t *hb_bench_job_json(const hb_bench_job_options *options, const hb_bench_job_results *results);

#endif
