/* Parameters whose limbs are divided over members: the order in which limbs are dealt, and what follows from their
 * number. */
#include <inttypes.h>
#include <string.h>

#include "params.h"

hb_limb_map hb_params_deal(const hb_params *params, uint32_t members, hb_limb_order order)
{
    const hb_limb_lists lists = {.ids = params->ids,
                                 .data = params->data_limbs,
                                 .special = params->special_limbs,
                                 .digits = &params->gadget.digits,
                                 .beside = params->auxiliary_ids,
                                 .auxiliary = params->auxiliary_limbs};
    return hb_limb_map_deal(&lists, members, order);
}

/* --- the order that takes least */

/* The limbs of a ciphertext of some level with those beside it: special ones, or primes of the auxiliary base. */
typedef struct limb_list {
    uint16_t ids[2 * HB_MAX_LIMBS];
    uint32_t limbs;
} limb_list;

static limb_list list_of(const hb_params *params, uint32_t level, const uint16_t *beside, uint32_t count)
{
    limb_list list = {.limbs = level + count};
    memcpy(list.ids, params->ids, level * sizeof *list.ids);
    memcpy(list.ids + level, beside, count * sizeof *list.ids);
    return list;
}

static uint32_t most_of(const hb_limb_map *map, const limb_list *list)
{
    return hb_limb_map_most(map, list->ids, list->limbs);
}

/* Returns the limbs that gathering all of a list brings to the member that has fewest of them. */
static double gathered(const hb_limb_map *map, const uint16_t *ids, uint32_t limbs)
{
    return limbs - hb_limb_map_fewest(map, ids, limbs);
}

/* Digits go to all limbs, and both sums come back; all digits are gathered, and the special limbs of both sums. */
static double switching_work(const hb_params *params, const hb_limb_map *map, uint32_t level, double travel)
{
    const uint32_t digits = params->gadget.levels[level].digits;
    const uint16_t *special = params->ids + params->data_limbs;
    const limb_list key = list_of(params, level, special, params->special_limbs);
    return (digits + 2.0) * most_of(map, &key) +
           travel * (gathered(map, params->ids, level) + 2 * gathered(map, special, params->special_limbs));
}

/* Seven polynomials in both bases, which users' levels alone have. Slices move, and every member has its own. */
static double product_work(const hb_params *params, const hb_limb_map *map, uint32_t level)
{
    const uint32_t most = level <= params->fresh_limbs ? params->auxiliary_limbs : 0;
    const uint32_t beside = level + 1 < most ? level + 1 : most;
    const limb_list both = list_of(params, level, params->auxiliary_ids, beside);
    return 7.0 * most_of(map, &both);
}

double hb_params_dealt_work(const hb_params *params, const hb_limb_map *map, double travel)
{
    double work = 0;
    for (uint32_t level = 1; level <= params->data_limbs; level++) {
        work += product_work(params, map, level);
        work += params->special_limbs > 0 ? switching_work(params, map, level, travel) : 0;
    }
    return work;
}

/* Returns the order with least work; of several the first. */
static hb_limb_order best_order(const hb_params *params, const hb_params_division *division)
{
    hb_limb_order best = HB_LIMBS_IN_TURN;
    double least = 0;
    for (int i = 0; i < HB_LIMB_ORDERS && division->members > 1; i++) {
        const hb_limb_map map = hb_params_deal(params, division->members, (hb_limb_order)i);
        const double work = hb_params_dealt_work(params, &map, division->travel);
        best = i == 0 || work < least ? (hb_limb_order)i : best;
        least = i == 0 || work < least ? work : least;
    }
    return best;
}

/* --- dividing */

/* Makes the base of key switching over the integers that suits the division. After a failure the one before is there:
 * it is kept beside, and put back where it was, as its parts point to one another. */
static hb_status init_integers(hb_params *params, const hb_params_division *division)
{
    const hb_key_switch_chain chain = hb_params_chain(params, division->members, division->travel);
    const hb_key_switch_shape shape = hb_params_integers_at(params, division->members, division->travel);
    hb_key_switch_integer *base = &params->key_switch_integer, before = *base;
    const hb_status st = hb_key_switch_integer_init(base, &chain, shape);
    if (st != HB_OK) {
        hb_key_switch_integer_clear(base);
        *base = before;
        return st;
    }
    hb_key_switch_integer_clear(&before);
    return HB_OK;
}

/* Returns the limbs of the longest list that is exchanged, no fewer than `members` times those of the member that has
 * most of one. The blocks of key switching over the integers are exchanged together, each in the primes of the base. */
static uint32_t most_limbs(const hb_params *params, const hb_limb_map *map)
{
    const hb_key_switch_integer *base = &params->key_switch_integer;
    const uint32_t lists[] = {params->key_limbs, params->auxiliary_limbs,
                              map->members * hb_limb_map_most(map, params->ids, params->key_limbs),
                              map->members * hb_limb_map_most(map, params->auxiliary_ids, params->auxiliary_limbs),
                              map->members * base->blocks * hb_limb_map_most(map, base->basis.ids, base->basis.limbs)};
    uint32_t most = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        most = lists[i] > most ? lists[i] : most;
    }
    return most;
}

hb_status hb_params_divide_as(hb_params *params, const hb_params_division *division)
{
    const uint32_t members = division->members;
    if (members < 1 || members > params->data_limbs) {
        return HB_FAIL(HB_ECONFIG,
                       "the limbs of a ciphertext cannot be divided over %" PRIu32 " ranks: with parameters %s it has "
                       "%" PRIu32 ", and each rank needs one",
                       members, params->name, params->data_limbs);
    }
    HB_TRY(init_integers(params, division));
    params->division = *division;
    params->division.order = division->order < HB_LIMB_ORDERS ? division->order : best_order(params, division);
    params->map = hb_params_deal(params, members, params->division.order);
    params->map.most_limbs = most_limbs(params, &params->map);
    return HB_OK;
}

hb_status hb_params_divide(hb_params *params, uint32_t members)
{
    return hb_params_divide_as(params, &(hb_params_division){members, HB_USUAL_TRAVEL, HB_LIMB_ORDERS});
}
