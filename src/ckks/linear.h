/* Linear maps of the slots of CKKS: sums of diagonals times rotations, by baby and giant steps, of which both kinds are
 * hoisted (semantics.md 9.9; S. Halevi, V. Shoup, "Faster Homomorphic Linear Transformations in HElib", CRYPTO 2018;
 * J.-P. Bossuat et al., "Efficient Bootstrapping for Approximate Homomorphic Encryption with Non-Sparse Keys",
 * EUROCRYPT 2021). For literals like SEAL's there are none: their keys switch behind the automorphism. */
#ifndef HB_CKKS_LINEAR_H
#define HB_CKKS_LINEAR_H

#include "params.h"
#include "rlwe/evaluator_build.h"

/* A map of n = N/2 slots: slot x of the result is the sum over i of values[i][x mod period] times slot x + numbers[i]
 * mod n. A view of host memory. */
typedef struct hb_diagonals {
    uint32_t count;         /* 1 .. n */
    const int64_t *numbers; /* [count], -n < number < n, different modulo n */
    const double *values;   /* [count][2][period]: real parts, imaginary parts; NULL: they are made, by ... */
    size_t period;          /* a power of two that divides n; 0: n */
    /* ... this: sets real and imaginary, [period] each, to diagonal i, rotated by by < period slots to the right.
     * Threads may call it together. */
    void (*make)(const void *context, uint32_t i, size_t by, double *real, double *imaginary);
    const void *context;
} hb_diagonals;

/* Steps of diagonals. Let s be the greatest common divisor of their numbers, each taken in (-n/2, n/2]. A number is g +
 * b, where g is a multiple of baby s, and 0 <= b < baby s. `baby` decides about roundings, so results depend on it. */
typedef struct hb_linear_spec {
    uint32_t limbs; /* of the ciphertexts, above the lowest level */
    uint32_t baby;  /* 1 .. n */
    /* The diagonals are encoded at this scale; that of the level leaves results at the scale of the level below. */
    hb_exact_scale scale;
    size_t count; /* ciphertexts at a time, at most; 0: the map has no workspace, and is applied in that of others */
    struct hb_repeated *encoder; /* of plaintexts as it has (repeated.h); NULL: the map opens one for a while */
} hb_linear_spec;

/* The counts of a map, which follow from its diagonals and `baby`: diagonals; baby and giant steps that are rotations;
 * sums of diagonals, one for each giant step, step 0 included; and the slots with which diagonals repeat. */
typedef struct hb_linear_shape {
    uint32_t diagonals, babies, giants, sums;
    size_t period;
} hb_linear_shape;

/* The memory of an engine that a map takes; where limbs are divided, on the member that needs most. */
typedef struct hb_linear_memory {
    uint64_t bytes; /* diagonals, rotations and workspace */
    size_t words;   /* of workspace for one ciphertext */
} hb_linear_memory;

/* One of the maps of a sum, each of which acts on ciphertexts of its own: r = M_0 a_0 + M_1 a_1. Both have the same
 * giant steps: their sums are added before these. */
typedef struct hb_linear_part {
    const hb_diagonals *diagonals;
    uint32_t baby; /* instead of the map's */
} hb_linear_part;
#define HB_LINEAR_PARTS 2 /* at most */

typedef struct hb_linear_map hb_linear_map;

/* Prepares a sum of maps, parts [count], for ciphertexts of one level: encodes the diagonals, modulo the level's primes
 * and the special ones, and makes the workspace, in memory of the engine. Diagonals that repeat take the less of it
 * (repeated.h): those of all parts with the same period. engine and params are borrowed; the diagonals are not needed
 * afterwards, and `baby` of the spec is not looked at. Waits. HB_ENOMEM; HB_EDATA where an entry is not finite or too
 * large for the scale; HB_ECONFIG where parameters are like SEAL's or have no special prime. Closing takes NULL. */
hb_status hb_linear_sum_open(hb_engine *engine, const hb_params *params, const hb_linear_spec *spec,
                             const hb_linear_part *parts, uint32_t count, hb_linear_map **out);
/* Does that for one map. */
static inline hb_status hb_linear_map_open(hb_engine *engine, const hb_params *params, const hb_linear_spec *spec,
                                           const hb_diagonals *diagonals, hb_linear_map **out)
{
    const hb_linear_part part = {diagonals, spec->baby};
    return hb_linear_sum_open(engine, params, spec, &part, 1, out);
}
/* Wipes the diagonals. */
void hb_linear_map_close(hb_linear_map *map);
/* Goes on with other parameters that are the same, divided in the same way; the ones before may be gone. */
void hb_linear_map_use(hb_linear_map *map, const hb_params *params);
/* Return the bytes of the engine's memory that it takes, and the words of workspace for one ciphertext; on the member
 * with most of them, where limbs are divided. */
