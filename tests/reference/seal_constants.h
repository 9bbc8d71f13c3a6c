/* SEAL's published constants (primes, roots, identifiers) from bfv_default_constants.json, where that file is there:
 * the environment variable HEBATCH_SEAL names its folder, the macro of that name is the default. */
#ifndef HB_TESTS_SEAL_CONSTANTS_H
#define HB_TESTS_SEAL_CONSTANTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

/* NULL if there is no such file; a file that is there and broken fails the test. Free with json_decref. */
static inline json_t *seal_constants_load(void)
{
    char path[4096];
    const char *folder = getenv("HEBATCH_SEAL");
    snprintf(path, sizeof path, "%s/bfv_default_constants.json", folder != NULL ? folder : HEBATCH_SEAL);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        print_message("%s is not there\n", path);
        return NULL;
    }
    json_t *constants = json_loadf(file, 0, NULL);
    fclose(file);
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
