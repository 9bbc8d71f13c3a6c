#include "limb_model.h"

#include <math.h>

double hb_limb_bytes(const hb_limb_traffic *t)
{
    double sum = 0;
    for (int i = 0; i < HB_PATTERNS; i++) {
        sum += t->bytes[i];
    }
    return sum;
}

double hb_limb_exchange_seconds(const hb_limb_traffic *t, const hb_exchange_cost *cost)
{
    double seconds = 0;
    for (int i = 0; i < HB_PATTERNS; i++) {
        seconds += t->transfers[i] * cost->start[i] + t->bytes[i] * cost->byte[i];
    }
    return seconds;
}

double hb_limb_seconds(double compute, double exchange)
{
    /* The first piece of each exchange has nothing to hide behind, nor has the last piece of computing. */
    static const double visible = 0.2;
    return fmax(compute, exchange) + visible * fmin(compute, exchange);
}

static hb_exchange_cost cost_of(double start, double gather_rate, double all_to_all_rate, double broadcast_rate)
{
    hb_exchange_cost cost = {.start = {start, start, start}};
    cost.byte[HB_ALL_GATHER] = 1 / gather_rate;
    cost.byte[HB_ALL_TO_ALL] = 1 / all_to_all_rate;
    cost.byte[HB_BROADCAST] = 1 / broadcast_rate;
    return cost;
}

const char *hb_limb_network(size_t i, hb_exchange_cost *cost)
{
    /* Seconds before the first byte, bytes a second received by a rank. NVLink: NCCL 2.28 with 64 MB a rank of 2 to 8
     * H200s. The others: bits a second of a port over 8; starts as NCCL usually shows them between hosts. */
    static const struct {
        const char *name;
        double start, gather, all_to_all, broadcast;
    } networks[] = {{"nvlink", 13e-6, 310e9, 270e9, 320e9},
                    {"ib-400", 25e-6, 400e9 / 8, 400e9 / 8, 400e9 / 8},
                    {"ib-200", 25e-6, 200e9 / 8, 200e9 / 8, 200e9 / 8},
                    {"ethernet-100", 50e-6, 100e9 / 8, 100e9 / 8, 100e9 / 8}};
    if (i >= sizeof networks / sizeof networks[0]) {
        return NULL;
    }
    *cost = cost_of(networks[i].start, networks[i].gather, networks[i].all_to_all, networks[i].broadcast);
    return networks[i].name;
}

hb_exchange_cost hb_limb_usual_cost(bool gpu)
{
    hb_exchange_cost cost = cost_of(10e-6, 4e9, 4e9, 4e9); /* a copy in and a copy out of shared memory */
    if (gpu) {
        (void)hb_limb_network(0, &cost);
    }
    return cost;
}

/* Limb transforms of a product with relinearization on the member with most: seven polynomials in both bases, digits
 * and what is made of them in the limbs of the key. */
static double transforms_of(const hb_params *params, uint32_t k)
{
    const uint32_t d = params->data_limbs;
    const uint32_t both = (d + params->auxiliary_limbs - 1) / k + 1, key = d / k + 1;
    return 7.0 * both + (hb_params_can_switch(params) ? (d + 2.0) * key : 0);
}

double hb_limb_relative_seconds(const hb_params *params, uint32_t k, bool gpu)
{
    /* Products take some three times what their transforms alone would: butterflies a second with all else in it, of an
     * H200 and of a core with AVX-512 (bench/README.md). */
    const double butterflies = 0.5 * (double)params->ring.n * params->ring.log_n, rate = gpu ? 0.5e12 : 1.5e9;
    const double one = transforms_of(params, 1) * butterflies / rate;
    const double compute = transforms_of(params, k) * butterflies / rate;
    const hb_exchange_cost cost = hb_limb_usual_cost(gpu);
    const size_t batch = 16; /* starts are shared by some */
    const hb_limb_traffic t = hb_limb_traffic_most(params, k, HB_LIMB_PRODUCT, batch, HB_DIVIDE_BY_COST, &cost);
    const double exchange = hb_limb_exchange_seconds(&t, &cost) / (double)batch;
    return hb_limb_seconds(compute, exchange) / one;
}
