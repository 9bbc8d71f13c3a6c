#include "switch_key_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "key_content_private.h"
#include "params_h5_private.h"

/* Attributes and object headers, seeds, and the gap before a dataset that begins on a page: at most this. */
#define FILE_OVERHEAD ((uint64_t)16 << 10)

static uint32_t parts_of(const hb_params_spec *spec, hb_key_name name)
{
    const uint32_t limbs = hb_key_name_limbs(spec, name), each = hb_spec_digit_limbs(spec);
    return limbs / each + (limbs % each != 0);
}

/* A part has the primes of its level and all special ones; HB_KEY_TO_SPARSE has the first special one alone. */
static size_t part_bytes_of(const hb_params_spec *spec, hb_key_name name)
{
    const uint32_t data = hb_spec_data_limbs(spec), limbs = hb_key_name_limbs(spec, name);
    const uint32_t end = name.sort == HB_KEY_TO_SPARSE ? data + 1 : spec->key_limbs;
    size_t bytes = 0;
    for (uint32_t l = 0; l < end; l++) {
        bytes += l < limbs || l >= data ? hb_spec_row_bytes(spec, l) : 0;
    }
    return bytes;
}

uint64_t hb_switch_key_file_bytes(const hb_params_spec *spec, hb_key_name name)
{
    return (uint64_t)parts_of(spec, name) * part_bytes_of(spec, name) + FILE_OVERHEAD;
}

void hb_switch_key_file_clear(hb_switch_key_file *key)
{
    free(key->b);
    free(key->seeds);
    free(key->a);
    memset(key, 0, sizeof *key);
}

