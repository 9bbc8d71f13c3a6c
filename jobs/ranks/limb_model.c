#include "limb_model.h"

#include <math.h>

/* Consecutive limbs in the order in which they go round the members (ring/limb_map.h): the chain from 0 on, the
 * auxiliary base from the number of data limbs on. Limb i of this order belongs to member i mod k. */
typedef struct run {
    uint32_t first, count;
} run;

/* Who looks at an exchange, its cost, and how many polynomials of each limb are in it. */
typedef struct view {
    const hb_params *params;
    uint32_t k, member;
    size_t polynomials;
    const hb_exchange_cost *cost;
} view;

static run data_of(const hb_params *params)
{
    return (run){0, params->data_limbs};
}

static run auxiliary_of(const hb_params *params)
{
    return (run){params->data_limbs, params->auxiliary_limbs};
}

/* Returns how many limbs of the run the member has: its first one is `offset` limbs into the run. */
static uint32_t own_of(const view *v, run r)
{
    const uint32_t offset = (v->member + v->k - r.first % v->k) % v->k;
    return offset < r.count ? (r.count - offset - 1) / v->k + 1 : 0;
}

static double limb_bytes(const view *v)
{
    return (double)(v->polynomials * v->params->ring.n * sizeof(uint64_t));
}

static void move(hb_limb_traffic *t, hb_pattern pattern, double bytes, double transfers)
{
    t->bytes[pattern] += bytes;
    t->transfers[pattern] += transfers;
}

/* Returns the transfers of an exchange that brings so many bytes to the member that gets most, of `things` that may be
 * halved. */
static double halves(const view *v, hb_pattern pattern, double most_bytes, size_t things)
{
    return things > 1 && hb_exchange_halves(v->cost, pattern, most_bytes) ? 2 : 1;
}

/* Returns the bytes that gathering a run brings to the member that has fewest of its limbs. */
static double gathered_most(const view *v, run r)
{
    return (r.count - r.count / v->k) * limb_bytes(v);
}

/* Adds an exchange in which every limb of the run goes to everyone. */
static void gather(hb_limb_traffic *t, const view *v, run r)
{
    move(t, HB_ALL_GATHER, (r.count - own_of(v, r)) * limb_bytes(v),
         halves(v, HB_ALL_GATHER, gathered_most(v, r), v->polynomials));
}

/* Adds an exchange in which one limb goes to everyone from the member that has it. */
static void broadcast(hb_limb_traffic *t, const view *v, uint32_t limb)
{
    move(t, HB_BROADCAST, limb % v->k == v->member ? 0 : limb_bytes(v), 1);
}

/* Returns the share of the coefficients that the member gets in slices: whole units, one more for the first members
 * where they do not come out even. */
static double slice_of(const view *v)
{
    const size_t units = v->params->ring.n / HB_SLICE_WORDS;
    return (double)(units / v->k + (v->member < units % v->k)) / (double)units;
}

/* Returns the limbs of the run of the member that has most. */
static double most_of(const view *v, run r)
{
    return r.count / v->k + (r.count % v->k > 0);
}

static double largest_slice(const view *v)
{
    view first = *v;
    first.member = 0;
    return slice_of(&first);
}

/* Returns the bytes there and back of slices of so many limbs, and of the run that comes home, for the member that gets
 * most. */
static double sliced_most(const view *v, uint32_t there, run home)
{
    const double others = 1 - 1.0 / v->k;
    return (there * largest_slice(v) + most_of(v, home)) * others * limb_bytes(v);
}

static double sliced_transfers(const view *v, uint32_t there, run home)
{
    return halves(v, HB_ALL_TO_ALL, sliced_most(v, there, home) / 2, v->polynomials);
}

/* Adds the two exchanges of an operation by slices: the member gets all `there` limbs, of which it has `own`, for its
 * slice, and its limbs of `home` for all other slices from the others. */
static void slices(hb_limb_traffic *t, const view *v, uint32_t there, uint32_t own, run home)
{
    const double slice = slice_of(v), transfers = sliced_transfers(v, there, home);
    move(t, HB_ALL_TO_ALL, (there - own) * slice * limb_bytes(v), transfers);
    move(t, HB_ALL_TO_ALL, own_of(v, home) * (1 - slice) * limb_bytes(v), transfers);
}

