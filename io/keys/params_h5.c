#include "params_h5_private.h"
#include "scheme/params.h"

#include <inttypes.h>
#include <string.h>

static const hb_spec_fields *const fields[] = {[HB_BFV] = &hb_bfv_spec_fields, [HB_CKKS] = &hb_ckks_spec_fields};
HB_ROW_PER_SCHEME(fields);

static const hb_spec_fields *fields_of(const hb_params_spec *spec)
{
    HB_ASSERT((size_t)spec->scheme < HB_SCHEMES);
    return fields[spec->scheme];
}

size_t hb_spec_row_bytes(const hb_params_spec *spec, uint32_t limb)
{
    size_t bits = 64 - (size_t)__builtin_clzll(spec->primes[limb] - 1);
    return spec->n / 8 * bits;
}

/* Whether a file says how many primes are special, and how many a digit of key switching has: of all whose keys are not
 * switched as SEAL's are. */
static bool names_digits(const hb_params_spec *spec)
{
    return !hb_spec_switches_like_seal(spec);
}

/* Whether a file says who owns its keys: of several owners. */
static bool names_owners(const hb_params_spec *spec)
{
    return hb_spec_owners(spec) > 1;
}

static void add_owners(hb_digest_state *state, const hb_params_spec *spec)
{
    const hb_joint_spec *joint = &spec->joint;
    if (names_owners(spec)) {
        hb_digest_add_u64(state, joint->owners);
        hb_digest_add_u64(state, joint->threshold);
        hb_digest_add_u64(state, joint->results);
        hb_digest_add(state, joint->session, sizeof joint->session);
    }
}

void hb_spec_add(hb_digest_state *state, const hb_params_spec *spec)
{
    hb_digest_add_u64(state, spec->n);
    hb_digest_add_u64(state, spec->key_limbs);
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        hb_digest_add_u64(state, spec->primes[i]);
    }
    fields_of(spec)->add(state, spec);
    hb_digest_add_u64(state, spec->security.level);
    hb_digest_add_u64(state, spec->insecure);
    if (hb_spec_names_table(spec)) {
        hb_digest_add_u64(state, hb_security_year(spec->security.table));
        hb_digest_add_u64(state, spec->security.quantum);
    }
    if (names_digits(spec)) {
        hb_digest_add_u64(state, hb_spec_special_limbs(spec));
        hb_digest_add_u64(state, hb_spec_digit_limbs(spec));
    }
    add_owners(state, spec);
}

bool hb_spec_names_table(const hb_params_spec *spec)
{
    return spec->security.table != HB_SECURITY_2018 || spec->security.quantum;
}

bool hb_spec_is_early(const hb_params_spec *spec)
{
    return fields_of(spec)->is_unnamed && !names_digits(spec);
}

uint32_t hb_spec_datasets(const hb_params_spec *spec)
{
    return fields_of(spec)->datasets(spec) + (hb_spec_names_table(spec) ? 6 : 4) + (names_digits(spec) ? 2 : 0) +
           (names_owners(spec) ? 4 : 0);
}

static hb_status put_table(hid_t group, const hb_security *security)
{
    const uint64_t table = hb_security_year(security->table), quantum = security->quantum;
    HB_TRY(hb_h5_put_dataset(group, "security_table", hb_h5_vector(H5T_STD_U64LE, 1), &table));
    return hb_h5_put_dataset(group, "quantum", hb_h5_vector(H5T_STD_U64LE, 1), &quantum);
}

static hb_status put_digits(hid_t group, const hb_params_spec *spec)
{
    const uint64_t special = hb_spec_special_limbs(spec), digit = hb_spec_digit_limbs(spec);
    HB_TRY(hb_h5_put_dataset(group, "special_limbs", hb_h5_vector(H5T_STD_U64LE, 1), &special));
    return hb_h5_put_dataset(group, "digit_limbs", hb_h5_vector(H5T_STD_U64LE, 1), &digit);
}

static hb_status put_owners(hid_t group, const hb_params_spec *spec)
{
    const uint64_t owners = spec->joint.owners, threshold = spec->joint.threshold;
    if (!names_owners(spec)) {
        return HB_OK;
    }
    HB_TRY(hb_h5_put_dataset(group, "owners", hb_h5_vector(H5T_STD_U64LE, 1), &owners));
    HB_TRY(hb_h5_put_dataset(group, "threshold", hb_h5_vector(H5T_STD_U64LE, 1), &threshold));
    HB_TRY(hb_h5_put_dataset(group, "results", hb_h5_vector(H5T_STD_U64LE, 1), &spec->joint.results));
    return hb_h5_put_dataset(group, "session", hb_h5_vector(H5T_STD_U8LE, HB_DIGEST_BYTES), spec->joint.session);
}

