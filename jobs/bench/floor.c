/* Counts the operations without which an item cannot be made, from its sizes. */
#include "base/digest.h"
#include "bench_private.h"

const char *const hb_ceiling_names[HB_CEILINGS] = {"memory", "FP64",   "integer",  "keystream",
                                                   "digest", "upload", "download", "both ways"};

double hb_floor(const hb_rates *cost, const hb_rates *ceilings, hb_ceiling *bound)
{
    double most = 0;
    *bound = HB_CEILING_MEMORY;
    for (int i = 0; i < HB_CEILINGS; i++) {
        const double seconds = cost->of[i] > 0 ? cost->of[i] / ceilings->of[i] : 0;
        if (seconds > most) {
            most = seconds;
            *bound = (hb_ceiling)i;
        }
    }
    return most;
}

void hb_floor_bytes(hb_rates *cost, size_t bytes)
{
    cost->of[HB_CEILING_MEMORY] += (double)bytes;
}

void hb_floor_words(hb_rates *cost, size_t words)
{
    hb_floor_bytes(cost, words * sizeof(uint64_t));
}

void hb_floor_transform(hb_rates *cost, const hb_device *device, const hb_ring *ring, const uint16_t *ids,
                        uint32_t limbs)
{
    const double butterflies = (double)(ring->n * ring->log_n) / 2;
    const bool has_f64 = !device->gpu || device->card.fast_f64;
    for (uint32_t l = 0; l < limbs; l++) {
        const bool f64 = has_f64 && ring->moduli[ids[l]].f64 != 0;
        cost->of[f64 ? HB_CEILING_F64 : HB_CEILING_U64] += butterflies;
    }
}

void hb_floor_switch(hb_rates *cost, const hb_device *device, const hb_params *params, uint32_t limbs, uint32_t times,
                     uint32_t digits, size_t count)
{
    const hb_gadget_level *level = &params->gadget.levels[limbs];
    const uint32_t d = level->digits, all = level->switch_limbs;
    /* A pair of polynomials for each digit, in the limbs of the data and the special ones. */
    const size_t key_words = (size_t)2 * d * all * params->spec.n;
    for (uint32_t i = 0; i < digits * d + times * 2; i++) {
        hb_floor_transform(cost, device, &params->ring, level->switch_ids, all);
    }
    hb_floor_words(cost, times * key_words / count);
}

void hb_floor_draw(hb_rates *cost, const hb_ring *ring, size_t count)
{
    const double words = 8; /* of a block; chain primes lie just below a power of two, hardly a word is drawn again */
    cost->of[HB_CEILING_KEYSTREAM] += (double)(count * ring->n) / words;
}

static size_t blocks(size_t bytes)
{
    const size_t block = 128;
    return (bytes + block - 1) / block;
}

void hb_floor_digest(hb_rates *cost, const hb_ring *ring, const uint16_t *ids, uint32_t limbs)
{
    for (uint32_t l = 0; l < limbs; l++) {
        const size_t row = hb_packed_row_bytes(ring->n, &ring->moduli[ids[l]]);
        /* Leaves are digested, then their digests (base/digest.h). */
        const size_t leaves = (row + HB_DIGEST_LEAF - 1) / HB_DIGEST_LEAF;
        cost->of[HB_CEILING_DIGEST] += (double)(blocks(row) + blocks(leaves * HB_DIGEST_BYTES));
    }
}

void hb_floor_link(hb_rates *cost, const hb_device *device, hb_ceiling way, size_t bytes)
{
    if (device->gpu) {
        cost->of[way] += (double)bytes;
    } else {
        /* Read and written. */
        hb_floor_bytes(cost, 2 * bytes);
    }
}