/* Adds traffic of steps that follow one another. */
static hb_limb_traffic sum(hb_limb_traffic a, hb_limb_traffic b)
{
    for (int i = 0; i < HB_PATTERNS; i++) {
        a.bytes[i] += b.bytes[i];
        a.transfers[i] += b.transfers[i];
    }
    return a;
}

/* Returns the seconds of gathering the run for the member that receives most, which has fewest of its limbs. */
static double gathering_seconds(const view *v, run r)
{
    const double bytes = gathered_most(v, r), transfers = halves(v, HB_ALL_GATHER, bytes, v->polynomials);
    return transfers * v->cost->start[HB_ALL_GATHER] + bytes * v->cost->byte[HB_ALL_GATHER];
}

/* Returns the seconds of a conversion by slices: `there` limbs are sent in slices, and `home` are the limbs that come
 * of them. */
static double slicing_seconds(const view *v, uint32_t there, run home)
{
    return 2 * sliced_transfers(v, there, home) * v->cost->start[HB_ALL_TO_ALL] +
           sliced_most(v, there, home) * v->cost->byte[HB_ALL_TO_ALL];
}

/* Applies the engine's rule (divided/convert.c). It must give the same on all members, so the times are those of the
 * slowest member and not of this one. */
static bool slices_win(hb_division division, double slicing, double gathering)
{
    return division == HB_DIVIDE_BY_SLICES || (division == HB_DIVIDE_BY_COST && slicing <= gathering);
}

static hb_limb_traffic gathered_data(const view *v)
{
    hb_limb_traffic t = {0};
    gather(&t, v, data_of(v->params));
    return t;
}

static hb_limb_traffic sliced_data(const view *v)
{
    const run data = data_of(v->params);
    hb_limb_traffic t = {0};
    slices(&t, v, data.count, own_of(v, data), auxiliary_of(v->params));
    return t;
}

/* Returns the traffic of one call of hb_base_convert to the auxiliary base. */
static hb_limb_traffic convert(const view *v, hb_division division)
{
    const run data = data_of(v->params), auxiliary = auxiliary_of(v->params);
    const double slicing = slicing_seconds(v, data.count, auxiliary);
    return slices_win(division, slicing, gathering_seconds(v, data)) ? sliced_data(v) : gathered_data(v);
}

static hb_limb_traffic gathered_both(const view *v)
{
    hb_limb_traffic t = gathered_data(v);
    gather(&t, v, auxiliary_of(v->params));
    return t;
}

static hb_limb_traffic sliced_both(const view *v)
{
    const run data = data_of(v->params), auxiliary = auxiliary_of(v->params);
    hb_limb_traffic t = {0};
    slices(&t, v, data.count + auxiliary.count, own_of(v, data) + own_of(v, auxiliary), data);
    return t;
}

/* Returns the traffic of one call of hb_base_convert_through, to the auxiliary base and back. */
static hb_limb_traffic convert_through(const view *v, hb_division division)
{
    const run data = data_of(v->params), auxiliary = auxiliary_of(v->params);
    const double slicing = slicing_seconds(v, data.count + auxiliary.count, data);
    const double gathering = gathering_seconds(v, data) + gathering_seconds(v, auxiliary);
    return slices_win(division, slicing, gathering) ? sliced_both(v) : gathered_both(v);
}

/* Returns a view of `times` times as many polynomials. */
static view times(const view *v, size_t times)
{
    view more = *v;
    more.polynomials *= times;
    return more;
}

/* Both factors, of two components each, are lifted to the auxiliary base; the product, of three, is scaled through
 * it. */
static hb_limb_traffic multiply(const view *v, hb_division division)
{
    const view factor = times(v, 2), product = times(v, 3);
    const hb_limb_traffic lift = convert(&factor, division);
    return sum(sum(lift, lift), convert_through(&product, division));
}