static hb_status put_numbers(hid_t group, const hb_params_spec *spec)
{
    const uint64_t n = spec->n, security = spec->security.level, insecure = spec->insecure;
    HB_TRY(hb_h5_put_dataset(group, "n", hb_h5_vector(H5T_STD_U64LE, 1), &n));
    HB_TRY(hb_h5_put_dataset(group, "primes", hb_h5_vector(H5T_STD_U64LE, spec->key_limbs), spec->primes));
    HB_TRY(fields_of(spec)->put(group, spec));
    HB_TRY(hb_h5_put_dataset(group, "security", hb_h5_vector(H5T_STD_U64LE, 1), &security));
    HB_TRY(hb_h5_put_dataset(group, "insecure", hb_h5_vector(H5T_STD_U64LE, 1), &insecure));
    if (hb_spec_names_table(spec)) {
        HB_TRY(put_table(group, &spec->security));
    }
    if (names_digits(spec)) {
        HB_TRY(put_digits(group, spec));
    }
    return put_owners(group, spec);
}

hb_status hb_spec_put(hid_t file, const hb_params_spec *spec)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_params_digest(digest, spec);
    HB_TRY(hb_h5_put_bytes(file, "params_digest", digest, sizeof digest));
    HB_TRY(hb_h5_put_u64(file, "insecure", spec->insecure));
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "params", &group));
    hb_status st = fields_of(spec)->is_unnamed ? HB_OK : hb_h5_put_text(group, "scheme", hb_scheme_word(spec->scheme));
    st = st == HB_OK ? put_numbers(group, spec) : st;
    hb_h5_close(group);
    return st;
}

hb_status hb_spec_get_number(hid_t group, const char *name, const char *path, uint64_t file_bytes, uint64_t least,
                             uint64_t most, uint64_t *value)
{
    uint64_t read = 0;
    HB_TRY(hb_h5_get_dataset(group, name, path, hb_h5_vector(H5T_STD_U64LE, 1), file_bytes, &read));
    if (read < least || read > most) {
        return HB_FAIL(HB_EDATA, "%s: parameter '%s' is %" PRIu64 ", outside %" PRIu64 " to %" PRIu64, path, name, read,
                       least, most);
    }
    *value = read;
    return HB_OK;
}

static hb_status get_primes(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    uint64_t limbs;
    size_t element;
    HB_TRY(hb_h5_extent(group, "primes", path, file_bytes, &limbs, &element));
    if (limbs < 1 || limbs > HB_MAX_LIMBS) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " primes are outside 1 to %d", path, limbs, HB_MAX_LIMBS);
    }
    HB_TRY(hb_h5_get_dataset(group, "primes", path, hb_h5_vector(H5T_STD_U64LE, limbs), file_bytes, spec->primes));
    for (uint64_t i = 0; i < limbs; i++) {
        if (spec->primes[i] < 2 || spec->primes[i] >= HB_SPEC_MODULUS_END) {
            return HB_FAIL(HB_EDATA, "%s: prime q_%" PRIu64 " = %" PRIu64 " is outside 2 to 2^60", path, i,
                           spec->primes[i]);
        }
    }
    spec->key_limbs = (uint32_t)limbs;
    return HB_OK;
}

/* Files without are of the table of 2018. */
static hb_status get_table(hid_t group, const char *path, uint64_t file_bytes, hb_security *security)
{
    uint64_t year = 0, quantum = 0;
    HB_TRY(hb_spec_get_number(group, "security_table", path, file_bytes, 0, UINT64_MAX, &year));
    HB_TRY(hb_spec_get_number(group, "quantum", path, file_bytes, 0, 1, &quantum));
    security->quantum = quantum != 0;
    const hb_status st = hb_security_of_year(year, &security->table);
    return st == HB_OK ? st : HB_FAIL(HB_EDATA, "%s: %s; another version wrote it", path, hb_last_error()->text);
}

hb_status hb_scheme_get(hid_t at, const char *path, hb_scheme *scheme)
{
    const char *words[HB_SCHEMES];
    uint32_t found;
    for (size_t i = 0; i < HB_SCHEMES; i++) {
        words[i] = hb_scheme_word((hb_scheme)i);
    }
    HB_TRY(hb_h5_get_word(at, "scheme", path, words, HB_SCHEMES, &found));
    *scheme = (hb_scheme)found;
    return HB_OK;
}

