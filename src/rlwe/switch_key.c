/* Key-switching keys (switch_key.h; semantics.md 7). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "switch_key_private.h"

static size_t part_bytes(const hb_switch_key *key)
{
    return hb_packed_bytes(&key->params->ring, hb_switch_key_level(key)->switch_ids,
                           hb_switch_key_level(key)->switch_limbs);
}

/* The bytes of the rows of a part that are on this member. */
static size_t own_part_bytes(const hb_switch_key *key)
{
    return hb_packed_bytes_here(key->engine, hb_switch_key_level(key)->switch_ids,
                                hb_switch_key_level(key)->switch_limbs);
}

uint64_t hb_switch_key_bytes(const hb_params *params)
{
    return (uint64_t)2 * params->gadget.digits.count * hb_params_most_limbs(params, params->ids, params->key_limbs) *
           params->ring.n * sizeof(uint64_t);
}

static const hb_gadget *gadget_of(const hb_params *params, const hb_key_purpose *purpose)
{
    const hb_gadget *own = purpose->source == HB_TO_SPARSE ? &params->sparse_gadget : &params->gadget;
    return purpose->gadget != NULL ? purpose->gadget : own;
}

uint32_t hb_key_purpose_limbs(const hb_params *params, const hb_key_purpose *purpose)
{
    return purpose->limbs != 0 ? purpose->limbs : gadget_of(params, purpose)->data_limbs;
}

uint64_t hb_key_purpose_bytes(const hb_params *params, const hb_key_purpose *purpose)
{
    const hb_gadget *gadget = gadget_of(params, purpose);
    const hb_gadget_level *level = &gadget->levels[hb_key_purpose_limbs(params, purpose)];
    return gadget == &params->gadget && level->limbs == params->data_limbs
               ? hb_switch_key_prepared_bytes(params)
               : (uint64_t)2 * level->digits * hb_params_most_limbs(params, level->switch_ids, level->switch_limbs) *
                     params->ring.n * sizeof(uint64_t);
}

uint64_t hb_switch_key_prepared_bytes(const hb_params *params)
{
    const hb_key_switch_integer *base = &params->key_switch_integer;
    return hb_params_switch_by_integers(params) ? (uint64_t)2 * base->blocks * params->data_limbs *
                                                      hb_params_most_limbs(params, base->basis.ids, base->basis.limbs) *
                                                      params->ring.n * sizeof(uint64_t)
                                                : hb_switch_key_bytes(params);
}

uint64_t hb_switch_key_preparing_bytes(const hb_params *params)
{
    return hb_params_switch_by_integers(params) ? hb_switch_key_bytes(params) : 0;
}

uint64_t hb_switch_key_packed_bytes(const hb_params *params)
{
    return (uint64_t)params->gadget.digits.count * hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
}

hb_key_purpose hb_key_purpose_of(const hb_params_spec *spec, uint32_t element)
{
    const hb_key_source galois = hb_spec_switches_first(spec) ? HB_TO_AUTOMORPHISM : HB_FROM_AUTOMORPHISM;
    return (hb_key_purpose){.source = element == HB_RELINEARIZATION ? HB_FROM_SQUARE : galois, .element = element};
}

static uint64_t new_serial(void)
{
    hb_seed random;
    uint64_t serial;
    hb_seed_random(&random);
    memcpy(&serial, random.bytes, sizeof serial);
    return serial;
}

/* Checks that the parameters have a sparse secret, for its keys. */
static hb_status check_source(const hb_params *params, hb_key_source source)
{
    HB_TRY(hb_params_require_switching(params));
    return (source != HB_TO_SPARSE && source != HB_FROM_SPARSE) || hb_params_can_bootstrap(params)
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "parameters %s have no bootstrapping, and no sparse secret", params->name);
}

hb_status hb_switch_key_alloc(hb_switch_key *key, hb_engine *engine, const hb_params *params,
                              const hb_key_purpose *purpose)
{
    const bool automorphism = purpose->source == HB_FROM_AUTOMORPHISM || purpose->source == HB_TO_AUTOMORPHISM;
    *key = (hb_switch_key){.engine = engine, .params = params, .source = purpose->source, .element = purpose->element};
    HB_TRY(check_source(params, purpose->source));
    key->gadget = gadget_of(params, purpose);
    key->limbs = hb_key_purpose_limbs(params, purpose);
    key->serial = new_serial();
    HB_ASSERT(automorphism == (purpose->element != 0) && key->limbs <= key->gadget->data_limbs);
    HB_ASSERT(!automorphism || ((purpose->element & 1) == 1 && purpose->element < 2 * params->ring.n));
    /* Under the sparse secret a longer modulus would not be secure. */
    HB_ASSERT(purpose->source != HB_TO_SPARSE || key->gadget == &params->sparse_gadget);
    return hb_batch_alloc(engine, &key->parts, (size_t)2 * hb_switch_key_level(key)->digits,
                          hb_switch_key_level(key)->switch_limbs, hb_switch_key_level(key)->switch_ids);
}

