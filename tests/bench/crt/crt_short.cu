#include "crt_time.cuh"

/* 2, 6, 12, 18, 24 and 30 primes of 30 or 31 bits. */
hb_status hb_crt_time_short(hb_figure_run *run, hb_crt_method method, const hb_design_case *c, double *seconds)
{
    return hb_crt_time_among<uint32_t, 2, 6, 12, 17, 18, 23, 24, 29>(run, method, c, seconds);
}
