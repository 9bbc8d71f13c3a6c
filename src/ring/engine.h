/* What can be done to a batch of RNS polynomials. Implementations: cpu (cpu/engine.h) and, in cuda/, a GPU do it on one
 * device; divided (divided/engine.h) with several of them, each of which holds a share of the limbs. Schemes are
 * written once, on this interface.
 *
 * An engine is opened on one ring and owns every table derived from it (twiddles, reduction constants). All work is on
 * batches: a launch covers count x limbs polynomials. Work is issued in order and may be asynchronous; hb_finish waits
 * for it and reports its errors. Operands live in memory of the engine (hb_alloc) unless a line says "host"; host
 * arguments are copied before a function returns, but for those of hb_upload and hb_download.
 *
 * hb_engine_fork gives a second queue on the same device: tables and memory are shared, work is in order within a queue
 * only. One thread at a time uses a queue; different threads may use different ones.
 *
 * Ranges: unless said otherwise every word of limb l is canonical, in [0, modulus of ids[l]), on entry and on exit.
 * Aliasing: r may be a or b where both have the same limbs; partial overlap is never allowed, but that some limbs of
 * scattered batches stand in one place and others apart. Limbs may be divided over the members of a group of ranks
 * (limb_map.h). A batch names all of its limbs even so; its memory has those that are here (hb_limb_here), in their
 * order and nothing of the others, maybe none. Every member calls the same operations in the same order; those that say
 * "exchanges" are collective among the members, the rest touch only what is here. Arrays of constants are always for
 * all limbs. The hb_* functions check shapes (HB_ASSERT: a wrong shape is a programmer's error) and dispatch.
 * Rank-local but for those exchanges. */
#ifndef HB_RING_ENGINE_H
#define HB_RING_ENGINE_H

#include <stdbool.h>

#include "base/seed.h"
#include "base/status.h"
#include "basis.h"
#include "batch.h"
#include "garner.h"
#include "limb_map.h"
#include "ring.h"

/* Small distributions; each coefficient is drawn from one word of the stream (base/sample.h). */
typedef enum hb_distribution {
    HB_TERNARY,  /* uniform on {-1, 0, 1} */
    HB_GAUSSIAN, /* discrete Gaussian, sigma 3.2, |x| <= 19 */
    HB_BINOMIAL  /* centred binomial of 21 - 21 bits, SEAL's default, |x| <= 21 */
} hb_distribution;

/* Constants of the message scaling floor((Q m + floor((t+1)/2)) / t) = delta m + floor((r m + h) / t)
 * (semantics.md 4.4). */
typedef struct hb_scale_plain {
    uint16_t plain_id;     /* t */
    uint64_t remainder;    /* r = Q mod t */
    uint64_t half;         /* h = floor((t + 1) / 2) */
    const uint64_t *delta; /* [limbs] floor(Q / t) mod q_i */
} hb_scale_plain;

/* How a plaintext becomes a factor of ciphertexts: coefficient m stands for m if m < half, else for m - t, in every
 * limb (semantics.md 6.6). */
typedef struct hb_plain_lift {
    uint16_t plain_id;   /* t */
    uint64_t half;       /* floor((t + 1) / 2) */
    bool keep_monomials; /* a polynomial with just one coefficient that is not 0 keeps it: where every q_i > t */
} hb_plain_lift;

/* Constants of the last step of BEHZ decryption (semantics.md 5, steps 3 to 5). */
typedef struct hb_gamma_correction {
    uint16_t plain_id, gamma_id;
    uint64_t negative_inverse_q[2]; /* -1/Q mod t, mod gamma */
    uint64_t inverse_gamma;         /* 1/gamma mod t */
} hb_gamma_correction;

/* Constants of dividing by the last prime p with rounding (semantics.md 6.7). */
typedef struct hb_drop_last {
    uint16_t last_id;
    uint64_t half;           /* floor(p / 2) */
    const uint64_t *inverse; /* [limbs - 1] 1/p mod q_i */
} hb_drop_last;

typedef enum hb_sign { HB_PLUS, HB_MINUS } hb_sign;

