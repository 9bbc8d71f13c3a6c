/* Predicts how long operations take on ciphertexts whose limbs are divided over k ranks: from how long one rank's share
 * of the computing takes, and what an exchange of so many bytes costs. Pure functions: of fresh ciphertexts, and of any
 * k, whatever params->map says. */
#ifndef HB_RANKS_LIMB_MODEL_H
#define HB_RANKS_LIMB_MODEL_H

#include "divided/engine.h"
#include "rlwe/params.h"

/* What one member receives by each pattern, and how many transfers that is. */
typedef struct hb_limb_traffic {
    double bytes[HB_PATTERNS], transfers[HB_PATTERNS];
} hb_limb_traffic;

typedef enum hb_limb_operation {
    HB_LIMB_ADD,
    HB_LIMB_ENCRYPT_SECRET,
    HB_LIMB_ENCRYPT_PUBLIC,
    HB_LIMB_DECRYPT, /* of two components */
    HB_LIMB_MULTIPLY,
    HB_LIMB_RELINEARIZE,
    HB_LIMB_PRODUCT, /* both */
    HB_LIMB_ROTATE,
    HB_LIMB_MOD_SWITCH,
    HB_LIMB_CONVERT, /* both components to the auxiliary base: step 1 of a product */
    HB_LIMB_OPERATIONS
} hb_limb_operation;

/* What `count` ciphertexts in one call that goes through in one piece make member `member` of k receive
 * (divided/engine.h says what moves). Base conversions go as `division` says; by cost: as `cost` has it cheaper for
 * that member. */
hb_limb_traffic hb_limb_traffic_of(const hb_params *params, uint32_t k, uint32_t member, hb_limb_operation operation,
                                   size_t count, hb_division division, const hb_exchange_cost *cost);
/* Of each pattern what the member has that has most of it. */
hb_limb_traffic hb_limb_traffic_most(const hb_params *params, uint32_t k, hb_limb_operation operation, size_t count,
                                     hb_division division, const hb_exchange_cost *cost);
double hb_limb_bytes(const hb_limb_traffic *traffic);

/* Seconds of that traffic, nothing else going on. */
double hb_limb_exchange_seconds(const hb_limb_traffic *traffic, const hb_exchange_cost *cost);
/* Seconds of a batch whose pieces and queues let exchanges run beside computing: the longer of the two, and a share of
 * the shorter one that stays visible. */
double hb_limb_seconds(double compute, double exchange);

/* Known networks by name, for predictions: "nvlink" as measured on H200s of one host, "ib-400" and "ib-200" InfiniBand
 * and "ethernet-100" at the rates of their data sheets, one port a rank; NULL after the last. */
const char *hb_limb_network(size_t i, hb_exchange_cost *cost);
/* Between ranks of one host, without having measured it: GPUs over NVLink, processes through shared memory. */
hb_exchange_cost hb_limb_usual_cost(bool gpu);

/* Predicted time of a product with relinearization on k ranks relative to that on one, on the device's usual
 * network. */
double hb_limb_relative_seconds(const hb_params *params, uint32_t k, bool gpu);

#endif
