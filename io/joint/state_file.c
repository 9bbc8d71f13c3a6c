#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "io/files/pending.h"
#include "io/h5/h5.h"
#include "joint/sealing.h"
#include "kind_private.h"
#include "ring/ring.h"

/* Attributes, and a share, which has a residue of at most 8 bytes for each coefficient and prime, and the list of keys.
 * */
#define MOST_BYTES                                                                        \
    (((size_t)1 << 16) + ((size_t)HB_MAX_LIMBS * sizeof(uint64_t) << HB_RING_MAX_LOG_N) + \
     (size_t)HB_MOST_CHECKED_KEYS * HB_DIGEST_BYTES)

const char *const hb_joint_purpose_words[HB_JOINT_PURPOSES] = {"session", "round", "trial"};

hb_joint_state hb_joint_state_begin(hb_joint_purpose purpose, const char *name, const uint8_t id[HB_DIGEST_BYTES])
{
    hb_joint_state state = {.purpose = purpose};
    HB_ASSERT(strlen(name) < sizeof state.name);
    memcpy(state.name, name, strlen(name));
    memcpy(state.id, id, sizeof state.id);
    return state;
}

void hb_joint_state_clear(hb_joint_state *state)
{
    free(state->share);
    hb_checked_keys_clear(&state->checked);
    memset(state, 0, sizeof *state);
}

hb_status hb_joint_state_check(const hb_joint_state *state, const char *path, hb_joint_purpose purpose,
                               const char *name, const uint8_t id[HB_DIGEST_BYTES])
{
    static const char *const advice[HB_JOINT_PURPOSES] = {
        "take the joint-ID.h5 that --join made for this session",
        "take the joint-ID-ROUND.h5 that --join made for this round",
        "take the joint-ID-TRIAL.h5 that --trial made for this trial",
    };
    if (state->purpose != purpose) {
        return HB_FAIL(HB_EDATA, "%s: is the state of a %s, not of a %s: %s", path,
                       hb_joint_purpose_words[state->purpose], hb_joint_purpose_words[purpose], advice[purpose]);
    }
    if (strcmp(state->name, name) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is the state of %s, not of %s: %s", path, state->name, name, advice[purpose]);
    }
    return memcmp(state->id, id, HB_DIGEST_BYTES) == 0 ? HB_OK
                                                       : HB_FAIL(HB_EDATA, "%s: is the state of another %s: %s", path,
                                                                 hb_joint_purpose_words[purpose], advice[purpose]);
}

bool hb_joint_state_knows(const uint8_t digest[HB_DIGEST_BYTES])
{
    static const uint8_t zeros[HB_DIGEST_BYTES];
    return memcmp(digest, zeros, sizeof zeros) != 0;
}

hb_status hb_joint_state_set(uint8_t field[HB_DIGEST_BYTES], const uint8_t digest[HB_DIGEST_BYTES], const char *what,
                             const char *why, const char *advice)
{
    if (hb_joint_state_knows(field) && memcmp(field, digest, HB_DIGEST_BYTES) != 0) {
        return HB_FAIL(HB_EDATA, "%s was %s: %s", what, why, advice);
    }
    memcpy(field, digest, HB_DIGEST_BYTES);
    return HB_OK;
}

static hb_status take_lock(const char *path, bool patient, int *fd)
{
    char *lock;
    *fd = -1;
    HB_TRY(hb_path_with(path, ".lock", &lock));
    const int made = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    const hb_status st = made >= 0 ? hb_file_lock_wait(lock, patient, true, fd)
                                   : HB_FAIL(HB_ECREATE, "%s: cannot create: %s", lock, strerror(errno));
    if (made >= 0) {
        (void)close(made);
    }
    free(lock);
    return st;
}

hb_status hb_joint_state_lock(const char *path, int *fd)
{
    return take_lock(path, false, fd);
}

hb_status hb_joint_state_lock_patiently(const char *path, int *fd)
{
    return take_lock(path, true, fd);
}

