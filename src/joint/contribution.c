#include "contribution.h"

#include <string.h>

hb_status hb_owner_public(hb_public_key *out, const hb_secret_key *secret, const hb_seed *own,
                          const uint8_t id[HB_DIGEST_BYTES])
{
    hb_seed seed;
    hb_joint_public_seed(&seed, id);
    return hb_public_key_generate(out, secret, own, &seed);
}

hb_status hb_owner_rotation(hb_switch_key *out, const hb_secret_key *secret, const hb_seed *own,
                            const uint8_t id[HB_DIGEST_BYTES], hb_joint_rotation rotation)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_key_purpose purpose = hb_key_purpose_of(&secret->params->spec, rotation.element);
    purpose.limbs = rotation.limbs;
    hb_joint_switch_seeds(seeds, secret->params->gadget.levels[rotation.limbs].digits, id, rotation.element);
    hb_key_purpose_root(&root, own, &purpose);
    const hb_status st = hb_switch_key_generate_for(out, secret, &purpose, &root, seeds);
    hb_wipe(&root, sizeof root);
    return st;
}

/* Component c of all parts. */
static hb_batch component(const hb_switch_key *key, size_t c)
{
    return hb_batch_of_groups(key->parts, 2, c);
}

/* r = a s, s modulo all primes, r and a modulo those of a key's level and the special ones. */
static hb_status multiply_secret(const hb_switch_key *key, hb_batch r, hb_batch a, hb_batch s)
{
    hb_engine *e = key->engine;
    const uint32_t data = key->limbs, special = r.limbs - data;
    HB_TRY(hb_mul(e, hb_batch_limbs(e, r, 0, data), hb_batch_limbs(e, a, 0, data), hb_batch_limbs(e, s, 0, data)));
    return hb_mul(e, hb_batch_limbs(e, r, data, special), hb_batch_limbs(e, a, data, special),
                  hb_batch_limbs(e, s, key->params->data_limbs, special));
}

/* Adds errors, which are drawn in coefficient form, to polynomials in NTT form. */
static hb_status add_errors(hb_engine *e, hb_batch r, const hb_seed *root)
{
    HB_TRY(hb_intt(e, r));
    HB_TRY(hb_add_small(e, r, HB_GAUSSIAN, (hb_draw){root, HB_DRAW_ERROR_0, 0}, HB_PLUS));
    return hb_ntt(e, r);
}

/* Wipes and frees a contribution that may lack its errors. */
static void discard(hb_switch_key *key)
{
    if (key->engine != NULL) {
        hb_batch_wipe(key->engine, key->parts);
    }
    hb_switch_key_clear(key);
}

/* Draws u_i, the second secret of relinearization. The caller clears it, zeroed before, whatever happens. */
static hb_status draw_ephemeral(hb_secret_key *u, const hb_secret_key *secret, const hb_seed *own)
{
    hb_seed root;
    hb_seed_derive(&root, own, "relin u");
    const hb_status st = hb_secret_key_draw(u, secret->engine, secret->params, &root);
    hb_wipe(&root, sizeof root);
    return st;
}

hb_status hb_owner_relin_first(hb_switch_key *out, const hb_secret_key *secret, const hb_seed *own,
                               const uint8_t id[HB_DIGEST_BYTES], uint32_t limbs)
{
    hb_secret_key u = {0};
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_status st;
    memset(out, 0, sizeof *out);
    HB_GOTO(draw_ephemeral(&u, secret, own));
    /* A key from s_i to u_i is h0_i with a. */
    const hb_key_purpose purpose = {.limbs = limbs, .source = HB_FROM_SECRET, .other = secret};
    hb_joint_switch_seeds(seeds, secret->params->gadget.levels[limbs].digits, id, HB_RELINEARIZATION);
    hb_seed_derive(&root, own, "relin h0");
    HB_GOTO(hb_switch_key_generate_for(out, &u, &purpose, &root, seeds));
    hb_seed_derive(&root, own, "relin h1");
    HB_GOTO(multiply_secret(out, component(out, 1), component(out, 1), secret->s));
    HB_GOTO(add_errors(secret->engine, component(out, 1), &root));
    HB_GOTO(hb_finish(secret->engine));
done:
    hb_wipe(&root, sizeof root);
    hb_secret_key_clear(&u);
    if (st != HB_OK) {
        discard(out);
    }
    return st;
}

hb_status hb_owner_relin_second(hb_switch_key *out, const hb_secret_key *secret, const hb_seed *own,
                                const hb_switch_key *first, const uint8_t inputs[HB_DIGEST_BYTES])
{
    hb_engine *e = secret->engine;
    hb_secret_key u = {0};
    hb_seed root;
    hb_status st;
    memset(out, 0, sizeof *out);
    hb_seed_derive_for(&root, "hebatch second", own, inputs);
    HB_ASSERT(first->source == HB_FROM_SECRET && first->engine == e);
    HB_GOTO(draw_ephemeral(&u, secret, own));
    HB_GOTO(hb_sub(e, u.s, u.s, secret->s));
    const hb_key_purpose purpose = {.limbs = first->limbs, .source = HB_FROM_SQUARE};
    HB_GOTO(hb_switch_key_alloc(out, e, secret->params, &purpose));
    const hb_batch h2 = component(out, 0), h1 = component(out, 1);
    HB_GOTO(multiply_secret(out, h2, component(first, 0), secret->s));
    HB_GOTO(multiply_secret(out, h1, component(first, 1), u.s));
    HB_GOTO(hb_add(e, h2, h2, h1));
    HB_GOTO(add_errors(e, h2, &root));
    HB_GOTO(hb_copy(e, h1, component(first, 1)));
    HB_GOTO(hb_finish(e));
done:
    hb_wipe(&root, sizeof root);
    hb_secret_key_clear(&u);
    if (st != HB_OK) {
        discard(out);
    }
    return st;
}

hb_status hb_joint_add_public(hb_public_key *sum, const hb_public_key *other)
{
    return hb_add(sum->engine, sum->b, sum->b, other->b);
}

hb_status hb_joint_add_switch(hb_switch_key *sum, const hb_switch_key *other)
{
    HB_ASSERT(sum->engine == other->engine && sum->gadget == other->gadget && sum->limbs == other->limbs);
    HB_ASSERT(sum->source == other->source && sum->element == other->element);
    const hb_batch to = component(sum, 0);
    HB_TRY(hb_add(sum->engine, to, to, component(other, 0)));
    return sum->source == HB_FROM_SECRET
               ? hb_add(sum->engine, component(sum, 1), component(sum, 1), component(other, 1))
               : HB_OK;
}