/* Sizes are at most 63 parts of 2^26 bytes. */
hb_status hb_switch_key_file_init(hb_switch_key_file *key, const hb_params_spec *spec, hb_key_name name, bool seeded)
{
    *key = (hb_switch_key_file){.parts = 0};
    *key = (hb_switch_key_file){
        .spec = *spec, .name = name, .parts = parts_of(spec, name), .part_bytes = part_bytes_of(spec, name)};
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

/* The same as attributes and bodies; the bodies of a key that is only looked at have no data. `bytes` is HDF5's type of
 * a byte, or 0 where HDF5 is not called. */
static hb_key_content content_of(const hb_switch_key_file *key, bool seeded, hid_t bytes)
{
    const hb_h5_shape packed = hb_h5_matrix(bytes, key->parts, key->part_bytes);
    const hb_h5_shape seeds = hb_h5_matrix(bytes, key->parts, sizeof(hb_seed));
    return (hb_key_content){
        .kind = HB_KIND_RELINEARIZATION + (uint32_t)key->name.sort,
        .spec = &key->spec,
        .key_id = key->key_id,
        .element = key->name.element,
        .limbs = key->name.limbs,
        .bodies = 2,
        .body = {seeded ? (hb_key_body){"seed", seeds, key->seeds} : (hb_key_body){"a", packed, key->a},
                 {"b", packed, key->b}}};
}

static hb_key_content whole_content(const hb_switch_key_file *key)
{
    HB_ASSERT(key->parts == parts_of(&key->spec, key->name));
    HB_ASSERT(key->part_bytes == part_bytes_of(&key->spec, key->name));
    HB_ASSERT(key->b && (key->seeds == NULL) != (key->a == NULL));
    return content_of(key, key->seeds != NULL, H5T_STD_U8LE);
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

_Static_assert((int)HB_KIND_RELINEARIZATION + (int)HB_KEY_SORTS == (int)HB_KINDS &&
                   (int)HB_KIND_GALOIS - (int)HB_KIND_RELINEARIZATION == (int)HB_KEY_GALOIS &&
                   (int)HB_KIND_FROM_SPARSE - (int)HB_KIND_RELINEARIZATION == (int)HB_KEY_FROM_SPARSE,
               "kinds of files are those of pairs, then sorts of keys");

static hb_status get_sort(hid_t file, const char *path, hb_key_sort *sort)
{
    uint32_t kind;
    HB_TRY(hb_key_kind_get(file, path, &kind));
    if (kind < HB_KIND_RELINEARIZATION) {
        return HB_FAIL(HB_EDATA, "%s: is a key of a pair, where a key for computing is needed", path);
    }
    *sort = (hb_key_sort)(kind - HB_KIND_RELINEARIZATION);
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

/* Keys of the highest level do not say so: those of old do not, which were all for that. */
static hb_status get_limbs(hid_t file, const char *path, const hb_params_spec *spec, uint32_t *limbs)
{
    const uint32_t data = hb_spec_data_limbs(spec), own = hb_spec_level_limbs(spec);
    uint64_t k;
    *limbs = 0;
    if (H5Aexists(file, "limbs") <= 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_get_u64(file, "limbs", path, data, &k));
    if (k == 0 || k == data || k % own != 0) {
        return HB_FAIL(HB_EDATA, "%s: limbs %llu are no level below the highest", path, (unsigned long long)k);
    }
    *limbs = (uint32_t)k;
    return HB_OK;
}

static hb_status get_name(hid_t file, const char *path, const hb_params_spec *spec, hb_key_name *name)
{
    *name = (hb_key_name){.limbs = 0};
    HB_TRY(get_sort(file, path, &name->sort));
    if (name->sort == HB_KEY_TO_SPARSE || name->sort == HB_KEY_FROM_SPARSE) {
        return hb_spec_can_bootstrap(spec)
                   ? HB_OK
                   : HB_FAIL(HB_EDATA, "%s: is a key of a sparse secret, and its parameters have none", path);
    }
    if (name->sort == HB_KEY_GALOIS) {
        HB_TRY(get_element(file, path, spec->n, &name->element));
    }
    return get_limbs(file, path, spec, &name->limbs);
}

/* All but the bodies, whose places are found: they lie inside the file. `known`: HDF5 sees so many bytes of it. */
static hb_status get_label(hid_t file, const char *path, uint64_t known, hb_switch_key_source *source)
{
    hb_switch_key_label *label = &source->label;
    hb_key_sort sort;
    HB_TRY(get_sort(file, path, &sort));
    HB_TRY(hb_spec_get(file, path, known, &label->spec));
    if (hb_spec_digits(&label->spec) == 0) {
        return HB_FAIL(HB_EDATA, "%s: is a key for computing, of parameters with one prime, which have none", path);
    }
    HB_TRY(get_name(file, path, &label->spec, &label->name));
    HB_TRY(hb_h5_get_bytes(file, "key_id", path, label->key_id, sizeof label->key_id));
    HB_TRY(hb_key_sum_get(file, path, label->sum));
    label->parts = parts_of(&label->spec, label->name);
    label->seeded = H5Lexists(file, "a", H5P_DEFAULT) <= 0;
    source->part_bytes = part_bytes_of(&label->spec, label->name);
    const hb_switch_key_file empty = {.name = label->name, .parts = label->parts, .part_bytes = source->part_bytes};
    const hb_key_content content = content_of(&empty, label->seeded, H5T_STD_U8LE);
    for (uint32_t i = 0; i < content.bodies; i++) {
        const hb_key_body *body = &content.body[i];
        HB_TRY(hb_h5_locate(file, body->name, path, body->shape, label->file_bytes, &source->offset[i]));
    }
    return HB_OK;
}

/* A source that is opened. */
typedef struct opening {
    const char *path;
    hb_switch_key_source *source;
} opening;

static hb_status look(hid_t file, uint64_t known, void *context)
{
    const opening *o = context;
    return get_label(file, o->path, known, o->source);
}

hb_status hb_switch_key_source_open(const char *path, hb_switch_key_source *source)
{
    mode_t mode;
    *source = (hb_switch_key_source){.fd = -1};
    HB_TRY(hb_open_file(path, false, &source->fd, &source->label.file_bytes, &mode));
    opening o = {path, source};
    const hb_status st = hb_h5_look_into(source->fd, path, source->label.file_bytes, look, &o);
    if (st != HB_OK) {
        hb_switch_key_source_close(source);
    }
    return st;
}

void hb_switch_key_source_close(hb_switch_key_source *source)
{
    if (source->fd >= 0) {
        close(source->fd);
    }
    source->fd = -1;
}

/* Reads seeds or component 1 to `first`, and component 0 to `second`. */
static hb_status read_bodies(const hb_switch_key_source *source, const char *path, uint8_t *first, uint8_t *second)
{
    const hb_switch_key_label *label = &source->label;
    hb_switch_key_file key = {
        .spec = label->spec, .name = label->name, .parts = label->parts, .part_bytes = source->part_bytes};
    memcpy(key.key_id, label->key_id, sizeof key.key_id);
    const hb_key_content content = content_of(&key, label->seeded, 0);
    hb_key_bodies from = {source->fd, {source->offset[0], source->offset[1]}, {first, second}};
    if (from.fd < 0) {
        mode_t mode;
        uint64_t bytes;
        HB_TRY(hb_open_file(path, false, &from.fd, &bytes, &mode));
    }
    const hb_status st = hb_key_content_check(path, &content, &from, label->sum);
    if (source->fd < 0) {
        close(from.fd);
    }
    return st;
}

hb_status hb_switch_key_source_read(const hb_switch_key_source *source, const char *path, uint8_t *memory)
{
    return read_bodies(source, path, memory + hb_switch_key_source_second(source), memory);
}

hb_status hb_switch_key_file_look(const char *path, hb_switch_key_label *label)
{
    hb_switch_key_source source;
    HB_TRY(hb_switch_key_source_open(path, &source));
    *label = source.label;
    hb_switch_key_source_close(&source);
    return HB_OK;
}

hb_status hb_switch_key_file_read(const char *path, hb_switch_key_file *key)
{
    hb_switch_key_source source;
    *key = (hb_switch_key_file){.parts = 0};
    HB_TRY(hb_switch_key_source_open(path, &source));
    const hb_switch_key_label *label = &source.label;
    hb_status st = hb_switch_key_file_init(key, &label->spec, label->name, label->seeded);
    if (st == HB_OK) {
        memcpy(key->key_id, label->key_id, sizeof key->key_id);
        st = read_bodies(&source, path, label->seeded ? (uint8_t *)key->seeds : key->a, key->b);
    }
    hb_switch_key_source_close(&source);
    if (st != HB_OK) {
        hb_switch_key_file_clear(key);
    }
    return st;
}
