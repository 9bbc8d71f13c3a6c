#include "switch_key_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/base/durable.h"
#include "key_content_private.h"
#include "params_h5_private.h"

/* Attributes and object headers, seeds, and the gap before a dataset that begins on a page: at most this. */
#define FILE_OVERHEAD ((uint64_t)16 << 10)

uint64_t hb_switch_key_file_bytes(const hb_params_spec *spec)
{
    return (uint64_t)hb_spec_digits(spec) * hb_spec_packed_bytes(spec) + FILE_OVERHEAD;
}

void hb_switch_key_file_clear(hb_switch_key_file *key)
{
    free(key->b);
    free(key->seeds);
    free(key->a);
    memset(key, 0, sizeof *key);
}

/* Sizes are at most 63 parts of 2^26 bytes. */
hb_status hb_switch_key_file_init(hb_switch_key_file *key, const hb_params_spec *spec, uint32_t element, bool seeded)
{
    *key = (hb_switch_key_file){.parts = 0};
    *key = (hb_switch_key_file){
        .spec = *spec, .element = element, .parts = hb_spec_digits(spec), .part_bytes = hb_spec_packed_bytes(spec)};
    if (key->parts == 0) {
        memset(key, 0, sizeof *key);
        return HB_FAIL(HB_ECONFIG, "%u primes: there is none that is not special, and keys switch nothing",
                       spec->key_limbs);
    }
    key->b = malloc(key->parts * key->part_bytes);
    if (seeded) {
        key->seeds = calloc(key->parts, sizeof *key->seeds);
    } else {
        key->a = malloc(key->parts * key->part_bytes);
    }
    if (key->b && (key->seeds || key->a)) {
        return HB_OK;
    }
    const size_t bytes = key->parts * key->part_bytes;
    hb_switch_key_file_clear(key);
    return HB_FAIL(HB_ENOMEM, "no memory for a key of %zu bytes", seeded ? bytes : 2 * bytes);
}

/* The same as attributes and bodies; the bodies of a key that is only looked at have no data. */
static hb_key_content content_of(const hb_switch_key_file *key, bool seeded)
{
    const hb_h5_shape packed = hb_h5_matrix(H5T_STD_U8LE, key->parts, key->part_bytes);
    const hb_h5_shape seeds = hb_h5_matrix(H5T_STD_U8LE, key->parts, sizeof(hb_seed));
    return (hb_key_content){
        .kind = key->element == HB_RELINEARIZATION ? HB_KIND_RELINEARIZATION : HB_KIND_GALOIS,
        .spec = &key->spec,
        .key_id = key->key_id,
        .element = key->element,
        .bodies = 2,
        .body = {seeded ? (hb_key_body){"seed", seeds, key->seeds} : (hb_key_body){"a", packed, key->a},
                 {"b", packed, key->b}}};
}

static hb_key_content whole_content(const hb_switch_key_file *key)
{
    HB_ASSERT(key->parts == hb_spec_digits(&key->spec) && key->part_bytes == hb_spec_packed_bytes(&key->spec));
    HB_ASSERT(key->b && (key->seeds == NULL) != (key->a == NULL));
    return content_of(key, key->seeds != NULL);
}

hb_status hb_switch_key_file_write(const char *path, const hb_switch_key_file *key)
{
    const hb_key_content content = whole_content(key);
    return hb_key_content_write(path, &content);
}

hb_status hb_switch_key_file_prepare(const char *path, const hb_switch_key_file *key, hb_pending *pending)
{
    const hb_key_content content = whole_content(key);
    return hb_key_content_prepare(path, &content, pending);
}

/* A file open for its attributes, through HDF5, and for its bodies. */
typedef struct opened {
    hid_t file;
    int fd;
    uint64_t bytes;
} opened;

static void close_opened(opened *o)
{
    hb_h5_close(o->file);
    close(o->fd);
}

static hb_status open_both(const char *path, opened *o)
{
    mode_t mode;
    uint64_t bytes;
    *o = (opened){.fd = -1};
    HB_TRY(hb_open_file(path, false, &o->fd, &o->bytes, &mode));
    hb_status st = hb_h5_open_ours(path, &o->file, &bytes);
    if (st == HB_OK && bytes != o->bytes) {
        st = HB_FAIL(HB_EDATA, "%s: was replaced while it was opened", path);
    }
    if (st != HB_OK) {
        close_opened(o);
    }
    return st;
}