void hb_switch_key_use(hb_switch_key *key, const hb_params *params)
{
    const hb_params *own = key->params;
    HB_ASSERT(params->ring.count == own->ring.count && params->key_limbs == own->key_limbs);
    HB_ASSERT(key->gadget == &own->gadget || key->gadget == &own->sparse_gadget);
    key->gadget = key->gadget == &own->gadget ? &params->gadget : &params->sparse_gadget;
    key->params = params;
    key->parts.ids = hb_switch_key_level(key)->switch_ids;
    key->integers.ids = params->key_switch_integer.basis.ids;
}

void hb_switch_key_clear(hb_switch_key *key)
{
    if (key->engine != NULL) {
        hb_batch_free(key->engine, &key->parts);
        hb_batch_free(key->engine, &key->integers);
    }
    memset(key, 0, sizeof *key);
}

void hb_key_purpose_root(hb_seed *own, const hb_seed *root, const hb_key_purpose *purpose)
{
    const hb_gadget *gadget = purpose->gadget;
    char label[64]; /* 25 characters, at most 4 numbers of 3 digits and one of 6 */
    if (gadget != NULL) {
        snprintf(label, sizeof label, "switching key %d, %u, of %u, %u, %u", (int)purpose->source, purpose->element,
                 gadget->data_limbs, gadget->special_limbs, gadget->alpha);
    } else if (purpose->source == HB_FROM_SQUARE || purpose->source == HB_FROM_AUTOMORPHISM) {
        snprintf(label, sizeof label, "switching key %u", purpose->element);
    } else {
        snprintf(label, sizeof label, "switching key %d, %u", (int)purpose->source, purpose->element);
    }
    hb_seed_derive(own, root, label);
}

void hb_switch_key_root(hb_seed *own, const hb_seed *root, const hb_params_spec *spec, uint32_t element)
{
    const hb_key_purpose purpose = hb_key_purpose_of(spec, element);
    hb_key_purpose_root(own, root, &purpose);
}

/* Unpacks component c of every part of a key from the packed rows of the same level or a higher one. staging: engine
 * memory for one part of the key, or NULL (hb_key_unpack). */
static hb_status unpack_component(const hb_switch_key *key, size_t c, const uint8_t *packed,
                                  const hb_gadget_level *stored, void *staging)
{
    hb_engine *e = key->engine;
    const hb_ring *ring = &key->params->ring;
    const uint32_t special = stored->switch_limbs - stored->limbs;
    const size_t data_bytes = hb_packed_bytes(ring, stored->switch_ids, stored->limbs),
                 special_bytes = hb_packed_bytes(ring, stored->switch_ids + stored->limbs, special);
    for (uint32_t j = 0; j < hb_switch_key_level(key)->digits; j++, packed += data_bytes + special_bytes) {
        const hb_batch part = hb_batch_slice(hb_switch_key_component(key, c), j, 1);
        char name[32];
        snprintf(name, sizeof name, "part %u of the key", j);
        HB_TRY(hb_key_unpack(e, hb_batch_limbs(e, part, 0, key->limbs), packed, false, staging, name));
        HB_TRY(
            hb_key_unpack(e, hb_batch_limbs(e, part, key->limbs, special), packed + data_bytes, false, staging, name));
    }
    return HB_OK;
}

/* Does that from the rows that the engine takes, and no others. */
static hb_status unpack_own(const hb_switch_key *key, size_t c, const uint8_t *packed, void *staging)
{
    const size_t bytes = own_part_bytes(key);
    for (uint32_t j = 0; j < hb_switch_key_level(key)->digits; j++, packed += bytes) {
        char name[32];
        snprintf(name, sizeof name, "part %u of the key", j);
        HB_TRY(hb_key_unpack(key->engine, hb_batch_slice(hb_switch_key_component(key, c), j, 1), packed, true, staging,
                             name));
    }
    return HB_OK;
}

uint32_t hb_switch_key_takes(const hb_params *params, const hb_key_purpose *purpose, uint32_t member, uint64_t *primes)
{
    const hb_gadget_level *level = &gadget_of(params, purpose)->levels[hb_key_purpose_limbs(params, purpose)];
    *primes = 0;
    for (uint32_t l = 0; l < level->switch_limbs; l++) {
        const uint16_t id = level->switch_ids[l]; /* which numbers it among all K primes */
        HB_ASSERT(id < params->key_limbs);
        *primes |= hb_limb_map_has(&params->map, id, member) ? (uint64_t)1 << id : 0;
    }
    return level->digits;
}

static hb_status unpack(const hb_switch_key *key, size_t c, const uint8_t *rows, const hb_packed_key *packed,
                        void *staging)
{
    const hb_gadget_level *stored = &key->gadget->levels[packed->limbs != 0 ? packed->limbs : key->gadget->data_limbs];
    HB_ASSERT(packed->own || key->limbs <= stored->limbs);
    return packed->own ? unpack_own(key, c, rows, staging) : unpack_component(key, c, rows, stored, staging);
}