typedef struct hb_engine_ops {
    const char *name;
    hb_status (*fork)(hb_engine *e, hb_engine **out);
    void (*close)(hb_engine *e);
    hb_status (*host_alloc)(hb_engine *e, size_t bytes, void **memory);
    void (*host_free)(hb_engine *e, void *memory);
    hb_status (*alloc)(hb_engine *e, size_t bytes, void **memory);
    void (*free)(hb_engine *e, void *memory);
    hb_status (*upload)(hb_engine *e, void *to, const void *from_host, size_t bytes);
    hb_status (*download)(hb_engine *e, void *to_host, const void *from, size_t bytes);
    hb_status (*finish)(hb_engine *e);
    void *(*native)(hb_engine *e);
    void (*enter)(hb_engine *e); /* these three NULL: nothing to do */
    void (*leave)(hb_engine *e);
    void (*interrupt)(hb_engine *e);
    /* These three NULL: what is recorded is called instead. record: *tape, cleared before, stays NULL where this body
     * is to be called instead. */
    hb_status (*record)(hb_engine *e, hb_status (*body)(void *), void *argument, void **tape);
    hb_status (*replay)(hb_engine *e, void *tape);
    void (*forget)(hb_engine *e, void *tape);

    hb_status (*copy)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*clear)(hb_engine *e, hb_batch r);
    hb_status (*ntt)(hb_engine *e, hb_batch x);
    hb_status (*intt)(hb_engine *e, hb_batch x, const uint64_t *factors); /* NULL: ones */
    hb_status (*ntt_of)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*ntt_mul)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*ntt_spread)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*add)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*sub)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*negate)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*mul)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
    hb_status (*scale)(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);

    hb_status (*sample_uniform)(hb_engine *e, hb_batch r, const hb_seed *seeds);
    hb_status (*mul_uniform)(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b);
    hb_status (*sample_small)(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw);
    hb_status (*add_small)(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign);

    hb_status (*gather)(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map);
    hb_status (*galois)(hb_engine *e, hb_batch r, hb_batch a, uint32_t element);
    hb_status (*tensor)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size);
    hb_status (*spread)(hb_engine *e, hb_batch r, hb_batch a);
    hb_status (*key_products)(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row);
    hb_status (*count_zeros)(hb_engine *e, uint64_t *zeros, hb_batch a);
    hb_status (*add_scaled_plain)(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                  hb_sign sign);
    hb_status (*lift_plain)(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants);
    hb_status (*base_convert)(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion);
    hb_status (*base_convert_through)(hb_engine *e, hb_batch r, hb_batch via, hb_batch a,
                                      const hb_base_conversion *first, const hb_base_conversion *second);
    hb_status (*gamma_correct)(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants);
    /* r = b + (a divided by the prime of `last`); b: 0 where its data is NULL, and behind its polynomials. last: one
     * limb; a: r's limbs. */
    hb_status (*divide_round)(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                              const hb_drop_last *constants);
    hb_status (*garner_digits)(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants);
    hb_status (*infinity_norm)(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants);

    hb_status (*pack)(hb_engine *e, hb_packed to, hb_batch a);
    hb_status (*unpack)(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range);
    hb_status (*digest_rows)(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs);
} hb_engine_ops;

/* Implementations embed this as their first member. */
struct hb_engine {
    const hb_engine_ops *ops;
    const hb_ring *ring;    /* borrowed; outlives the engine */
    const hb_limb_map *map; /* borrowed; NULL: every limb is here */
    uint32_t member;        /* of the map: this one */
    /* Of one operand, all limbs, that it works on best at a time (a cache); 0: the more the better. */
    size_t batch_bytes;
    bool on_host; /* memory of the engine is the host's, which may be swapped */
    bool in_body; /* of a recording, which is being recorded or called */
};

/* A second queue on the device of e. Memory of one is memory of all; what another queue wrote may be read after
 * hb_finish there. Close each; in any order. HB_ENOMEM. */
hb_status hb_engine_fork(hb_engine *e, hb_engine **out);
/* Closes and frees; NULL is allowed. Everything allocated on the engine must have been freed before its last queue
 * closes. */
void hb_engine_close(hb_engine *e);

/* Memory of the engine, 64-byte aligned, contents undefined; HB_ENOMEM. Free with hb_free (NULL allowed). hb_free wipes
 * nothing: wipe secrets with hb_batch_wipe first. */
hb_status hb_alloc(hb_engine *e, size_t bytes, void **memory);
void hb_free(hb_engine *e, void *memory);

/* Host memory that hb_upload and hb_download move at the full speed of the link (page-locked where there is one).
 * Contents undefined; HB_ENOMEM. Free with hb_host_free (NULL allowed), which wipes nothing and waits for this queue
 * only: no copy of another one may be under way. */
hb_status hb_host_alloc(hb_engine *e, size_t bytes, void **memory);
void hb_host_free(hb_engine *e, void *memory);