static hb_status get_kind(hid_t file, const char *path, bool *galois)
{
    uint32_t kind;
    HB_TRY(hb_key_kind_get(file, path, &kind));
    if (kind != HB_KIND_RELINEARIZATION && kind != HB_KIND_GALOIS) {
        return HB_FAIL(HB_EDATA, "%s: is a key of a pair, where a key for computing is needed", path);
    }
    *galois = kind == HB_KIND_GALOIS;
    return HB_OK;
}

static hb_status get_element(hid_t file, const char *path, uint64_t n, uint32_t *element)
{
    uint64_t g;
    HB_TRY(hb_h5_get_u64(file, "element", path, 2 * n - 1, &g));
    if (g % 2 == 0 || g == 1) {
        return HB_FAIL(HB_EDATA, "%s: element %llu is no automorphism", path, (unsigned long long)g);
    }
    *element = (uint32_t)g;
    return HB_OK;
}

/* All but the bodies, whose places are found: they lie inside the file. offsets: [2]. */
static hb_status get_label(const opened *o, const char *path, hb_switch_key_file *key, bool *seeded, uint64_t *offsets)
{
    bool galois = false;
    HB_TRY(get_kind(o->file, path, &galois));
    HB_TRY(hb_spec_get(o->file, path, o->bytes, &key->spec));
    key->element = HB_RELINEARIZATION;
    if (galois) {
        HB_TRY(get_element(o->file, path, key->spec.n, &key->element));
    }
    HB_TRY(hb_h5_get_bytes(o->file, "key_id", path, key->key_id, sizeof key->key_id));
    key->parts = hb_spec_digits(&key->spec);
    if (key->parts == 0) {
        return HB_FAIL(HB_EDATA, "%s: is a key for computing, of parameters with one prime, which have none", path);
    }
    key->part_bytes = hb_spec_packed_bytes(&key->spec);
    *seeded = H5Lexists(o->file, "a", H5P_DEFAULT) <= 0;
    const hb_key_content content = content_of(key, *seeded);
    for (uint32_t i = 0; i < content.bodies; i++) {
        const hb_key_body *body = &content.body[i];
        HB_TRY(hb_h5_locate(o->file, body->name, path, body->shape, o->bytes, &offsets[i]));
    }
    return HB_OK;
}

hb_status hb_switch_key_file_look(const char *path, hb_switch_key_label *label)
{
    opened o;
    bool seeded = false;
    uint64_t offsets[2];
    hb_switch_key_file key = {.parts = 0};
    HB_TRY(open_both(path, &o));
    hb_status st = get_label(&o, path, &key, &seeded, offsets);
    uint8_t sum[HB_DIGEST_BYTES];
    st = st == HB_OK ? hb_key_sum_get(o.file, path, sum) : st;
    if (st == HB_OK) {
        *label = (hb_switch_key_label){
            .spec = key.spec, .element = key.element, .parts = key.parts, .seeded = seeded, .file_bytes = o.bytes};
        memcpy(label->key_id, key.key_id, sizeof label->key_id);
        memcpy(label->sum, sum, sizeof label->sum);
    }
    close_opened(&o);
    return st;
}

static hb_status get_key(const opened *o, const char *path, hb_switch_key_file *key)
{
    bool seeded;
    uint64_t offsets[2];
    hb_switch_key_file label = {.parts = 0};
    HB_TRY(get_label(o, path, &label, &seeded, offsets));
    HB_TRY(hb_switch_key_file_init(key, &label.spec, label.element, seeded));
    memcpy(key->key_id, label.key_id, sizeof key->key_id);
    const hb_key_content content = content_of(key, seeded);
    HB_TRY(
        hb_read_at(o->fd, seeded ? (void *)key->seeds : key->a, hb_key_body_bytes(&content.body[0]), offsets[0], path));
    HB_TRY(hb_read_at(o->fd, key->b, hb_key_body_bytes(&content.body[1]), offsets[1], path));
    return hb_key_content_check(o->file, path, &content);
}

hb_status hb_switch_key_file_read(const char *path, hb_switch_key_file *key)
{
    opened o;
    *key = (hb_switch_key_file){.parts = 0};
    HB_TRY(open_both(path, &o));
    const hb_status st = get_key(&o, path, key);
    close_opened(&o);
    if (st != HB_OK) {
        hb_switch_key_file_clear(key);
    }
    return st;
}
