/* Predicts how long operations take on ciphertexts whose limbs are divided over k ranks: from how long one rank's share
 * of the computing takes, and what an exchange of so many bytes costs. The functions are pure, cannot fail, speak of
 * fresh ciphertexts, and take any k from 1 to the number of data limbs, whatever params->map says. What moves, and why,
 * stands in divided/engine.h. */
#ifndef HB_RANKS_LIMB_MODEL_H
#define HB_RANKS_LIMB_MODEL_H

#include "divided/engine.h"
#include "rlwe/params.h"

/* What one member receives by each pattern (divided/exchange.h), and in how many transfers. */
typedef struct hb_limb_traffic {
    double bytes[HB_PATTERNS], transfers[HB_PATTERNS];
} hb_limb_traffic;

/* Operations on ciphertexts, as the model and `bench limbs` know them. */
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

/* Returns what one call on `count` ciphertexts, which goes through in one piece, makes member `member` of k receive.
 * Base conversions are divided as `division` says; by cost: the way that `cost` makes cheaper, as the engine decides
 * it. */
hb_limb_traffic hb_limb_traffic_of(const hb_params *params, uint32_t k, uint32_t member, hb_limb_operation operation,
                                   size_t count, hb_division division, const hb_exchange_cost *cost);
/* Returns, for each pattern by itself, what the member receives that receives most by it. */
hb_limb_traffic hb_limb_traffic_most(const hb_params *params, uint32_t k, hb_limb_operation operation, size_t count,
                                     hb_division division, const hb_exchange_cost *cost);
/* Returns the bytes of all patterns together. */
double hb_limb_bytes(const hb_limb_traffic *traffic);

/* Returns the seconds that this traffic takes when nothing else goes on. */
double hb_limb_exchange_seconds(const hb_limb_traffic *traffic, const hb_exchange_cost *cost);
/* Returns the seconds of a batch whose pieces and queues let exchanges run beside computing: the longer of the two
 * times, and the share of the shorter one that stays visible. */
double hb_limb_seconds(double compute, double exchange);

/* Returns the name of network i and its cost, for predictions: "nvlink" as measured on H200s of one host, "ib-400" and
 * "ib-200" InfiniBand and "ethernet-100" at the rates of their data sheets, one port a rank; NULL after the last. */
const char *hb_limb_network(size_t i, hb_exchange_cost *cost);
/* Returns what exchanges between ranks of one host cost where that has not been measured: GPUs over NVLink, processes
 * through shared memory. */
hb_exchange_cost hb_limb_usual_cost(bool gpu);

/* Returns the predicted time of a product with relinearization on k ranks, relative to that on one, on the device's
 * usual network. */
double hb_limb_relative_seconds(const hb_params *params, uint32_t k, bool gpu);

#endif