/* Copies between host memory and the engine. The host side may be reused after hb_finish. */
hb_status hb_upload(hb_engine *e, void *to, const void *from_host, size_t bytes);
hb_status hb_download(hb_engine *e, void *to_host, const void *from, size_t bytes);
hb_status hb_finish(hb_engine *e);
/* The device's own handle of the queue, for libraries that work beside it (a cudaStream_t); NULL: there is none, and
 * memory of the engine is the host's. */
void *hb_engine_native(hb_engine *e);

/* Where limbs are divided and several queues are at work, their exchanges take turns, so that all members make them in
 * the same order. enter: before the queues start, by one thread, for each of them in the same order on every member;
 * leave: by the thread of a queue, when it has done its last operation or failed. interrupt, from any thread: exchanges
 * under way or to come fail with HB_EPEER. Else these do nothing. */
void hb_engine_enter(hb_engine *e);
void hb_engine_leave(hb_engine *e);
void hb_engine_interrupt(hb_engine *e);

/* Operations of one queue, to be issued again and again at the cost of one: a GPU gets all of them in one call (a CUDA
 * graph), elsewhere, and on engines of divided limbs, a replay calls the body. Results are the same.
 *
 * body(argument) issues operations to this queue and no other. A replay issues the same operations, in the order of the
 * queue, on the same operands with what stands in them by then, and with the constants and seeds of the recording.
 * The body is called by hb_record, by each replay, or by both, so it does the same at any time, and argument lives as
 * long as the recording. In it hb_finish fails (HB_EUNAVAILABLE), and recordings are neither made, replayed nor freed.
 * A body that allocates, moves host memory, or calls an operation that waits is never recorded but called.
 *
 * hb_record issues nothing. It fails as the body does, and with HB_ENOMEM; where replays call the body, these fail. On
 * a GPU it takes about as long as the body, some microseconds for each operation, and then 64 KiB of the engine's
 * memory, without which the body is called; beside the engine's account the driver takes a few KiB for each kernel, on
 * the host and on the GPU. Free before the queue closes; NULL is allowed; waits for the queue. */
typedef struct hb_recording hb_recording;

hb_status hb_record(hb_engine *e, hb_status (*body)(void *), void *argument, hb_recording **out);
hb_status hb_replay(hb_recording *recording);
void hb_recording_free(hb_recording *recording);

/* r = a; by coefficient. Whole or no overlap. Same limbs and count. */
hb_status hb_copy(hb_engine *e, hb_batch r, hb_batch a);
/* r = 0; by coefficient. */
hb_status hb_clear(hb_engine *e, hb_batch r);

/* Negacyclic transform in place (semantics.md 2.2, 2.3): natural order in, bit-reversed order out, and its inverse with
 * 1/N. Every modulus needs a root in the ring. */
hb_status hb_ntt(hb_engine *e, hb_batch x);
hb_status hb_intt(hb_engine *e, hb_batch x);
/* The inverse times factors[l] in limb l, at the cost of the inverse; factors: host, [limbs], canonical. What a base
 * conversion scales by (basis.h) need not be done there. */
hb_status hb_intt_scaled(hb_engine *e, hb_batch x, const uint64_t *factors);
/* r = the transform of a, which stays as it is. No overlap. */
hb_status hb_ntt_of(hb_engine *e, hb_batch r, hb_batch a);
/* r = (the transform of a) * b, word by word; b, in NTT form, is elsewhere. b.count may be 1: that polynomial serves
 * the whole batch. */
hb_status hb_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);

/* r = a + b, a - b, -a, a * b, word by word. b.count may be 1: that polynomial serves the whole batch. */
hb_status hb_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_negate(hb_engine *e, hb_batch r, hb_batch a);
hb_status hb_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
/* r = a * factors[l] in limb l; factors: host, [limbs], canonical. */
hb_status hb_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);

/* Limb l of polynomial c: uniform residues, the stream (seeds[c], HB_DRAW_UNIFORM, item = ids[l]). seeds: host,
 * [count]. */
hb_status hb_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds);
/* r = that * b, without the polynomials themselves ever standing in memory. r and b do not overlap. */
hb_status hb_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b);
/* Polynomial c: small integers of the stream of item draw.item + c, the same integer in every limb; every modulus is
 * above the largest of them. */
hb_status hb_sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw);
/* r = r + that, or r - that. */
hb_status hb_add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign);

