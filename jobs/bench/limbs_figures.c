/* What follows from the measurements of `bench limbs`. */
#include "limbs_print.h"

const char *hb_limbs_row_name(int row)
{
    static const char *const names[HB_LIMBS_ROWS] = {"add",
                                                     "encrypt, secret key",
                                                     "encrypt, public key",
                                                     "decrypt",
                                                     "multiply",
                                                     "relinearize",
                                                     "multiply, relinearize",
                                                     "rotate",
                                                     "switch to fewer limbs",
                                                     "convert by gathering",
                                                     "convert by slices"};
    return names[row];
}

const hb_limbs_results_k *hb_limbs_undivided(const hb_limbs_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        if (results->k[i].k == 1 && results->k[i].fits) {
            return &results->k[i];
        }
    }
    return NULL;
}

double hb_limbs_speed_up(const hb_limbs_results *results, size_t i, int row)
{
    const hb_limbs_results_k *one = hb_limbs_undivided(results);
    const double seconds = results->k[i].rows[row].batch;
    return one != NULL && seconds > 0 ? one->rows[row].batch / seconds : 0;
}

double hb_limbs_hidden(const hb_limbs_row *row)
{
    if (row->exchange <= 0) {
        return 0;
    }
    const double hidden = (row->compute + row->exchange - row->batch) / row->exchange;
    return hidden < 0 ? 0 : hidden > 1 ? 1 : hidden;
}

double hb_limbs_target(const hb_params *params, int row, uint32_t k)
{
    if (params->spec.n != (size_t)1 << 16 || params->data_limbs != 30 || row != HB_LIMB_PRODUCT) {
        return 0;
    }
    return k == 2 ? 1.8 : k == 4 ? 3.2 : k == 8 ? 5 : 0;
}

static double transfers_of(const hb_limb_traffic *t)
{
    double sum = 0;
    for (int p = 0; p < HB_PATTERNS; p++) {
        sum += t->transfers[p];
    }
    return sum;
}

double hb_limbs_exchange_predicted(const hb_params *params, const hb_limbs_results_k *r, int row,
                                   const hb_exchange_cost *cost)
{
    const hb_limbs_row *m = &r->rows[row];
    const bool conversion = row >= HB_LIMB_CONVERT;
    const hb_division division = !conversion              ? HB_DIVIDE_BY_COST
                                 : row == HB_LIMB_CONVERT ? HB_DIVIDE_BY_GATHERING
                                                          : HB_DIVIDE_BY_SLICES;
    const hb_limb_operation operation = conversion ? HB_LIMB_CONVERT : (hb_limb_operation)row;
    hb_limb_traffic t = hb_limb_traffic_most(params, r->k, operation, r->count, division, cost);
    const double modelled = transfers_of(&m->model), pieces = modelled > 0 ? transfers_of(&m->traffic) / modelled : 1;
    for (int p = 0; p < HB_PATTERNS; p++) {
        t.transfers[p] *= pieces; /* as the engine cut this batch */
    }
    return hb_limb_exchange_seconds(&t, cost) / (double)r->count;
}

double hb_limbs_predicted(const hb_params *params, const hb_limbs_results_k *r, int row, const hb_exchange_cost *cost)
{
    return hb_limb_seconds(r->rows[row].compute, hb_limbs_exchange_predicted(params, r, row, cost));
}

double hb_limbs_link_seconds(const hb_limbs_results_k *r, int row)
{
    double seconds = 0;
    for (int p = 0; p < HB_PATTERNS; p++) {
        seconds += r->rows[row].traffic.bytes[p] * r->cost.byte[p];
    }
    return seconds;
}
