/* Reads files of switching keys: first their facts, then their rows. Where rows have digests, the checksum is over
 * these: some rows are read, and each is checked by its own digest. An older file has one checksum over all rows: all
 * of them are read. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/files/file_state.h"
#include "switch_key_rows_private.h"

static bool is_chosen(const hb_switch_key_source *source, uint32_t part, uint32_t prime)
{
    return part < source->rows.parts && (source->rows.primes >> prime & 1) != 0;
}

void hb_switch_key_source_choose(hb_switch_key_source *source, hb_key_rows rows)
{
    const hb_part_rows of = hb_part_rows_of(&source->label.spec, source->label.name);
    source->rows = rows;
    source->rows.parts = rows.parts < source->label.parts ? rows.parts : source->label.parts;
    source->taken_bytes = 0;
    for (uint32_t i = 0; i < of.count; i++) {
        source->taken_bytes += (rows.primes >> of.prime[i] & 1) != 0 ? of.bytes[i] : 0;
    }
}

/* --- facts */

_Static_assert((int)HB_KIND_RELINEARIZATION + (int)HB_KEY_SORTS == (int)HB_KINDS &&
                   (int)HB_KIND_GALOIS - (int)HB_KIND_RELINEARIZATION == (int)HB_KEY_GALOIS &&
                   (int)HB_KIND_FROM_SPARSE - (int)HB_KIND_RELINEARIZATION == (int)HB_KEY_FROM_SPARSE &&
                   (int)HB_KIND_REKEY - (int)HB_KIND_RELINEARIZATION == (int)HB_KEY_REKEY,
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

/* The errors are those of some number of owners: bounds of noise go by it. */
static hb_status get_rekey(hid_t file, const char *path, const hb_params_spec *spec, hb_rekey_facts *rekey)
{
    uint64_t error;
    HB_TRY(hb_h5_get_bytes(file, "from_key_id", path, rekey->from, sizeof rekey->from));
    HB_TRY(hb_h5_get_bool(file, "another", path, &rekey->another));
    HB_TRY(hb_h5_get_u64(file, "error", path, UINT32_MAX, &error));
    for (uint32_t owners = 1; owners <= (rekey->another ? HB_MOST_OWNERS : 1); owners++) {
        if (error == hb_rekey_error(spec, rekey->another, owners)) {
            rekey->error = (uint32_t)error;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EDATA, "%s: errors of 2^%.2f are those of no key from one secret to another", path,
                   (double)error / 1024); /* as files have it */
}

/* Finds the places of the bodies, which lie inside the file. */
static hb_status find_bodies(hid_t file, const char *path, hb_switch_key_source *source)
{
    const hb_switch_key_label *label = &source->label;
    const uint64_t bytes = label->file_bytes;
    const hb_h5_shape rows = hb_h5_matrix(H5T_STD_U8LE, label->parts, source->part_bytes);
    const hb_h5_shape seeds = hb_h5_matrix(H5T_STD_U8LE, label->parts, sizeof(hb_seed));
    const hb_key_body sums = hb_key_row_sums(&label->spec, label->name, label->seeded);
    HB_TRY(
        hb_h5_locate(file, label->seeded ? "seed" : "a", path, label->seeded ? seeds : rows, bytes, &source->a_offset));
    HB_TRY(hb_h5_locate(file, "b", path, rows, bytes, &source->b_offset));
    source->sum_bytes = H5Lexists(file, sums.name, H5P_DEFAULT) > 0 ? hb_key_body_bytes(&sums) : 0;
    return source->sum_bytes > 0 ? hb_h5_locate(file, sums.name, path, sums.shape, bytes, &source->sum_offset) : HB_OK;
}

/* Finds all but the key. `known`: HDF5 sees so many bytes of the file. */
static hb_status get_label(hid_t file, const char *path, uint64_t known, hb_switch_key_source *source)
{
    hb_switch_key_label *label = &source->label;
    hb_key_sort sort;
    HB_TRY(get_sort(file, path, &sort));
    HB_TRY(hb_spec_get(file, path, known, &label->spec));
    if (hb_spec_data_limbs(&label->spec) == 0) {
        return HB_FAIL(HB_EDATA, "%s: is a key for computing, of parameters without a special prime, which have none",
                       path);
    }
    HB_TRY(get_name(file, path, &label->spec, &label->name));
    if (label->name.sort == HB_KEY_REKEY) {
        HB_TRY(get_rekey(file, path, &label->spec, &label->rekey));
    }
    HB_TRY(hb_h5_get_bytes(file, "key_id", path, label->key_id, sizeof label->key_id));
    HB_TRY(hb_key_version_get(file, path, &label->version));
    HB_TRY(hb_key_sum_get(file, path, label->sum));
    label->parts = hb_key_parts(&label->spec, label->name);
    label->seeded = H5Lexists(file, "a", H5P_DEFAULT) <= 0;
    source->part_bytes = hb_part_rows_of(&label->spec, label->name).all_bytes;
    hb_switch_key_source_choose(source, (hb_key_rows){label->parts, UINT64_MAX});
    return find_bodies(file, path, source);
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

/* With the new secret the key opens what the old one opens. */
static hb_status check_mode(const char *path, mode_t mode)
{
    const unsigned bits = (unsigned)mode & 0777;
    return (mode & (S_IRWXG | S_IRWXO)) == 0
               ? HB_OK
               : HB_FAIL(HB_EPERM, "%s: is a rekeying key that others can read (mode %04o): chmod 600 it", path, bits);
}

/* A file that was changed in any way is another one, whatever checksum it states. */
static hb_status find_state(hb_switch_key_source *source, const char *path)
{
    struct stat info;
    hb_digest_state state;
    if (fstat(source->fd, &info) != 0) {
        return HB_FAIL(HB_EIO, "%s: cannot be looked at: %s", path, strerror(errno));
    }
    hb_digest_begin(&state, "hebatch key file");
    hb_file_state_add(&state, &info);
    hb_digest_end(&state, source->state);
    return HB_OK;
}

static void find_origin(hb_switch_key_source *source)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch key");
    hb_digest_add(&state, source->label.sum, sizeof source->label.sum);
    hb_digest_add(&state, source->state, sizeof source->state);
    hb_digest_end(&state, source->origin);
}

/* --- known files */

void hb_known_keys_clear(hb_known_keys *known)
{
    free(known->source);
    *known = (hb_known_keys){.source = NULL};
}

/* Returns whether the facts of the file are known, and takes them over. */
static bool take_known(const hb_known_keys *known, hb_switch_key_source *source)
{
    for (uint32_t i = 0; known != NULL && i < known->count; i++) {
        if (memcmp(known->source[i].state, source->state, sizeof source->state) == 0) {
            const int fd = source->fd;
            *source = known->source[i];
            source->fd = fd;
            return true;
        }
    }
    return false;
}

/* Without memory the file is not known. */
static void note(hb_known_keys *known, const hb_switch_key_source *source)
{
    if (known != NULL && known->source == NULL) {
        known->source = calloc(HB_KNOWN_KEYS_MOST, sizeof *known->source);
    }
    if (known != NULL && known->source != NULL) {
        known->source[known->next] = *source;
        known->source[known->next].fd = -1;
        known->next = (known->next + 1) % HB_KNOWN_KEYS_MOST;
        known->count += known->count < HB_KNOWN_KEYS_MOST;
    }
}

static hb_status read_facts(const char *path, hb_switch_key_source *source)
{
    opening o = {path, source};
    HB_TRY(hb_h5_look_into(source->fd, path, source->label.file_bytes, look, &o));
    find_origin(source);
    return HB_OK;
}

hb_status hb_switch_key_source_open_known(const char *path, hb_known_keys *known, hb_switch_key_source *source)
{
    mode_t mode;
    *source = (hb_switch_key_source){.fd = -1};
    HB_TRY(hb_open_file(path, false, &source->fd, &source->label.file_bytes, &mode));
    hb_status st = find_state(source, path);
    if (st == HB_OK && !take_known(known, source)) {
        st = read_facts(path, source);
        if (st == HB_OK) {
            note(known, source);
        }
    }
    if (st == HB_OK && source->label.name.sort == HB_KEY_REKEY) {
        st = check_mode(path, mode);
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

/* --- rows */

/* A file whose rows are read. */
typedef struct reading {
    const hb_switch_key_source *source;
    const char *path;
    int fd;
    hb_part_rows rows;      /* of a part */
    uint8_t *b, *a;         /* get the rows of component 0, and of component 1, or its seeds */
    uint8_t *sums;          /* the digests of all rows; NULL: the file has none */
    uint8_t *skipped;       /* then: memory for a row that is not chosen; else NULL */
    hb_digest_state *whole; /* then: digests all rows */
} reading;

static hb_status check_row(const reading *r, uint64_t number, const uint8_t *row, size_t bytes)
{
    uint8_t own[HB_DIGEST_BYTES];
    hb_digest_row(own, row, bytes);
    return memcmp(own, r->sums + number * HB_DIGEST_BYTES, sizeof own) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: does not match its checksum: the file is damaged", r->path);
}

/* Reads the chosen rows of a component, one behind the other. `number`: the place of its first row's digest among all
 * digests. */
static hb_status read_component(const reading *r, uint64_t offset, uint64_t number, uint8_t *to)
{
    for (uint32_t j = 0; j < r->source->label.parts; j++) {
        for (uint32_t i = 0; i < r->rows.count; i++, number++) {
            const size_t bytes = r->rows.bytes[i];
            const bool chosen = is_chosen(r->source, j, r->rows.prime[i]);
            uint8_t *row = chosen ? to : r->skipped;
            if (row != NULL) {
                HB_TRY(hb_read_at(r->fd, row, bytes, offset, r->path));
            }
            if (r->sums == NULL) {
                hb_digest_add(r->whole, row, bytes);
            } else if (chosen) {
                HB_TRY(check_row(r, number, row, bytes));
            }
            to += chosen ? bytes : 0;
            offset += bytes;
        }
    }
    return HB_OK;
}

static hb_status read_components(const reading *r)
{
    const hb_switch_key_source *source = r->source;
    uint64_t number = 0;
    if (!source->label.seeded) {
        HB_TRY(read_component(r, source->a_offset, 0, r->a));
        number = (uint64_t)source->label.parts * r->rows.count;
    }
    return read_component(r, source->b_offset, number, r->b);
}

/* Makes memory for the digests of rows; where the file has none, for its longest row. */
static hb_status make_memory(reading *r)
{
    size_t bytes = r->source->sum_bytes;
    for (uint32_t i = 0; i < r->rows.count && r->source->sum_bytes == 0; i++) {
        bytes = r->rows.bytes[i] > bytes ? r->rows.bytes[i] : bytes;
    }
    uint8_t *memory = malloc(bytes);
    *(r->source->sum_bytes > 0 ? &r->sums : &r->skipped) = memory;
    return memory != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a row of %zu bytes", r->path, bytes);
}

/* Reads all that the checksum is over: seeds and the digests of rows, or, in their place, the rows. */
static hb_status add_bodies(void *context, hb_digest_state *state)
{
    reading *r = context;
    const hb_switch_key_source *source = r->source;
    const size_t seeds = source->label.seeded ? source->label.parts * sizeof(hb_seed) : 0;
    if (seeds > 0) {
        HB_TRY(hb_read_at(r->fd, r->a, seeds, source->a_offset, r->path));
        hb_digest_add(state, r->a, seeds);
    }
    if (r->sums == NULL) {
        r->whole = state;
        return read_components(r);
    }
    HB_TRY(hb_read_at(r->fd, r->sums, source->sum_bytes, source->sum_offset, r->path));
    hb_digest_add(state, r->sums, source->sum_bytes);
    return HB_OK;
}

static hb_status read_all(reading *r)
{
    const hb_switch_key_label *label = &r->source->label;
    const hb_key_content content = {.kind = HB_KIND_RELINEARIZATION + (uint32_t)label->name.sort,
                                    .version = label->version,
                                    .spec = &label->spec,
                                    .key_id = label->key_id,
                                    .element = label->name.element,
                                    .limbs = label->name.limbs,
                                    .rekey = label->name.sort == HB_KEY_REKEY ? &label->rekey : NULL,
                                    .row_sums = r->source->sum_bytes > 0};
    HB_TRY(make_memory(r));
    HB_TRY(hb_key_content_check(r->path, &content, add_bodies, r, label->sum));
    return r->sums != NULL ? read_components(r) : HB_OK;
}

hb_status hb_switch_key_source_read(const hb_switch_key_source *source, const char *path, uint8_t *b, uint8_t *a)
{
    reading r = {.source = source,
                 .path = path,
                 .fd = source->fd,
                 .rows = hb_part_rows_of(&source->label.spec, source->label.name),
                 .b = b,
                 .a = a};
    if (r.fd < 0) {
        mode_t mode;
        uint64_t bytes;
        HB_TRY(hb_open_file(path, false, &r.fd, &bytes, &mode));
    }
    const hb_status st = read_all(&r);
    free(r.sums);
    free(r.skipped);
    if (source->fd < 0) {
        close(r.fd);
    }
    return st;
}
