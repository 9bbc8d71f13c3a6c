/* Between the tables of `bench limbs`, its JSON and the figures that both show. */
#ifndef HB_BENCH_LIMBS_PRINT_H
#define HB_BENCH_LIMBS_PRINT_H

#include "limbs.h"

const char *hb_limbs_row_name(int row);
/* The results of k = 1; NULL: there are none. */
const hb_limbs_results_k *hb_limbs_undivided(const hb_limbs_results *results);
/* How much faster one group goes through a batch than one rank; 0: not known. */
double hb_limbs_speed_up(const hb_limbs_results *results, size_t i, int row);
/* How much of the exchange ran beside computing, 0 .. 1. */
double hb_limbs_hidden(const hb_limbs_row *row);
/* Seconds that the links take for what the row moves, without starts. */
double hb_limbs_link_seconds(const hb_limbs_results_k *r, int row);
/* Speed-up that this version set out with, of products at N = 2^16 and 30 limbs; 0: none. */
double hb_limbs_target(const hb_params *params, int row, uint32_t k);
/* Seconds that a ciphertext's exchange takes on a network, nothing beside it, by the model. */
double hb_limbs_exchange_predicted(const hb_params *params, const hb_limbs_results_k *r, int row,
                                   const hb_exchange_cost *cost);
/* Seconds of a ciphertext on a network: one rank's share of the computing as measured, the exchange by the model. */
double hb_limbs_predicted(const hb_params *params, const hb_limbs_results_k *r, int row, const hb_exchange_cost *cost);

/* Cells of a table; "-" for what is 0: not measured. */
hb_human hb_cell_number(double value, int digits, const char *unit);
hb_human hb_cell_seconds(double value);

void hb_limbs_print_strong(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                           const hb_limbs_results *results);
void hb_limbs_print_weak(const hb_group *group, const hb_common *common, const hb_limbs_results *results);
void hb_limbs_print_predictions(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                                const hb_limbs_results *results);

#endif