/* r[j] = a[map[j]] in every limb; map: [n], a permutation, in memory of the engine; r and a do not overlap. */
hb_status hb_gather(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map);
/* The automorphism X -> X^element in coefficient form: coefficient i goes to i * element mod n, negated where i *
 * element mod 2n >= n (semantics.md 6.9). element: odd, below 2n. r and a do not overlap. */
hb_status hb_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element);

/* Products of ciphertexts as polynomials in the secret, word by word (semantics.md 6.2, step 2): component i of
 * ciphertext c is polynomial i * count + c. r component k = sum over i + j = k of a_i b_j; r has a_size + b_size - 1
 * components, a_size, b_size >= 1. count = r.count / (a_size + b_size - 1); a.count = a_size * count; b.count is
 * b_size * count, or b_size: that ciphertext serves all. r does not overlap a or b; b may be a. */
hb_status hb_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size);
/* Digits of key switching (semantics.md 6.8, step 1): limb l of polynomial c * a.limbs + i of r = limb i of polynomial
 * c of a, an integer in [0, q_i), mod ids[l] of r. r.count = a.count * a.limbs; no overlap. a may be scattered. */
hb_status hb_spread(hb_engine *e, hb_batch r, hb_batch a);
/* The transforms of these, without the digits themselves ever standing in memory where the moduli allow that. Both
 * exchange. */
hb_status hb_ntt_spread(hb_engine *e, hb_batch r, hb_batch a);
/* Inner products of key switching (semantics.md 6.8, step 2): polynomial k * count + c of r, k < outputs, = sum over i
 * < d of digits[c * d + i] * key[row i + k], word by word; outputs <= row is even, count = r.count / outputs, d =
 * digits.count / count <= HB_MAX_LIMBS. The key has at least row d polynomials, and every modulus of r and digits
 * (which have the same limbs) among its own, in ascending order of ids. No overlap. */
hb_status hb_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row);
/* *zeros (host): words of a that are 0, in all limbs. Waits; exchanges. */
hb_status hb_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a);

/* r += (HB_PLUS) or -= the scaled message; plain has one limb, mod t; plain.count may be 1: it serves all. */
hb_status hb_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants, hb_sign sign);
/* r = the plaintext as a factor, coefficient form; plain has one limb, mod t. No overlap. */
hb_status hb_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants);
/* Base conversion (basis.h): overflow kept, or corrected, as the conversion says. r and a do not overlap. By
 * coefficient; exchanges. */
hb_status hb_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion);
/* Two of them in a row: via from a by `first`, r from via by `second`. What stands in via afterwards is undefined;
 * where first keeps, via is set before. r may be a; no other overlap. By coefficient; exchanges. */
hb_status hb_base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a, const hb_base_conversion *first,
                                  const hb_base_conversion *second);
/* a: limbs (t, gamma); r: one limb mod t. */
hb_status hb_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants);
/* r (one limb fewer) = floor((a + floor(p/2)) / p) for the last prime p of a. r may be the leading limbs of a.
 * Exchanges. */
hb_status hb_divide_round_last(hb_engine *e, hb_batch r, hb_batch a, const hb_drop_last *constants);
/* r = b + that; b has r's limbs, and as many polynomials or fewer: the others of r are that alone. r may be b too.
 * Exchanges. */
hb_status hb_divide_round_add(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, const hb_drop_last *constants);
/* r limb i = mixed-radix digit i of the CRT value of a (garner.h). r may be a. By coefficient; exchanges. */
hb_status hb_garner_digits(hb_engine *e, hb_batch r, hb_batch a, const hb_garner *constants);
/* digits: host, [count][limbs]: mixed-radix digits of the largest |x| over the coefficients of each polynomial, where x
 * in [0, Q) with mixed-radix digits a stands for x - Q when x >= floor((Q + 1) / 2). Waits for the result. By
 * coefficient; exchanges. */
hb_status hb_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants);

/* Bit packing: each polynomial of `a` becomes one row of hb_packed_row_bytes in each limb. to.first + a.count <=
 * to.rows. */
hb_status hb_pack(hb_engine *e, hb_packed to, hb_batch a);
/* The inverse. *out_of_range (host) = words found not below their modulus, of the limbs that are here; those make the
 * result unusable. Waits. */
hb_status hb_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range);
/* The digest (base/digest.h) of every packed row: digests [limbs][rows.rows][32], of all limbs, in memory of the
 * engine; rows.first is not used. Exchanges. */
hb_status hb_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs);

#endif
