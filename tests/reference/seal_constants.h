/* SEAL's published constants: primes, roots, identifiers (tests/vectors/bfv_default_constants.json). */
#ifndef HB_TESTS_SEAL_CONSTANTS_H
#define HB_TESTS_SEAL_CONSTANTS_H

#include <stdint.h>

#include <jansson.h>

/* Free with json_decref. */
static inline json_t *seal_constants_load(void)
{
    json_t *constants = json_load_file(HB_TESTS_VECTORS "/bfv_default_constants.json", 0, NULL);
    assert_non_null(constants);
    return constants;
}

static inline uint64_t seal_constant(const json_t *set, const char *key)
{
    const json_t *value = json_object_get(set, key);
    assert_true(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

static inline uint64_t seal_constant_at(const json_t *set, const char *key, size_t i)
{
    const json_t *value = json_array_get(json_object_get(set, key), i);
    assert_true(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

#endif
