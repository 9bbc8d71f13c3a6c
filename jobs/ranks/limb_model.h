/* Predicts how long operations take on ciphertexts whose limbs are divided over k ranks: from the computing time of one
 * rank's share, and the cost of exchanging bytes. The functions are pure, cannot fail, are about fresh ciphertexts, and
 * take any k from 1 to the number of data limbs; they ignore params->map. divided/engine.h derives the number of
 * words. */
#ifndef HB_RANKS_LIMB_MODEL_H
#define HB_RANKS_LIMB_MODEL_H

#include "divided/engine.h"
#include "rlwe/params.h"

/* The bytes that one member receives by each pattern (divided/exchange.h), and the number of transfers. */
typedef struct hb_limb_traffic {
    double bytes[HB_PATTERNS], transfers[HB_PATTERNS];
} hb_limb_traffic;

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

/* Returns the traffic that member `member` of k receives in one call on `count` ciphertexts, which is not split. Base
 * conversions are divided as `division` says; by cost: in the way that is cheaper by `cost`, as the engine decides. */
hb_limb_traffic hb_limb_traffic_of(const hb_params *params, uint32_t k, uint32_t member, hb_limb_operation operation,
                                   size_t count, hb_division division, const hb_exchange_cost *cost);
/* Returns, for each pattern by itself, the traffic of the member that receives most. */
hb_limb_traffic hb_limb_traffic_most(const hb_params *params, uint32_t k, hb_limb_operation operation, size_t count,
                                     hb_division division, const hb_exchange_cost *cost);
/* Returns the bytes of all patterns together. */
double hb_limb_bytes(const hb_limb_traffic *traffic);

/* Returns the seconds of this traffic when nothing else runs. */
double hb_limb_exchange_seconds(const hb_limb_traffic *traffic, const hb_exchange_cost *cost);
/* Returns the seconds of a batch whose pieces and queues let exchanges run beside computing: the longer of the two
 * times, and the part of the shorter one that stays visible. */
double hb_limb_seconds(double compute, double exchange);

/* Returns the name of network i and its cost, for predictions: "nvlink" as measured on H200s of one host, "ib-400" and
 * "ib-200" InfiniBand and "ethernet-100" at the rates of their data sheets, one port a rank; NULL after the last. */
const char *hb_limb_network(size_t i, hb_exchange_cost *cost);
/* Returns the assumed cost of exchanges between ranks of one host where it has not been measured: GPUs over NVLink,
 * processes through shared memory. */
hb_exchange_cost hb_limb_usual_cost(bool gpu);

/* Returns whether keys of k members are switched sooner over the integers, which exchanges more than modulo each prime
 * does, where transfers cost so much: false where no shape of integers suits the parameters. */
bool hb_limb_integers_pay(const hb_params *params, uint32_t k, bool gpu, const hb_exchange_cost *cost);

/* Returns the predicted time of a product with relinearization on k ranks, relative to the time on one, on the device's
 * usual network. */
double hb_limb_relative_seconds(const hb_params *params, uint32_t k, bool gpu);

#endif