/* Adds the division of both components, one call each, by the last of `limbs` limbs, which everyone needs for it. */
static void drop(hb_limb_traffic *t, const view *v, uint32_t limbs)
{
    broadcast(t, v, limbs - 1);
    broadcast(t, v, limbs - 1);
}

/* Returns the traffic of a key switch: everyone needs all limbs for its digits. Over the integers it also needs the
 * sums of all blocks for its slice, of which it returns the quotients; else the special limb of both components, which
 * are divided in one call. */
static hb_limb_traffic switch_key(const view *v)
{
    const hb_key_switch_shape integers = hb_params_integers(v->params, v->k);
    const run base = {v->params->data_limbs, integers.limbs};
    const view both = times(v, 2);
    hb_limb_traffic t = {0};
    gather(&t, v, data_of(v->params));
    if (integers.limbs > 0) {
        slices(&t, &both, integers.blocks * base.count, integers.blocks * own_of(v, base), data_of(v->params));
    } else {
        broadcast(&t, &both, v->params->key_limbs - 1);
    }
    return t;
}

hb_limb_traffic hb_limb_traffic_of(const hb_params *params, uint32_t k, uint32_t member, hb_limb_operation operation,
                                   size_t count, hb_division division, const hb_exchange_cost *cost)
{
    const view one = {params, k, member, count, cost}, both = times(&one, 2);
    hb_limb_traffic t = {0};
    /* One rank has everything. */
    if (k == 1) {
        return t;
    }
    switch (operation) {
    case HB_LIMB_ENCRYPT_PUBLIC:
        /* Encryption is at the key level, and divides both components by the special prime. */
        if (hb_params_can_switch(params)) {
            drop(&t, &one, params->key_limbs);
        }
        break;
    case HB_LIMB_DECRYPT: /* everyone needs the partial sums modulo t and gamma of everyone else */
        move(&t, HB_ALL_GATHER, 2 * (k - 1) * limb_bytes(&one), 1);
        break;
    case HB_LIMB_MULTIPLY:
        return multiply(&one, division);
    case HB_LIMB_RELINEARIZE:
    case HB_LIMB_ROTATE:
        return switch_key(&one);
    case HB_LIMB_PRODUCT:
        return sum(multiply(&one, division), switch_key(&one));
    case HB_LIMB_MOD_SWITCH: /* both components in one call */
        broadcast(&t, &both, params->data_limbs - 1);
        break;
    case HB_LIMB_CONVERT:
        return convert(&both, division);
    case HB_LIMB_ADD: /* nothing moves */
    case HB_LIMB_ENCRYPT_SECRET:
    case HB_LIMB_OPERATIONS:
        break;
    }
    return t;
}

hb_limb_traffic hb_limb_traffic_most(const hb_params *params, uint32_t k, hb_limb_operation operation, size_t count,
                                     hb_division division, const hb_exchange_cost *cost)
{
    hb_limb_traffic most = {0};
    for (uint32_t member = 0; member < k; member++) {
        const hb_limb_traffic t = hb_limb_traffic_of(params, k, member, operation, count, division, cost);
        for (int i = 0; i < HB_PATTERNS; i++) {
            most.bytes[i] = fmax(most.bytes[i], t.bytes[i]);
            most.transfers[i] = fmax(most.transfers[i], t.transfers[i]);
        }
    }
    return most;
}

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

/* Returns the limb transforms of a product with relinearization on the member with most limbs: seven polynomials in
 * both bases, and digits with their products in the limbs of the key, or in the primes of integers. */
static double transforms_of(const hb_params *params, uint32_t k)
{
    const hb_key_switch_shape integers = hb_params_integers(params, k);
    const uint32_t d = params->data_limbs, base = (integers.limbs + k - 1) / k;
    const uint32_t both = (d + params->auxiliary_limbs - 1) / k + 1, key = d / k + 1;
    const double product = 7.0 * both;
    if (!hb_params_can_switch(params)) {
        return product;
    }
    return product + (integers.limbs > 0 ? (d + 2.0 * integers.blocks) * base : (d + 2.0) * key);
}

double hb_limb_relative_seconds(const hb_params *params, uint32_t k, bool gpu)
{
    /* Products take some three times as long as their transforms alone: butterflies a second with all else in it, of an
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