hb_status hb_switch_key_load_for(hb_switch_key *key, hb_engine *engine, const hb_params *params,
                                 const hb_key_purpose *purpose, const hb_packed_key *packed)
{
    void *staging = NULL;
    hb_status st;
    HB_GOTO(hb_switch_key_alloc(key, engine, params, purpose));
    if (hb_key_needs_staging(engine, packed->own)) {
        HB_GOTO(hb_alloc(engine, own_part_bytes(key), &staging));
    }
    HB_GOTO(unpack(key, 0, packed->b, packed, staging));
    if (packed->a != NULL) {
        HB_GOTO(unpack(key, 1, packed->a, packed, staging));
    } else {
        HB_GOTO(hb_sample_uniform(engine, hb_switch_key_component(key, 1), packed->seeds));
    }
    HB_GOTO(hb_finish(engine));
done:
    hb_free(engine, staging);
    if (st != HB_OK) {
        hb_switch_key_clear(key);
    }
    return st;
}

hb_status hb_switch_key_load(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                             const uint8_t *packed_b, const uint8_t *packed_a, const hb_seed *public_seeds)
{
    const hb_key_purpose purpose = hb_key_purpose_of(&params->spec, element);
    return hb_switch_key_load_for(key, engine, params, &purpose,
                                  &(hb_packed_key){.b = packed_b, .a = packed_a, .seeds = public_seeds});
}

hb_status hb_switch_key_load_words(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                                   const uint64_t *words)
{
    const hb_key_purpose purpose = hb_key_purpose_of(&params->spec, element);
    HB_TRY(hb_switch_key_alloc(key, engine, params, &purpose));
    hb_status st = hb_key_words(engine, key->parts, words);
    if (st != HB_OK) {
        hb_switch_key_clear(key);
    }
    return st;
}

/* Block b of both components, from parts in coefficient form. */
static hb_status make_integers(hb_switch_key *key, uint32_t b)
{
    const hb_key_switch_integer *base = &key->params->key_switch_integer;
    const uint32_t digits = key->params->data_limbs, row = 2 * base->blocks;
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch from =
            hb_key_switch_block_view(key->engine, base, b, hb_switch_key_component(key, c), limb_addresses);
        hb_batch to = hb_batch_slice(key->integers, 2 * b + c, digits);
        to.stride *= row;
        HB_TRY(hb_base_convert(key->engine, to, from, &base->block[b].to_base));
    }
    return HB_OK;
}

hb_status hb_switch_key_to_integers(hb_switch_key *key)
{
    const hb_params *params = key->params;
    const hb_key_switch_integer *base = &params->key_switch_integer;
    const bool for_all = key->gadget == &params->gadget && key->limbs == params->data_limbs;
    if (!hb_params_switch_by_integers(params) || !for_all || key->integers.data != NULL) {
        return HB_OK;
    }
    HB_TRY(hb_batch_alloc(key->engine, &key->integers, (size_t)2 * base->blocks * params->data_limbs, base->basis.limbs,
                          base->basis.ids));
    hb_status st = HB_OK;
    HB_GOTO(hb_intt(key->engine, key->parts));
    for (uint32_t b = 0; b < base->blocks; b++) {
        HB_GOTO(make_integers(key, b));
    }
    HB_GOTO(hb_ntt(key->engine, key->integers));
    st = hb_finish(key->engine);
done:
    hb_batch_free(key->engine, st == HB_OK ? &key->parts : &key->integers);
    return st;
}

static hb_status pack_component(const hb_switch_key *key, size_t c, uint8_t *packed, void *staging)
{
    const size_t bytes = part_bytes(key);
    for (uint32_t j = 0; j < hb_switch_key_level(key)->digits; j++) {
        HB_TRY(
            hb_pack(key->engine, (hb_packed){staging, 1, 0, 1}, hb_batch_slice(hb_switch_key_component(key, c), j, 1)));
        HB_TRY(hb_download(key->engine, packed + j * bytes, staging, bytes));
    }
    return HB_OK;
}

hb_status hb_switch_key_pack(const hb_switch_key *key, uint8_t *packed_b, uint8_t *packed_a)
{
    HB_ASSERT(key->parts.data != NULL);
    void *staging = NULL;
    hb_status st;
    HB_GOTO(hb_alloc(key->engine, part_bytes(key), &staging));
    HB_GOTO(pack_component(key, 0, packed_b, staging));
    if (packed_a != NULL) {
        HB_GOTO(pack_component(key, 1, packed_a, staging));
    }
    HB_GOTO(hb_finish(key->engine));
done:
    hb_free(key->engine, staging);
    return st;
}

hb_status hb_switch_key_multiply(hb_engine *e, hb_batch r, hb_digits digits, const hb_switch_key *key)
{
    HB_ASSERT(key->gadget == digits.gadget && key->limbs >= digits.level->limbs && key->parts.data != NULL);
    HB_ASSERT(r.count == 2 * digits.count);
    return hb_digits_multiply(e, r, digits, key->parts, NULL, (hb_batch){.data = NULL});
}
