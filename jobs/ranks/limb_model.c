#include "limb_model.h"

#include <math.h>

#include "device/speed.h"

/* Some limbs, by their ids. */
typedef struct run {
    const uint16_t *ids;
    uint32_t count;
} run;

/* Who looks at an exchange, and how many polynomials of each limb are in it. */
typedef struct view {
    const hb_limb_case *c;
    const hb_params *params;
    const hb_limb_map *map;
    uint32_t k, member;
    size_t polynomials;
} view;

/* Returns the limbs of a fresh ciphertext. */
static run data_of(const hb_params *params)
{
    return (run){params->ids, params->fresh_limbs};
}

static run special_of(const hb_params *params)
{
    return (run){params->ids + params->data_limbs, params->special_limbs};
}

static run auxiliary_of(const hb_params *params)
{
    return (run){params->auxiliary_ids, params->auxiliary_limbs};
}

/* Returns how many limbs of the run the member has. */
static uint32_t own_of(const view *v, run r)
{
    return hb_limb_map_count(v->map, r.ids, r.count, v->member);
}

static double limb_bytes(const view *v)
{
    return (double)(v->polynomials * v->params->ring.n * sizeof(uint64_t));
}

/* transfers: 2 where there are two halves. */
static void move(hb_limb_traffic *t, hb_pattern pattern, double bytes, double transfers)
{
    t->bytes[pattern] += bytes;
    t->transfers[pattern] += transfers;
}

/* Returns the transfers of an exchange that brings so many bytes to the member that gets most, of `things` that may be
 * halved. */
static double halves(const view *v, hb_pattern pattern, double most_bytes, size_t things)
{
    return things > 1 && hb_exchange_halves(&v->c->cost, pattern, most_bytes) ? 2 : 1;
}

/* Returns the bytes that gathering a run brings to the member that has fewest of its limbs. */
static double gathered_most(const view *v, run r)
{
    return (r.count - hb_limb_map_fewest(v->map, r.ids, r.count)) * limb_bytes(v);
}

/* Adds an exchange in which every limb of the run goes to everyone, of `things` that may be halved. */
static void gather_things(hb_limb_traffic *t, const view *v, run r, size_t things)
{
    move(t, HB_ALL_GATHER, (r.count - own_of(v, r)) * limb_bytes(v),
         halves(v, HB_ALL_GATHER, gathered_most(v, r), things));
}

static void gather(hb_limb_traffic *t, const view *v, run r)
{
    gather_things(t, v, r, v->polynomials);
}

/* Adds an exchange in which one limb goes to everyone from the member that has it. */
static void broadcast(hb_limb_traffic *t, const view *v, uint16_t id)
{
    move(t, HB_BROADCAST, v->map->owner[id] == v->member ? 0 : limb_bytes(v), 1);
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
    return hb_limb_map_most(v->map, r.ids, r.count);
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
    return transfers * v->c->cost.start[HB_ALL_GATHER] + bytes * v->c->cost.byte[HB_ALL_GATHER];
}

/* Returns the seconds of a conversion by slices: `there` limbs are sent in slices, and `home` are the limbs that come
 * of them. */
static double slicing_seconds(const view *v, uint32_t there, run home)
{
    return 2 * sliced_transfers(v, there, home) * v->c->cost.start[HB_ALL_TO_ALL] +
           sliced_most(v, there, home) * v->c->cost.byte[HB_ALL_TO_ALL];
}

/* Applies the engine's rule (divided/convert.c). It must give the same on all members, so the times are those of the
 * slowest member and not of this one. */
static bool slices_win(hb_division division, double slicing, double gathering)
{
    return division == HB_DIVIDE_BY_SLICES || (division == HB_DIVIDE_BY_COST && slicing <= gathering);
}

