#include "sums_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/base/durable.h"

static const uint64_t mark = UINT64_C(0x31534d5553424548); /* "HEBSUMS1" */
static const size_t most_bytes = (size_t)1 << 36;          /* 64 GiB: thousands of sums of the largest ciphertexts */
enum { DIGEST = HB_DIGEST_BYTES / sizeof(uint64_t), BITS = 64, HEAD = 1 + DIGEST + 1 };

void hb_eval_sums_file_clear(hb_eval_sums_file *file)
{
    free(file->words);
    *file = (hb_eval_sums_file){.words = NULL};
}

static hb_status append(hb_eval_sums_file *file, const void *words, size_t count)
{
    if (count > file->capacity - file->count) {
        /* Doubled, so that many sums are not copied each time. */
        const size_t capacity = 2 * file->capacity + count;
        uint64_t *larger = realloc(file->words, capacity * sizeof *larger);
        if (larger == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the sums to be kept");
        }
        file->words = larger;
        file->capacity = capacity;
    }
    memcpy(file->words + file->count, words, count * sizeof *file->words);
    file->count += count;
    return HB_OK;
}

static size_t map_words(const hb_unit_map *steps)
{
    return (size_t)(steps->units / BITS + 1);
}

static void checksum(const uint64_t *words, size_t count, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch sum file");
    hb_digest_add(&state, words, count * sizeof *words);
    hb_digest_end(&state, digest);
}

hb_status hb_eval_sums_file_begin(hb_eval_sums_file *file, const uint8_t identity[HB_DIGEST_BYTES],
                                  const hb_unit_map *steps)
{
    *file = (hb_eval_sums_file){.words = NULL};
    HB_TRY(append(file, &mark, 1));
    HB_TRY(append(file, identity, DIGEST));
    HB_TRY(append(file, &steps->units, 1));
    return append(file, steps->words, map_words(steps));
}

hb_status hb_eval_sums_file_put(hb_eval_sums_file *file, uint32_t total, const uint64_t *words, size_t count)
{
    const uint64_t head[2] = {total, count};
    HB_TRY(append(file, head, 2));
    return append(file, words, count);
}

hb_status hb_eval_sums_file_write(hb_eval_sums_file *file, const char *path)
{
    uint8_t digest[HB_DIGEST_BYTES];
    checksum(file->words, file->count, digest);
    HB_TRY(append(file, digest, DIGEST));
    return hb_write_file(path, file->words, file->count * sizeof *file->words, 0666, true);
}

/* Checks a file before anything of it is used: its length, its checksum, whose it is. */
static hb_status check(hb_eval_sums_file *file, size_t bytes, const char *path, const uint8_t identity[HB_DIGEST_BYTES],
                       const hb_unit_map *steps)
{
    uint8_t digest[HB_DIGEST_BYTES];
    const size_t least = HEAD + map_words(steps) + DIGEST;
    file->count = bytes / sizeof *file->words;
    /* The length first: what follows reads as far as `least` says. */
    if (bytes % sizeof *file->words != 0 || file->count < least || file->words[0] != mark) {
        return HB_FAIL(HB_EDATA, "%s is damaged", path);
    }
    file->count -= DIGEST;
    /* Over everything before it, the identity included. */
    checksum(file->words, file->count, digest);
    if (memcmp(digest, file->words + file->count, sizeof digest) != 0) {
        return HB_FAIL(HB_EDATA, "%s is damaged", path);
    }
    if (memcmp(file->words + 1, identity, HB_DIGEST_BYTES) != 0 || file->words[1 + DIGEST] != steps->units) {
        return HB_FAIL(HB_EDATA, "%s is of another job", path);
    }
    return HB_OK;
}

hb_status hb_eval_sums_file_read(hb_eval_sums_file *file, const char *path, const uint8_t identity[HB_DIGEST_BYTES],
                                 hb_unit_map *steps)
{
    uint8_t *data = NULL;
    size_t bytes = 0;
    mode_t mode;
    HB_TRY(hb_read_file(path, most_bytes, &data, &bytes, &mode));
    *file = (hb_eval_sums_file){.words = malloc(bytes + 1)};
    if (file->words == NULL) {
        free(data);
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
    }
    /* Into memory that is aligned for words. */
    memcpy(file->words, data, bytes);
    free(data);
    HB_TRY(check(file, bytes, path, identity, steps));
    file->sums = HEAD + map_words(steps);
    memcpy(steps->words, file->words + HEAD, map_words(steps) * sizeof *steps->words);
    return HB_OK;
}

hb_status hb_eval_sums_file_get(const hb_eval_sums_file *file, uint32_t total, uint64_t *words, size_t count)
{
    for (size_t at = file->sums; at + 2 <= file->count;) {
        const uint64_t length = file->words[at + 1];
        /* The checksum holds, so this file was made so; still nothing is read behind its end. */
        if (length > file->count - at - 2) {
            break;
        }
        if (file->words[at] == total && length == count) {
            memcpy(words, file->words + at + 2, count * sizeof *words);
            return HB_OK;
        }
        at += 2 + (size_t)length;
    }
    return HB_FAIL(HB_EDATA, "what was kept of the sums has not the sum of register %" PRIu32, total);
}
