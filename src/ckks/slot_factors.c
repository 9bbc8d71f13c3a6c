#include "slot_factors.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "ring/roots.h"

enum { DOUBLE_BITS = 53 };

/* A map of `period` slots; numbers in [0, period), ascending. Its entries repeat with the widest stage. */
typedef struct map {
    size_t period, length;
    uint32_t count;
    int64_t *numbers; /* [count] */
    double *values;   /* [count][2][length], or NULL */
} map;

static void map_clear(map *m)
{
    free(m->numbers);
    free(m->values);
    *m = (map){0};
}

static hb_status map_init(map *m, size_t period, size_t length, uint32_t count, bool values)
{
    *m = (map){.period = period, .length = length, .count = count, .numbers = calloc(count, sizeof *m->numbers)};
    m->values = values ? calloc(count, 2 * length * sizeof *m->values) : NULL;
    if (m->numbers == NULL || (values && m->values == NULL)) {
        map_clear(m);
        return HB_FAIL(HB_ENOMEM, "no memory for a map of %u diagonals", count);
    }
    return HB_OK;
}

static double *real_parts(const map *m, uint32_t i)
{
    return m->values + 2 * m->length * i;
}
static double *imaginary_parts(const map *m, uint32_t i)
{
    return real_parts(m, i) + m->length;
}

/* Sets the entry of slot x in diagonal i. */
static void set(const map *m, uint32_t i, size_t x, hb_complex value)
{
    real_parts(m, i)[x] = value.re;
    imaginary_parts(m, i)[x] = value.im;
}

/* The stage that joins halves of h values, u and v, by w = exp(2 pi i 5^j / 8h): of coefficients to slots u + w v and
 * u - w v; the way back, times 2, u + v and (u - v) conj(w). */
static void fill_stage(const map *m, size_t h, hb_slot_direction direction, const hb_roots *roots)
{
    const hb_complex one = {1, 0}, zero = {0, 0};
    const bool back = direction == HB_COEFFICIENTS_BECOME_SLOTS;
    const uint32_t stride = (uint32_t)(((size_t)1 << roots->log_m) / (8 * h));
    uint32_t power = 1; /* of 5 */
    for (size_t j = 0; j < h; j++, power = 5 * power % (uint32_t)(8 * h)) {
        const hb_complex w = hb_root(roots, power * stride);
        const hb_complex own = {-w.re, back ? w.im : -w.im}, other = {w.re, back ? -w.im : w.im};
        for (size_t x = j; x < m->length; x += 2 * h) { /* and the other half */
            const hb_complex up = back ? one : other, down = back ? other : one;
            set(m, 0, x, one);
            set(m, 0, x + h, own);
            set(m, 1, x, up);
            if (m->count > 2) {
                set(m, 1, x + h, zero);
                set(m, 2, x, zero);
            }
            set(m, m->count - 1, x + h, down);
        }
    }
}

/* Makes a stage: diagonals 0, h and -h, of which the last two are one where h is half of the period. */
static hb_status make_stage(map *m, size_t period, size_t length, size_t h, hb_slot_direction direction,
                            const hb_roots *roots)
{
    HB_TRY(map_init(m, period, length, 2 * h == period ? 2 : 3, roots != NULL));
    m->numbers[1] = (int64_t)h;
    m->numbers[m->count - 1] = (int64_t)(period - h);
    if (roots != NULL) {
        fill_stage(m, h, direction, roots);
    }
    return HB_OK;
}

/* Adds diagonal d of the later map times diagonal e of the earlier one, or sets it where it is the first such term. */
static void add_product(const map *r, uint32_t k, bool first, const map *later, uint32_t d, const map *earlier,
                        uint32_t e)
{
    const size_t n = r->length, by = (size_t)later->numbers[d];
    const double *br = real_parts(later, d), *bi = imaginary_parts(later, d);
    const double *ar = real_parts(earlier, e), *ai = imaginary_parts(earlier, e);
    double *re = real_parts(r, k), *im = imaginary_parts(r, k);
    for (size_t x = 0; x < n; x++) {
        const size_t y = (x + by) & (n - 1);
        const double product_re = br[x] * ar[y] - bi[x] * ai[y], product_im = br[x] * ai[y] + bi[x] * ar[y];
        re[x] = first ? product_re : re[x] + product_re;
        im[x] = first ? product_im : im[x] + product_im;
    }
}

/* Makes r, the later map after the earlier one. place: [period] zeros, which it leaves so. Sums are in ascending order
 * of the numbers of the later map, then of the earlier. */
static hb_status compose(map *r, const map *later, const map *earlier, uint32_t *place)
{
    const size_t n = later->period;
    uint32_t count = 0;
    for (uint32_t d = 0; d < later->count; d++) {
        for (uint32_t e = 0; e < earlier->count; e++) {
            uint32_t *at = &place[(size_t)(later->numbers[d] + earlier->numbers[e]) % n];
            count += *at == 0;
            *at = 1;
        }
    }
    const hb_status st = map_init(r, n, later->length, count, later->values != NULL);
    for (size_t k = 0, i = 0; k < n; k++) { /* indices of the numbers, and 1 */
        if (place[k] != 0 && st == HB_OK) {
            r->numbers[i] = (int64_t)k;
            place[k] = (uint32_t)++i;
        }
    }
    const uint32_t fresh = (uint32_t)1 << 31; /* of places that have no term yet */
    for (size_t k = 0; k < n; k++) {
        place[k] |= place[k] != 0 ? fresh : 0;
    }
    for (uint32_t d = 0; st == HB_OK && r->values != NULL && d < later->count; d++) {
        for (uint32_t e = 0; e < earlier->count; e++) {
            uint32_t *at = &place[(size_t)(later->numbers[d] + earlier->numbers[e]) % n];
            add_product(r, (*at & ~fresh) - 1, (*at & fresh) != 0, later, d, earlier, e);
            *at &= ~fresh;
        }
    }
    memset(place, 0, n * sizeof *place);
    return st;
}