/* The attributes of bytes, in the order of the checksum. */
typedef struct field {
    const char *name;
    size_t at, bytes;
} field;
static const field fields[] = {
    {"id", offsetof(hb_joint_state, id), HB_DIGEST_BYTES},
    {"commitments", offsetof(hb_joint_state, commitments), HB_DIGEST_BYTES},
    {"inputs", offsetof(hb_joint_state, inputs), HB_DIGEST_BYTES},
    {"first", offsetof(hb_joint_state, first), HB_DIGEST_BYTES},
    {"second", offsetof(hb_joint_state, second), HB_DIGEST_BYTES},
    {"opened", offsetof(hb_joint_state, opened), HB_DIGEST_BYTES},
    {"seeds", offsetof(hb_joint_state, seeds), HB_DIGEST_BYTES},
    {"key_id", offsetof(hb_joint_state, key_id), HB_KEY_ID_BYTES},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void checksum(uint8_t digest[HB_DIGEST_BYTES], const hb_joint_state *state)
{
    hb_digest_state sum;
    hb_digest_begin(&sum, "hebatch state");
    hb_digest_add_text(&sum, hb_joint_purpose_words[state->purpose]);
    hb_digest_add_text(&sum, state->name);
    for (size_t i = 0; i < FIELDS; i++) {
        hb_digest_add(&sum, (const uint8_t *)state + fields[i].at, fields[i].bytes);
    }
    hb_digest_add_u64(&sum, state->parts);
    if (state->share != NULL) {
        uint8_t row[HB_DIGEST_BYTES];
        hb_digest_row(row, state->share, state->share_bytes);
        hb_digest_add(&sum, row, sizeof row);
    }
    if (state->checked.count > 0) {
        hb_digest_add_u64(&sum, state->checked.count);
        hb_digest_add(&sum, state->checked.sum, (size_t)state->checked.count * HB_DIGEST_BYTES);
    }
    hb_digest_end(&sum, digest);
}

/* The contents of a new file, and the place of the share in it. */
typedef struct making {
    const hb_joint_state *state;
    uint64_t offset;
} making;

static hb_status put_share(hid_t file, making *x)
{
    const hb_h5_shape shape = hb_h5_vector(H5T_STD_U8LE, x->state->share_bytes);
    HB_TRY(hb_h5_put_dataset(file, "share", shape, NULL));
    return hb_h5_locate(file, "share", "a state", shape, UINT64_MAX, &x->offset);
}

/* Checksums, one behind the other. */
static hb_h5_shape checked_shape(uint64_t count)
{
    return hb_h5_vector(H5T_STD_U8LE, count * HB_DIGEST_BYTES);
}

static hb_status fill(hid_t file, void *context)
{
    making *x = context;
    const hb_joint_state *state = x->state;
    uint8_t sum[HB_DIGEST_BYTES];
    checksum(sum, state);
    HB_TRY(hb_joint_kind_put(file, "state"));
    HB_TRY(hb_h5_put_text(file, "purpose", hb_joint_purpose_words[state->purpose]));
    HB_TRY(hb_h5_put_text(file, "name", state->name));
    for (size_t i = 0; i < FIELDS; i++) {
        HB_TRY(hb_h5_put_bytes(file, fields[i].name, (const uint8_t *)state + fields[i].at, fields[i].bytes));
    }
    HB_TRY(hb_h5_put_u64(file, "parts", state->parts));
    HB_TRY(hb_h5_put_bytes(file, "checksum", sum, sizeof sum));
    if (state->checked.count > 0) {
        HB_TRY(hb_h5_put_dataset(file, "checked", checked_shape(state->checked.count), state->checked.sum));
    }
    return state->share != NULL ? put_share(file, x) : HB_OK;
}

static hb_status remove_left(const char *own)
{
    (void)unlink(own); /* it only tidies up */
    return HB_OK;
}

/* A run that was killed while it wrote the state leaves a file beside it. */
static void sweep(const char *path)
{
    char *partial;
    if (hb_path_with(path, ".partial", &partial) == HB_OK) {
        hb_file_lock_sweep(partial, remove_left);
        free(partial);
    }
}

static hb_status write_again(const char *path, const void *data, size_t bytes)
{
    HB_TRY(hb_write_file(path, data, bytes, 0600, true));
    sweep(path);
    return HB_OK;
}

/* Takes the share into the bytes of the file. */
static hb_status write_all(const char *path, const hb_h5_image *image, const making *x, bool fresh)
{
    const hb_joint_state *state = x->state;
    const size_t bytes = (size_t)image->file_bytes;
    uint8_t *data = calloc(bytes, 1);
    if (data == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a state", path);
    }
    memcpy(data, image->data, image->bytes < bytes ? image->bytes : bytes);
    if (state->share != NULL) {
        memcpy(data + x->offset, state->share, state->share_bytes);
    }
    const hb_status st = fresh ? hb_pending_write(path, data, bytes, 0600) : write_again(path, data, bytes);
    free(data);
    return st;
}

hb_status hb_joint_state_write(const char *path, const hb_joint_state *state, bool fresh)
{
    making x = {.state = state};
    hb_h5_image image = {.data = NULL};
    const uint32_t lists = state->checked.count > 0, datasets = lists + (state->share != NULL ? 1U : 0U);
    HB_TRY(hb_h5_image_make(&image, datasets, fill, &x));
    const hb_status st = write_all(path, &image, &x, fresh);
    hb_h5_image_clear(&image);
    return st;
}

static hb_status get_share(hid_t file, const char *path, uint64_t known, hb_joint_state *state)
{
    bool there;
    uint64_t count;
    size_t element;
    HB_TRY(hb_h5_has(file, "share", path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_h5_extent(file, "share", path, known, &count, &element));
    if (count <= HB_SEAL_BYTES || count > known) {
        return HB_FAIL(HB_EDATA, "%s: its share has %" PRIu64 " bytes", path, count);
    }
    state->share = malloc((size_t)count);
    if (state->share == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a share", path);
    }
    state->share_bytes = (size_t)count;
    return hb_h5_get_dataset(file, "share", path, hb_h5_vector(H5T_STD_U8LE, count), known, state->share);
}

static hb_status get_checked(hid_t file, const char *path, uint64_t known, hb_checked_keys *checked)
{
    bool there;
    uint64_t bytes;
    size_t element;
    HB_TRY(hb_h5_has(file, "checked", path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_h5_extent(file, "checked", path, known, &bytes, &element));
    const uint64_t count = bytes / HB_DIGEST_BYTES;
    if (count < 1 || count > HB_MOST_CHECKED_KEYS || bytes % HB_DIGEST_BYTES != 0) {
        return HB_FAIL(HB_EDATA, "%s: its list of keys has %" PRIu64 " bytes, no checksums of 1 to %d keys", path,
                       bytes, HB_MOST_CHECKED_KEYS);
    }
    checked->sum = calloc((size_t)count, sizeof *checked->sum);
    if (checked->sum == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a list of keys", path);
    }
    checked->count = (uint32_t)count;
    return hb_h5_get_dataset(file, "checked", path, checked_shape(count), known, checked->sum);
}

static hb_status get_purpose(hid_t file, const char *path, hb_joint_state *state)
{
    uint32_t word;
    HB_TRY(hb_h5_get_word(file, "purpose", path, hb_joint_purpose_words, HB_JOINT_PURPOSES, &word));
    state->purpose = (hb_joint_purpose)word;
    return HB_OK;
}

static hb_status get_content(hid_t file, const char *path, uint64_t known, hb_joint_state *state)
{
    uint8_t sum[HB_DIGEST_BYTES], own[HB_DIGEST_BYTES];
    HB_TRY(hb_joint_kind_check(file, path, "state"));
    HB_TRY(get_purpose(file, path, state));
    HB_TRY(hb_h5_get_text(file, "name", path, state->name, sizeof state->name));
    for (size_t i = 0; i < FIELDS; i++) {
        HB_TRY(hb_h5_get_bytes(file, fields[i].name, path, (uint8_t *)state + fields[i].at, fields[i].bytes));
    }
    HB_TRY(hb_h5_get_u64(file, "parts", path, UINT32_MAX, &state->parts)); /* a ledger numbers records in 32 bits */
    HB_TRY(get_checked(file, path, known, &state->checked));
    HB_TRY(get_share(file, path, known, state));
    HB_TRY(hb_h5_get_bytes(file, "checksum", path, sum, sizeof sum));
    checksum(own, state);
    return memcmp(own, sum, sizeof sum) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: does not match its checksum: the file is damaged", path);
}

hb_status hb_joint_state_read(const char *path, hb_joint_state *state)
{
    uint8_t *image;
    size_t bytes;
    mode_t mode;
    hid_t file = 0;
    hb_joint_state read = {.parts = 0};
    hb_status st;
    HB_TRY(hb_read_file(path, MOST_BYTES, &image, &bytes, &mode));
    HB_GOTO((mode & 077) == 0
                ? HB_OK
                : HB_FAIL(HB_EPERM, "%s: others can read it (mode %04o): chmod 600 it", path, (unsigned)mode));
    HB_GOTO(hb_h5_image_open(image, bytes, path, &file));
    HB_GOTO(get_content(file, path, bytes, &read));
    *state = read;
done:
    hb_h5_close(file);
    free(image);
    if (st != HB_OK) {
        hb_joint_state_clear(&read);
    }
    return st;
}
