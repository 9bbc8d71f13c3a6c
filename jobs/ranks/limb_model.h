/* Predicts the transfers of operations on ciphertexts whose limbs are divided over k ranks, exactly as the engine makes
 * them, and how much of them hides behind computing. The functions are pure, cannot fail, are about fresh ciphertexts,
 * and take parameters that are divided in any way. divided/engine.h derives the number of words. Whole jobs are
 * predicted by the counts of lang/cost/op_cost.h, which tests hold against these. */
#ifndef HB_RANKS_LIMB_MODEL_H
#define HB_RANKS_LIMB_MODEL_H

#include "divided/engine.h"
#include "rlwe/params.h"

/* The bytes that one member receives by each pattern (divided/exchange.h), and the number of transfers. */
typedef struct hb_limb_traffic {
    double bytes[HB_PATTERNS], transfers[HB_PATTERNS];
} hb_limb_traffic;

/* How ciphertexts are divided and exchanged. Borrows the parameters. */
typedef struct hb_limb_case {
    const hb_params *params;
    hb_params_division dealt; /* members, and the order of limbs that was chosen for them */
    hb_division conversions;  /* by cost: in the way that is cheaper, as the engine decides */
    hb_exchange_cost cost;
} hb_limb_case;

/* Operations on ciphertexts in the model and in `bench limbs`. */
typedef enum hb_limb_operation {
    HB_LIMB_ADD,
    HB_LIMB_ENCRYPT_SECRET,
    HB_LIMB_ENCRYPT_PUBLIC,
    HB_LIMB_DECRYPT, /* two components */
    HB_LIMB_MULTIPLY,
    HB_LIMB_RELINEARIZE,
    HB_LIMB_PRODUCT, /* a multiplication and its relinearization */
    HB_LIMB_ROTATE,
    HB_LIMB_MOD_SWITCH,
    HB_LIMB_CONVERT, /* both components to the auxiliary base: step 1 of a product */
    HB_LIMB_OPERATIONS
} hb_limb_operation;

/* Returns the traffic that a member receives in one call on `count` ciphertexts, which is not split. */
hb_limb_traffic hb_limb_traffic_of(const hb_limb_case *c, uint32_t member, hb_limb_operation operation, size_t count);
/* Returns, for each pattern by itself, the traffic of the member that receives most. */
hb_limb_traffic hb_limb_traffic_most(const hb_limb_case *c, hb_limb_operation operation, size_t count);
/* Returns the bytes of all patterns together. */
double hb_limb_bytes(const hb_limb_traffic *traffic);

/* Returns the seconds of this traffic when nothing else runs. */
double hb_limb_exchange_seconds(const hb_limb_traffic *traffic, const hb_exchange_cost *cost);
/* Returns the seconds of that computing and this traffic together (hb_speed_beside in device/speed.h). */
double hb_limb_seconds(double compute, const hb_limb_traffic *traffic, const hb_exchange_cost *cost);

/* Returns the name of network i and its cost, for predictions: "nvlink" as measured on H200s of one host, "ib-400" and
 * "ib-200" InfiniBand and "ethernet-100" at the rates of their data sheets, one port a rank; NULL after the last. */
const char *hb_limb_network(size_t i, hb_exchange_cost *cost);
/* Returns the assumed cost of exchanges between ranks of one host where it has not been measured: GPUs over NVLink,
 * processes through shared memory. */
hb_exchange_cost hb_limb_usual_cost(bool gpu);

#endif
