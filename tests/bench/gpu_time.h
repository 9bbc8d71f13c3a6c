/* Times of work on the GPU, between events on its stream. */
#ifndef HB_BENCH_GPU_TIME_H
#define HB_BENCH_GPU_TIME_H

#include "figure.h"

/* Seconds of one call: the median of at least nine samples, in about `seconds` of time, with the GPU at rest for three
 * times its length after each. Calls of less than a millisecond are replayed from a CUDA graph of many; where they
 * cannot be recorded they are issued one by one, and *why_not says why (else its text is empty). */
hb_status hb_gpu_time(void *stream, double seconds, hb_figure_body once, void *argument, double *median,
                      hb_error *why_not);

#endif