/* Which scheme's numbers follow. */
static hb_status get_scheme(hid_t group, const char *path, hb_scheme *scheme)
{
    htri_t named;
    HB_TRY(HB_H5(named = H5Aexists(group, "scheme"), HB_EDATA, "%s: cannot look for attribute 'scheme'", path));
    if (named > 0) {
        return hb_scheme_get(group, path, scheme);
    }
    for (size_t i = 0; i < HB_SCHEMES; i++) {
        if (fields[i]->is_unnamed) {
            *scheme = (hb_scheme)i;
        }
    }
    return HB_OK;
}

/* The numbers of special primes and of those of a digit; files without are of parameters like SEAL's. */
static hb_status get_digits(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    uint64_t special = 0, digit = 0;
    bool there;
    HB_TRY(hb_h5_has(group, "special_limbs", path, &there));
    if (there) {
        HB_TRY(hb_spec_get_number(group, "special_limbs", path, file_bytes, 1, spec->key_limbs, &special));
        const uint64_t data = spec->key_limbs - special; /* 0: none is special */
        HB_TRY(hb_spec_get_number(group, "digit_limbs", path, file_bytes, 1, data > 0 ? data : 1, &digit));
        spec->special_limbs = (uint32_t)special;
        spec->digit_limbs = (uint32_t)digit;
    }
    return there == names_digits(spec)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: parameters that switch keys %s", path,
                         there ? "as SEAL does, and yet name their digits" : "in digits, and do not name them");
}

/* Files without are of one owner. */
static hb_status get_owners(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    hb_joint_spec *joint = &spec->joint;
    uint64_t owners = 0, threshold = 0;
    bool there;
    HB_TRY(hb_h5_has(group, "owners", path, &there));
    if (!there) {
        return HB_OK;
    }
    if (spec->scheme != HB_BFV) {
        return HB_FAIL(HB_EDATA, "%s: has several owners, as only keys of BFV have", path);
    }
    HB_TRY(hb_spec_get_number(group, "owners", path, file_bytes, 2, HB_MOST_OWNERS, &owners));
    HB_TRY(hb_spec_get_number(group, "threshold", path, file_bytes, 2, owners, &threshold));
    HB_TRY(hb_spec_get_number(group, "results", path, file_bytes, 1, UINT64_MAX, &joint->results));
    joint->owners = (uint32_t)owners;
    joint->threshold = (uint32_t)threshold;
    const hb_h5_shape id = hb_h5_vector(H5T_STD_U8LE, HB_DIGEST_BYTES);
    return hb_h5_get_dataset(group, "session", path, id, file_bytes, joint->session);
}

static hb_status get_numbers(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    uint64_t n = 0, security = 0, insecure = 0;
    HB_TRY(get_scheme(group, path, &spec->scheme));
    HB_TRY(hb_spec_get_number(group, "n", path, file_bytes, (uint64_t)1 << HB_MIN_LOG_N,
                              (uint64_t)1 << HB_RING_MAX_LOG_N, &n));
    if ((n & (n - 1)) != 0) {
        return HB_FAIL(HB_EDATA, "%s: parameter 'n' is %" PRIu64 ", no power of two", path, n);
    }
    HB_TRY(get_primes(group, path, file_bytes, spec));
    HB_TRY(fields_of(spec)->get(group, path, file_bytes, spec));
    HB_TRY(hb_spec_get_number(group, "security", path, file_bytes, 0, 256, &security));
    HB_TRY(hb_spec_get_number(group, "insecure", path, file_bytes, 0, 1, &insecure));
    spec->n = (size_t)n;
    spec->insecure = insecure != 0;
    spec->security = (hb_security){.level = (uint32_t)security};
    bool there;
    HB_TRY(hb_h5_has(group, "security_table", path, &there));
    if (there) {
        HB_TRY(get_table(group, path, file_bytes, &spec->security));
    }
    HB_TRY(get_digits(group, path, file_bytes, spec));
    return get_owners(group, path, file_bytes, spec);
}

hb_status hb_spec_get(hid_t file, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    hb_params_spec read = {0};
    hid_t group;
    HB_TRY(hb_h5_open_group(file, "params", path, &group));
    hb_status st = get_numbers(group, path, file_bytes, &read);
    hb_h5_close(group);
    HB_TRY(st);
    uint8_t digest[HB_DIGEST_BYTES], stored[HB_DIGEST_BYTES];
    bool insecure;
    hb_params_digest(digest, &read);
    HB_TRY(hb_h5_get_bytes(file, "params_digest", path, stored, sizeof stored));
    HB_TRY(hb_h5_get_bool(file, "insecure", path, &insecure));
    if (memcmp(digest, stored, sizeof digest) != 0 || insecure != read.insecure) {
        return HB_FAIL(HB_EDATA, "%s: its parameters do not match their digest: the file is damaged", path);
    }
    *spec = read;
    return HB_OK;
}