/* Returns the traffic of one call of hb_base_convert, which keeps nothing or, with `kept`, the words of its targets. */
static hb_limb_traffic convert(const view *v, run from, run to, bool kept, hb_division division)
{
    const run beside = kept ? to : (run){NULL, 0};
    const uint32_t there = from.count + beside.count;
    hb_limb_traffic t = {0};
    if (slices_win(division, slicing_seconds(v, there, to), gathering_seconds(v, from))) {
        slices(&t, v, there, own_of(v, from) + own_of(v, beside), to);
    } else {
        gather(&t, v, from);
    }
    return t;
}

static hb_limb_traffic gathered_both(const view *v)
{
    hb_limb_traffic t = {0};
    gather(&t, v, data_of(v->params));
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
 * it. In NTT form a product is word by word. */
static hb_limb_traffic multiply(const view *v, hb_division division)
{
    if (v->params->form == HB_NTT_FORM) {
        return (hb_limb_traffic){0};
    }
    const view factor = times(v, 2), product = times(v, 3);
    const hb_limb_traffic lift = convert(&factor, data_of(v->params), auxiliary_of(v->params), false, division);
    return sum(sum(lift, lift), convert_through(&product, division));
}

/* Returns the traffic of the division of polynomials by one prime or more, `dropped`, to the limbs `stay`. In
 * coefficient form one prime's limb is broadcast, and several are converted with the words that stay. */
static hb_limb_traffic divide(const view *v, run dropped, run stay, hb_form form, hb_division division)
{
    hb_limb_traffic t = {0};
    if (form == HB_COEFFICIENT_FORM && dropped.count == 1) {
        broadcast(&t, v, dropped.ids[0]);
        return t;
    }
    return convert(v, dropped, stay, form == HB_COEFFICIENT_FORM, division);
}

/* Returns the traffic of a key switch: everyone needs all limbs for its digits. Over the integers it also needs the
 * sums of all blocks for its slice, of which it returns the quotients; else the special limbs of both components, which
 * are divided in one call. */
static hb_limb_traffic switch_key(const view *v, hb_division division)
{
    const hb_params *p = v->params;
    const hb_key_switch_shape integers = hb_params_integers_at(p, v->k, v->c->dealt.travel);
    const run data = data_of(p), base = {p->auxiliary_ids, integers.limbs};
    const uint32_t digits = p->gadget.levels[data.count].digits;
    const bool centred = !hb_spec_switches_like_seal(&p->spec);
    const size_t limbs = v->polynomials > 1 ? v->polynomials : data.count; /* of one polynomial limbs are halved */
    const view both = times(v, 2);
    hb_limb_traffic t = {0};
    gather_things(&t, v, data, centred ? digits : limbs);
    if (integers.limbs > 0) {
        slices(&t, &both, integers.blocks * base.count, integers.blocks * own_of(v, base), data);
        return t;
    }
    return sum(t, divide(&both, special_of(p), data, p->form, division));
}

/* Returns the limbs that a fresh level owns alone, and those below. */
static run last_of(const hb_params *params)
{
    const uint32_t own = hb_params_level_limbs(params);
    return (run){params->ids + params->fresh_limbs - own, own};
}

static run below_of(const hb_params *params)
{
    return (run){params->ids, params->fresh_limbs - hb_params_level_limbs(params)};
}

static hb_limb_traffic traffic_of(const view *one, hb_limb_operation operation)
{
    const hb_params *params = one->params;
    const hb_division division = one->c->conversions;
    const view both = times(one, 2);
    hb_limb_traffic t = {0};
    switch (operation) {
    case HB_LIMB_ENCRYPT_PUBLIC: /* with special primes, by which both components are divided, one call each */
        if (params->fresh_special > 0) {
            const run dropped = {params->ids + params->data_limbs, params->fresh_special};
            t = divide(one, dropped, data_of(params), HB_COEFFICIENT_FORM, division);
            return sum(t, t);
        }
        break;
    case HB_LIMB_DECRYPT: /* partial sums modulo t and gamma, of everyone for everyone; reals are decoded later */
        if (params->form == HB_COEFFICIENT_FORM) {
            move(&t, HB_ALL_GATHER, 2 * (one->k - 1) * limb_bytes(one), 1);
        }
        break;
    case HB_LIMB_MULTIPLY:
        return multiply(one, division);
    case HB_LIMB_RELINEARIZE:
    case HB_LIMB_ROTATE:
        return switch_key(one, division);
    case HB_LIMB_PRODUCT:
        return sum(multiply(one, division), switch_key(one, division));
    case HB_LIMB_MOD_SWITCH: /* both components in one call */
        return divide(&both, last_of(params), below_of(params), params->form, division);
    case HB_LIMB_CONVERT:
        return convert(&both, data_of(params), auxiliary_of(params), false, division);
    case HB_LIMB_ADD: /* nothing moves */
    case HB_LIMB_ENCRYPT_SECRET:
    case HB_LIMB_OPERATIONS:
        break;
    }
    return t;
}

hb_limb_traffic hb_limb_traffic_of(const hb_limb_case *c, uint32_t member, hb_limb_operation operation, size_t count)
{
    const uint32_t k = c->dealt.members;
    const hb_limb_map map = hb_params_deal(c->params, k, c->dealt.order);
    const view one = {c, c->params, &map, k, member, count};
    /* One rank has everything. */
    return k == 1 ? (hb_limb_traffic){0} : traffic_of(&one, operation);
}

hb_limb_traffic hb_limb_traffic_most(const hb_limb_case *c, hb_limb_operation operation, size_t count)
{
    hb_limb_traffic most = {0};
    for (uint32_t member = 0; member < c->dealt.members; member++) {
        const hb_limb_traffic t = hb_limb_traffic_of(c, member, operation, count);
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

double hb_limb_seconds(double compute, const hb_limb_traffic *t, const hb_exchange_cost *cost)
{
    return hb_speed_beside(compute, hb_limb_exchange_seconds(t, cost), cost->visible);
}

static hb_exchange_cost cost_of(double start, double gather_rate, double all_to_all_rate, double broadcast_rate,
                                double visible)
{
    hb_exchange_cost cost = {.start = {start, start, start}, .visible = visible};
    cost.byte[HB_ALL_GATHER] = 1 / gather_rate;
    cost.byte[HB_ALL_TO_ALL] = 1 / all_to_all_rate;
    cost.byte[HB_BROADCAST] = 1 / broadcast_rate;
    return cost;
}

const char *hb_limb_network(size_t i, hb_exchange_cost *cost)
{
    /* Seconds before the first byte, bytes a second received by a rank, the share that shows beside computing. NVLink:
     * direct transfers between two H200s. The others: bits a second of a port over 8; starts as NCCL usually shows them
     * between hosts. */
    static const struct {
        const char *name;
        double start, gather, all_to_all, broadcast, visible;
    } networks[] = {{"nvlink", 25e-6, 384e9, 382e9, 394e9, HB_VISIBLE_DIRECT},
                    {"ib-400", 25e-6, 400e9 / 8, 400e9 / 8, 400e9 / 8, HB_VISIBLE_NCCL},
                    {"ib-200", 25e-6, 200e9 / 8, 200e9 / 8, 200e9 / 8, HB_VISIBLE_NCCL},
                    {"ethernet-100", 50e-6, 100e9 / 8, 100e9 / 8, 100e9 / 8, HB_VISIBLE_NCCL}};
    if (i >= sizeof networks / sizeof networks[0]) {
        return NULL;
    }
    *cost = cost_of(networks[i].start, networks[i].gather, networks[i].all_to_all, networks[i].broadcast,
                    networks[i].visible);
    return networks[i].name;
}

hb_exchange_cost hb_limb_usual_cost(bool gpu)
{
    hb_exchange_cost cost =
        cost_of(10e-6, 4e9, 4e9, 4e9, HB_VISIBLE_MPI); /* a copy in and a copy out of shared memory */
    if (gpu) {
        (void)hb_limb_network(0, &cost);
    }
    return cost;
}
