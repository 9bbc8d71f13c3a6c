/* Files of switching keys that are read: first what they say of themselves, through HDF5, then the key, without it. */
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "params_h5_private.h"
#include "switch_key_private.h"

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
    label->parts = hb_switch_key_parts(&label->spec, label->name);
    label->seeded = H5Lexists(file, "a", H5P_DEFAULT) <= 0;
    source->part_bytes = hb_switch_key_part_bytes(&label->spec, label->name);
    const hb_switch_key_file empty = {.name = label->name, .parts = label->parts, .part_bytes = source->part_bytes};
    const hb_key_content content = hb_switch_key_content(&empty, label->seeded, H5T_STD_U8LE);
    for (uint32_t i = 0; i < content.bodies; i++) {
        const hb_key_body *body = &content.body[i];
        HB_TRY(hb_h5_locate(file, body->name, path, body->shape, label->file_bytes, &source->offset[i]));
    }
    return HB_OK;
}

/* From the first bytes, in which hebatch writes it all. */
static hb_status get_from_head(const char *path, hb_switch_key_source *source)
{
    hb_h5_head head;
    HB_TRY(hb_h5_head_open(&head, source->fd, path, source->label.file_bytes));
    const hb_status st = get_label(head.file, path, head.known, source);
    hb_h5_head_close(&head);
    return st;
}

/* Also where another program has arranged the file anew; and so that what is refused is what HDF5 sees of the whole. */
static hb_status get_from_whole(const char *path, hb_switch_key_source *source)
{
    hid_t file;
    HB_TRY(hb_h5_open_descriptor(source->fd, path, source->label.file_bytes, &file));
    const hb_status st = get_label(file, path, source->label.file_bytes, source);
    hb_h5_close(file);
    return st;
}

hb_status hb_switch_key_source_open(const char *path, hb_switch_key_source *source)
{
    mode_t mode;
    uint64_t bytes;
    int fd;
    *source = (hb_switch_key_source){.fd = -1};
    HB_TRY(hb_open_file(path, false, &fd, &bytes, &mode));
    const hb_switch_key_source opened = {.label = {.file_bytes = bytes}, .fd = fd};
    *source = opened;
    hb_status st = get_from_head(path, source);
    if (st != HB_OK) {
        hb_clear_error();
        *source = opened;
        st = get_from_whole(path, source);
    }
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

/* Where the seeds or component 1 stand in memory: behind component 0. */
static size_t second_at(const hb_switch_key_source *source)
{
    return (source->label.parts * source->part_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

size_t hb_switch_key_source_bytes(const hb_switch_key_source *source)
{
    const size_t second = source->label.seeded ? sizeof(hb_seed) : source->part_bytes;
    return second_at(source) + source->label.parts * second;
}

hb_status hb_switch_key_source_bodies(const hb_switch_key_source *source, const char *path, uint8_t *const bodies[2])
{
    const hb_switch_key_label *label = &source->label;
    hb_switch_key_file key = {
        .spec = label->spec, .name = label->name, .parts = label->parts, .part_bytes = source->part_bytes};
    memcpy(key.key_id, label->key_id, sizeof key.key_id);
    const hb_key_content content = hb_switch_key_content(&key, label->seeded, 0);
    int fd = source->fd;
    if (fd < 0) {
        mode_t mode;
        uint64_t bytes;
        HB_TRY(hb_open_file(path, false, &fd, &bytes, &mode));
    }
    const hb_status st = hb_key_content_read(fd, path, &content, source->offset, bodies, label->sum);
    if (source->fd < 0) {
        close(fd);
    }
    return st;
}

hb_packed_key hb_switch_key_source_rows(const hb_switch_key_source *source, const uint8_t *memory)
{
    const uint8_t *second = memory + second_at(source);
    return (hb_packed_key){.limbs = source->label.name.limbs,
                           .b = memory,
                           .a = source->label.seeded ? NULL : second,
                           .seeds = source->label.seeded ? (const hb_seed *)second : NULL};
}

hb_status hb_switch_key_source_read(const hb_switch_key_source *source, const char *path, uint8_t *memory,
                                    hb_packed_key *rows)
{
    uint8_t *const bodies[2] = {memory + second_at(source), memory};
    HB_TRY(hb_switch_key_source_bodies(source, path, bodies));
    *rows = hb_switch_key_source_rows(source, memory);
    return HB_OK;
}