uint64_t hb_linear_map_bytes(const hb_linear_map *map);
size_t hb_linear_map_words(const hb_linear_map *map);
/* Sets *shape to that of a sum of maps, whose diagonals and baby steps are counted together; values are not looked at.
 * HB_ENOMEM. Host. */
hb_status hb_linear_sum_shape_of(hb_linear_shape *shape, size_t slots, const hb_linear_part *parts, uint32_t count);
/* Does that for one map. */
static inline hb_status hb_linear_shape_of(hb_linear_shape *shape, size_t slots, uint32_t baby,
                                           const hb_diagonals *diagonals)
{
    const hb_linear_part part = {diagonals, baby};
    return hb_linear_sum_shape_of(shape, slots, &part, 1);
}
/* Returns the memory that a map of this shape will take. */
hb_linear_memory hb_linear_memory_of(const hb_params *params, const hb_linear_spec *spec, hb_linear_shape shape);

/* Sets steps, host memory for 2 numbers a diagonal, to the rotations that a sum of maps takes, ascending, each of which
 * needs a key that serves the level, and *count to how many they are. HB_ENOMEM. */
hb_status hb_linear_sum_steps(uint32_t *count, int64_t *steps, size_t slots, const hb_linear_part *parts,
                              uint32_t part_count);
/* Does that for one map. */
static inline hb_status hb_linear_steps(uint32_t *count, int64_t *steps, size_t slots, uint32_t baby,
                                        const hb_diagonals *diagonals)
{
    const hb_linear_part part = {diagonals, baby};
    return hb_linear_sum_steps(count, steps, slots, &part, 1);
}
/* Sets `baby` of all parts to powers of two for which the steps of both kinds cost least, a baby step `weight` times as
 * much as a giant step; of several the least. HB_ENOMEM. */
hb_status hb_linear_sum_babies(hb_linear_part *parts, uint32_t count, size_t slots, double weight);
/* Sets *baby to the power of two with the fewest steps of both kinds, of several the least. HB_ENOMEM. */
static inline hb_status hb_linear_baby(uint32_t *baby, size_t slots, const hb_diagonals *diagonals)
{
    hb_linear_part part = {diagonals, 1};
    const hb_status st = hb_linear_sum_babies(&part, 1, slots, 1);
    *baby = part.baby;
    return st;
}

/* Applies the map to a, which has 2 components in NTT form and the map's limbs; r has the limbs of the level below, and
 * scale a's times the map's over the primes that a's level owns. No overlap. ev: of the same engine or a fork of it;
 * one queue at a time uses the map, which has a workspace. Neither waits nor allocates. HB_EDATA naming the step whose
 * key is missing: then r is undefined. */
hb_status hb_linear_apply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_linear_map *map,
                          const hb_switch_keys *keys);
/* Which ciphertexts of a result are set, and the operands of one of the maps of a sum: from number `first` on. */
typedef struct hb_linear_place {
    size_t first, count;
} hb_linear_place;
typedef struct hb_linear_operand {
    hb_ciphertexts all;
    size_t first;
} hb_linear_operand;
/* Does that with a sum of maps, a [the parts], in a workspace of the engine's memory, for as many ciphertexts at a time
 * as find room there, one at least. Any number of queues, each with a workspace of its own, share the map. */
hb_status hb_linear_sum_apply_at(hb_evaluator *ev, hb_ciphertexts r, hb_linear_place at, const hb_linear_operand *a,
                                 const hb_linear_map *map, const hb_switch_keys *keys, hb_workspace work);
/* Does that for one map, and all of a: those of r from number `at` on are set. */
static inline hb_status hb_linear_apply_at(hb_evaluator *ev, hb_ciphertexts r, size_t at, hb_ciphertexts a,
                                           const hb_linear_map *map, const hb_switch_keys *keys, hb_workspace work)
{
    const hb_linear_place place = {at, hb_ciphertexts_count(a)};
    const hb_linear_operand all = {a, 0};
    return hb_linear_sum_apply_at(ev, r, place, &all, map, keys, work);
}
/* Does the same for as many of r as of a. */
static inline hb_status hb_linear_apply_in(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a,
                                           const hb_linear_map *map, const hb_switch_keys *keys, hb_workspace work)
{
    return hb_linear_apply_at(ev, r, 0, a, map, keys, work);
}

#endif