/* Stages of a map: the width h of the first, and how many follow it, each half as wide or twice. */
typedef struct stages {
    size_t first;
    uint32_t count;
} stages;

static uint32_t log_of(size_t n)
{
    uint32_t log = 0;
    while ((size_t)1 << (log + 1) <= n) {
        log++;
    }
    return log;
}

static stages stages_of(const hb_slot_transform *t, uint32_t i)
{
    const uint32_t all = log_of(t->period), more = all % t->maps, each = all / t->maps;
    const bool back = t->direction == HB_COEFFICIENTS_BECOME_SLOTS;
    uint32_t before = 0, count = 0;
    for (uint32_t k = 0; k <= i; k++) { /* wide stages come first on the way back, and last on the way there */
        before += count;
        count = each + ((back ? k : t->maps - 1 - k) < more);
    }
    return (stages){back ? t->period >> (before + 1) : (size_t)1 << before, count};
}

/* Returns with which entries repeat: twice the width of the widest stage. */
static size_t length_of(const hb_slot_transform *t, stages s)
{
    return t->direction == HB_COEFFICIENTS_BECOME_SLOTS ? 2 * s.first : 2 * s.first << (s.count - 1);
}

/* Makes the product of the map's stages. */
static hb_status make(map *m, const hb_slot_transform *t, uint32_t i, const hb_roots *roots, uint32_t *place)
{
    const stages s = stages_of(t, i);
    const size_t length = length_of(t, s);
    HB_TRY(make_stage(m, t->period, length, s.first, t->direction, roots));
    for (uint32_t k = 1; k < s.count; k++) {
        const size_t h = t->direction == HB_COEFFICIENTS_BECOME_SLOTS ? s.first >> k : s.first << k;
        map stage, product = {0};
        HB_TRY(make_stage(&stage, t->period, length, h, t->direction, roots));
        const hb_status st = compose(&product, &stage, m, place);
        map_clear(&stage);
        map_clear(m);
        *m = product;
        HB_TRY(st);
    }
    return HB_OK;
}

/* Returns the root of a double that is nearest to it. */
static double root_of(double constant, uint32_t degree)
{
    mpfr_t x;
    mpfr_init2(x, DOUBLE_BITS);
    mpfr_set_d(x, constant, MPFR_RNDN);
    mpfr_rootn_ui(x, x, degree, MPFR_RNDN);
    const double root = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    mpfr_free_cache(); /* of this thread, which may end */
    return root;
}

/* Copies the map into the factor, times its part of the constant. */
static hb_status take(hb_slot_factor *factor, const hb_slot_transform *t, const map *m)
{
    const int64_t n = (int64_t)m->period;
    factor->numbers = calloc(m->count, sizeof *factor->numbers);
    factor->values = m->values != NULL ? calloc(m->count, 2 * m->length * sizeof *factor->values) : NULL;
    if (factor->numbers == NULL || (m->values != NULL && factor->values == NULL)) {
        return HB_FAIL(HB_ENOMEM, "no memory for a map of %u diagonals", m->count);
    }
    const double scale = m->values != NULL ? root_of(t->constant, t->maps) : 0;
    for (uint32_t i = 0; i < m->count; i++) {
        factor->numbers[i] = m->numbers[i] <= n / 2 ? m->numbers[i] : m->numbers[i] - n;
    }
    for (size_t k = 0; m->values != NULL && k < 2 * m->length * m->count; k++) {
        factor->values[k] = m->values[k] * scale;
    }
    factor->diagonals =
        (hb_diagonals){.count = m->count, .numbers = factor->numbers, .values = factor->values, .period = m->length};
    return HB_OK;
}

hb_status hb_slot_factor_init(hb_slot_factor *factor, const hb_slot_transform *t, uint32_t i, bool values)
{
    const uint32_t log_n = log_of(t->period);
    HB_ASSERT((size_t)1 << log_n == t->period && t->slots % t->period == 0);
    HB_ASSERT(t->maps >= 1 && t->maps <= log_n && i < t->maps);
    hb_roots roots = {0};
    map m = {0};
    uint32_t *place = calloc(t->period, sizeof *place);
    hb_status st;
    *factor = (hb_slot_factor){0};
    if (place == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a map of %zu slots", t->period);
    }
    if (values) {
        HB_GOTO(hb_roots_init(&roots, log_of(length_of(t, stages_of(t, i))) + 2));
    }
    HB_GOTO(make(&m, t, i, values ? &roots : NULL, place));
    st = take(factor, t, &m);
done:
    map_clear(&m);
    hb_roots_clear(&roots);
    free(place);
    if (st != HB_OK) {
        hb_slot_factor_clear(factor);
    }
    return st;
}

void hb_slot_factor_clear(hb_slot_factor *factor)
{
    free(factor->numbers);
    free(factor->values);
    *factor = (hb_slot_factor){0};
}
