/* Results of `bench job` as JSON. */
#include "print.h"

static json_t *three(const uint64_t bytes[3])
{
    return json_pack("[I, I, I]", (json_int_t)bytes[0], (json_int_t)bytes[1], (json_int_t)bytes[2]);
}

/* null of a job that was not run. */
static json_t *run_json(const hb_bench_job_times *run)
{
    if (!run->done) {
        return json_null();
    }
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o}", "ciphertexts_per_second",
                     run->rate, "bytes_per_second", (double)(run->read_bytes + run->written_bytes) / run->seconds,
                     "link_ciphertexts_per_second", run->link, "files_ciphertexts_per_second", run->files,
                     "files_one_thread_ciphertexts_per_second", run->files_one, "share",
                     hb_bench_share(run, run->files), "share_one_thread", hb_bench_share(run, run->files_one),
                     "seconds", run->seconds, "pipeline", run->times.wall, "close", run->close, "times",
                     hb_phases_json(&run->phases, &run->times), "host_bytes", three(run->memory.host), "gpu_bytes",
                     three(run->memory.gpu));
}

static json_t *files_json(const hb_bench_files *files)
{
    json_t *list = json_array();
    for (int i = 0; i < HB_BENCH_THREADS; i++) {
        json_t *entry = json_pack("{s:I, s:f, s:f}", "threads", (json_int_t)hb_bench_threads[i],
                                  "written_bytes_per_second", files->write[i], "read_bytes_per_second", files->read[i]);
        if (json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL; /* json_pack fails, and takes over what it is given all the same */
        }
    }
    return list;
}

json_t *hb_bench_job_json(const hb_bench_job_options *options, const hb_bench_job_results *results)
{
    json_t *job = json_pack("{s:I, s:i, s:I, s:I, s:I, s:o}", "rows", (json_int_t)options->rows, "columns",
                            HB_BENCH_COLUMNS, "ciphertexts", (json_int_t)results->ciphertexts, "ciphertext_bytes",
                            (json_int_t)results->ciphertext_bytes, "limb_ranks", (json_int_t)results->limb_ranks,
                            "files", files_json(&results->files));
    for (int r = 0; r < HB_BENCH_RUNS; r++) {
        if (json_object_set_new(job, hb_bench_job_names[r], run_json(&results->run[r])) != 0) {
            json_decref(job);
            return NULL;
        }
    }
    return job;
}
