#include "file.h"

#include <stdlib.h>
#include <string.h>

#include "io/files/durable.h"

static const uint64_t mark = UINT64_C(0x3154504b43424548); /* "HEBCKPT1" */
static const size_t most_bytes = (size_t)1 << 36;          /* 64 GiB: thousands of the largest ciphertexts */
enum { DIGEST = HB_DIGEST_BYTES / sizeof(uint64_t), HEAD = 1 + DIGEST };

void hb_checkpoint_file_clear(hb_checkpoint_file *file)
{
    free(file->words);
    *file = (hb_checkpoint_file){.words = NULL};
}

static hb_status append(hb_checkpoint_file *file, const void *words, size_t count)
{
    if (count > file->capacity - file->count) {
        /* Half as much again, so that many sections are not copied each time. */
        const size_t capacity = file->capacity + file->capacity / 2 + count;
        uint64_t *larger = realloc(file->words, capacity * sizeof *larger);
        if (larger == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for a checkpoint");
        }
        file->words = larger;
        file->capacity = capacity;
    }
    if (words != NULL) {
        memcpy(file->words + file->count, words, count * sizeof *file->words);
    } else {
        memset(file->words + file->count, 0, count * sizeof *file->words);
    }
    file->count += count;
    return HB_OK;
}

static void checksum(const uint64_t *words, size_t count, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch stored");
    hb_digest_add(&state, words, count * sizeof *words);
    hb_digest_end(&state, digest);
}

hb_status hb_checkpoint_file_begin(hb_checkpoint_file *file, const uint8_t identity[HB_DIGEST_BYTES])
{
    *file = (hb_checkpoint_file){.words = NULL};
    HB_TRY(append(file, &mark, 1));
    return append(file, identity, DIGEST);
}

hb_status hb_checkpoint_file_put(hb_checkpoint_file *file, uint64_t key, const uint64_t *words, size_t count)
{
    const uint64_t head[2] = {key, count};
    HB_TRY(append(file, head, 2));
    return append(file, words, count);
}

hb_status hb_checkpoint_file_write(hb_checkpoint_file *file, const char *path)
{
    uint8_t digest[HB_DIGEST_BYTES];
    checksum(file->words, file->count, digest);
    HB_TRY(append(file, digest, DIGEST));
    return hb_write_file(path, file->words, file->count * sizeof *file->words, 0666, true);
}

/* Checks a file before anything of it is used: its length, its checksum, whose it is. */
static hb_status check(hb_checkpoint_file *file, size_t bytes, const char *path,
                       const uint8_t identity[HB_DIGEST_BYTES])
{
    uint8_t digest[HB_DIGEST_BYTES];
    file->count = bytes / sizeof *file->words;
    /* The length first: later code reads as far as it says. */
    if (bytes % sizeof *file->words != 0 || file->count < HEAD + DIGEST || file->words[0] != mark) {
        return HB_FAIL(HB_EDATA, "%s is damaged", path);
    }
    file->count -= DIGEST;
    /* Over everything before it, the identity included. */
    checksum(file->words, file->count, digest);
    if (memcmp(digest, file->words + file->count, sizeof digest) != 0) {
        return HB_FAIL(HB_EDATA, "%s is damaged", path);
    }
    if (identity != NULL && memcmp(file->words + 1, identity, HB_DIGEST_BYTES) != 0) {
        return HB_FAIL(HB_EDATA, "%s is of another job", path);
    }
    return HB_OK;
}

hb_status hb_checkpoint_file_read(hb_checkpoint_file *file, const char *path, const uint8_t identity[HB_DIGEST_BYTES])
{
    uint8_t *data = NULL;
    size_t bytes = 0;
    mode_t mode;
    *file = (hb_checkpoint_file){.words = NULL};
    HB_TRY(hb_read_file(path, most_bytes, &data, &bytes, &mode));
    *file = (hb_checkpoint_file){.words = malloc(bytes + 1), .capacity = bytes / sizeof *file->words};
    if (file->words == NULL) {
        free(data);
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
    }
    /* Into memory that is aligned for words. */
    memcpy(file->words, data, bytes);
    free(data);
    return check(file, bytes, path, identity);
}

uint64_t *hb_checkpoint_file_find(const hb_checkpoint_file *file, uint64_t key, size_t *count)
{
    for (size_t at = HEAD; at + 2 <= file->count;) {
        const uint64_t length = file->words[at + 1];
        /* The checksum holds, so this file was made so; still nothing is read behind its end. */
        if (length > file->count - at - 2) {
            break;
        }
        if (file->words[at] == key) {
            *count = (size_t)length;
            return file->words + at + 2;
        }
        at += 2 + (size_t)length;
    }
    return NULL;
}
