/* The values of derived columns, some rows at a time: the operands of a column first, each once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "base/seed.h"
#include "derived.h"

enum { CHUNK = 1 << 8 };

/* Rows of columns that are found together. */
typedef struct row_range {
    const hb_derived *derived;
    uint64_t first, count;
} row_range;

/* --- cells */

static hb_plain_value cell_of(const hb_derived *d, const hb_plain_cells *cells, uint64_t row)
{
    hb_plain_value value = {.integer = 0};
    const double *real = cells->cell;
    switch (cells->type) {
    case HB_PLAIN_CODES:
        value.integer = ((const uint16_t *)cells->cell)[row];
        break;
    case HB_PLAIN_WORDS:
        value.integer = ((const int64_t *)cells->cell)[row];
        break;
    case HB_PLAIN_WIDE:
        value.integer = ((const hb_i128 *)cells->cell)[row];
        break;
    case HB_PLAIN_REALS:
        return (hb_plain_value){.real = real[row]};
    case HB_PLAIN_COMPLEX:
        return (hb_plain_value){.real = real[2 * row], .imaginary = real[2 * row + 1]};
    }
    return d->reals ? (hb_plain_value){.real = (double)value.integer} : value;
}

static void read_cells(const row_range *r, const hb_derived_column *x, hb_plain_value *out)
{
    for (uint64_t i = 0; i < r->count; i++) {
        out[i] = cell_of(r->derived, &x->cells, x->cells.rows == 1 ? 0 : r->first + i);
    }
}

/* --- arithmetic */

static hb_status fail_at(uint64_t row, const char *what)
{
    return HB_FAIL(HB_EDATA, "row %llu of the plain table: %s", (unsigned long long)row + 1, what);
}

static hb_u128 magnitude(hb_i128 x)
{
    return x < 0 ? 0 - (hb_u128)x : (hb_u128)x;
}

/* Sets *out to the product; false where a 128-bit signed integer does not hold it. Compilers differ in their checked
 * products. */
static bool multiply(hb_i128 a, hb_i128 b, hb_i128 *out)
{
    const hb_u128 x = magnitude(a), y = magnitude(b), low = (hb_u128)(uint64_t)x * (uint64_t)y;
    const uint64_t x_high = (uint64_t)(x >> 64), y_high = (uint64_t)(y >> 64);
    const hb_u128 cross = (hb_u128)x_high * (uint64_t)y + (hb_u128)(uint64_t)x * y_high; /* one of the two is 0 */
    const hb_u128 high = cross + (low >> 64);
    if ((x_high != 0 && y_high != 0) || high >> 63 != 0) {
        return false;
    }
    const hb_u128 product = high << 64 | (uint64_t)low;
    *out = (a < 0) != (b < 0) ? -(hb_i128)product : (hb_i128)product;
    return true;
}

/* Likewise a sum. */
static bool add(hb_i128 a, hb_i128 b, hb_i128 *out)
{
    const hb_i128 most = (hb_i128)(~(hb_u128)0 >> 1);
    if (b > 0 ? a > most - b : a < -most - b) {
        return false;
    }
    *out = a + b;
    return true;
}

static bool combine_integers(hb_item_kind kind, hb_i128 a, hb_i128 b, hb_i128 *out)
{
    if (kind == HB_ITEM_MULTIPLY) {
        return multiply(a, b, out);
    }
    return add(a, kind == HB_ITEM_SUBTRACT ? -b : b, out);
}

static hb_plain_value combine_reals(hb_item_kind kind, hb_plain_value a, hb_plain_value b)
{
    if (kind == HB_ITEM_ADD) {
        return (hb_plain_value){.real = a.real + b.real, .imaginary = a.imaginary + b.imaginary};
    }
    if (kind == HB_ITEM_SUBTRACT) {
        return (hb_plain_value){.real = a.real - b.real, .imaginary = a.imaginary - b.imaginary};
    }
    if (kind == HB_ITEM_MULTIPLY) {
        return (hb_plain_value){.real = a.real * b.real - a.imaginary * b.imaginary,
                                .imaginary = a.real * b.imaginary + a.imaginary * b.real};
    }
    if (b.imaginary == 0) {
        return (hb_plain_value){.real = a.real / b.real, .imaginary = a.imaginary / b.real};
    }
    const double square = b.real * b.real + b.imaginary * b.imaginary;
    return (hb_plain_value){.real = (a.real * b.real + a.imaginary * b.imaginary) / square,
                            .imaginary = (a.imaginary * b.real - a.real * b.imaginary) / square};
}

/* out may be an operand. */
static hb_status combine(const row_range *r, hb_item_kind kind, const hb_plain_value *a, const hb_plain_value *b,
                         hb_plain_value *out)
{
    for (uint64_t i = 0; i < r->count && !r->derived->reals; i++) {
        if (!combine_integers(kind, a[i].integer, b[i].integer, &out[i].integer)) {
            return fail_at(r->first + i, "a number is beyond the 128 bits in which plain tables are computed with");
        }
    }
    for (uint64_t i = 0; i < r->count && r->derived->reals; i++) {
        if (kind == HB_ITEM_DIVIDE && b[i].real == 0 && b[i].imaginary == 0) {
            return fail_at(r->first + i, "a division by 0");
        }
        out[i] = combine_reals(kind, a[i], b[i]);
        if (!isfinite(out[i].real) || !isfinite(out[i].imaginary)) {
            return fail_at(r->first + i, "a number is larger than any double");
        }
    }
    return HB_OK;
}

/* --- conditions */

static int order(const hb_derived *d, hb_plain_value x, hb_plain_value y)
{
    return d->reals ? (x.real > y.real) - (x.real < y.real) : (x.integer > y.integer) - (x.integer < y.integer);
}

static void set_truth(const hb_derived *d, bool truth, hb_plain_value *out)
{
    *out = d->reals ? (hb_plain_value){.real = truth} : (hb_plain_value){.integer = truth};
}

static void compare(const row_range *r, hb_item_kind kind, const hb_plain_value *a, const hb_plain_value *b,
                    hb_plain_value *out)
{
    /* For which orders of the two sides a comparison is true. */
    static const struct {
        bool less, same, greater;
    } comparisons[] = {{true, false, false}, {false, false, true}, {true, true, false},
                       {false, true, true},  {false, true, false}, {true, false, true}};
    _Static_assert(HB_ITEM_NOT_EQUAL - HB_ITEM_LESS == 5 && HB_ITEM_GREATER == HB_ITEM_LESS + 1 &&
                       HB_ITEM_LESS_EQUAL == HB_ITEM_LESS + 2 && HB_ITEM_EQUAL == HB_ITEM_LESS + 4,
                   "in the order of the rows");
    for (uint64_t i = 0; i < r->count; i++) {
        const int sign = order(r->derived, a[i], b[i]);
        const bool less = comparisons[kind - HB_ITEM_LESS].less, same = comparisons[kind - HB_ITEM_LESS].same;
        set_truth(r->derived, sign < 0 ? less : sign == 0 ? same : comparisons[kind - HB_ITEM_LESS].greater, &out[i]);
    }
}

static void test_members(const row_range *r, const hb_derived_column *x, const hb_plain_value *a, hb_plain_value *out)
{
    for (uint64_t i = 0; i < r->count; i++) {
        uint32_t m = 0;
        while (m < x->member_count &&
               (order(r->derived, a[i], x->members[m].low) < 0 || order(r->derived, a[i], x->members[m].high) > 0)) {
            m++;
        }
        set_truth(r->derived, m < x->member_count, &out[i]);
    }
}

/* --- columns */

/* The columns that one is made of, itself included, in ascending order, and room for values of each. */
typedef struct dependencies {
    const hb_derived *derived;
    uint32_t *column; /* [count] */
    uint32_t count, capacity;
    hb_plain_value *values; /* [count][CHUNK] */
} dependencies;

static uint32_t place_of(const dependencies *n, uint32_t column)
{
    uint32_t low = 0, high = n->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        low = n->column[middle] < column ? middle + 1 : low;
        high = n->column[middle] < column ? high : middle;
    }
    return low;
}

static bool insert(dependencies *n, uint32_t column)
{
    const uint32_t place = place_of(n, column);
    if (column == HB_NO_INDEX || (place < n->count && n->column[place] == column)) {
        return true;
    }
    if (n->count == n->capacity) {
        const uint32_t capacity = 2 * n->capacity + 16;
        uint32_t *longer = realloc(n->column, capacity * sizeof *longer);
        if (longer == NULL) {
            return false;
        }
        n->column = longer;
        n->capacity = capacity;
    }
    memmove(n->column + place + 1, n->column + place, (n->count - place) * sizeof *n->column);
    n->column[place] = column;
    n->count++;
    return true;
}

static void dependencies_clear(dependencies *n)
{
    if (n->values != NULL) {
        hb_wipe(n->values, (size_t)n->count * CHUNK * sizeof *n->values);
    }
    free(n->column);
    free(n->values);
}

static hb_status dependencies_init(dependencies *n, const hb_derived *derived, uint32_t column)
{
    *n = (dependencies){.derived = derived};
    bool enough = insert(n, column);
    /* Operands stand before their users: each is met on the way down before its own are. */
    for (uint32_t below = HB_NO_INDEX; enough;) {
        const uint32_t place = place_of(n, below);
        if (place == 0) {
            break;
        }
        below = n->column[place - 1];
        const hb_derived_column *x = &derived->column[below];
        enough = x->kind == HB_ITEM_NAME || (insert(n, x->a) && insert(n, x->b));
    }
    n->values = enough ? malloc((size_t)n->count * CHUNK * sizeof *n->values) : NULL;
    return n->values != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for what is computed from plain tables");
}

static hb_plain_value *values_of(const dependencies *n, uint32_t column)
{
    return n->values + (size_t)place_of(n, column) * CHUNK;
}

static hb_status find(const dependencies *n, uint32_t column, const row_range *r)
{
    const hb_derived_column *x = &n->derived->column[column];
    hb_plain_value *out = values_of(n, column);
    if (x->kind == HB_ITEM_NAME) {
        read_cells(r, x, out);
        return HB_OK;
    }
    if (x->kind == HB_ITEM_NUMBER) {
        for (uint64_t i = 0; i < r->count; i++) {
            out[i] = x->number;
        }
        return HB_OK;
    }
    const hb_plain_value *a = values_of(n, x->a), *b = x->b != HB_NO_INDEX ? values_of(n, x->b) : NULL;
    if (x->kind == HB_ITEM_IN) {
        test_members(r, x, a, out);
        return HB_OK;
    }
    if (x->kind >= HB_ITEM_LESS) {
        compare(r, x->kind, a, b, out);
        return HB_OK;
    }
    HB_ASSERT(x->kind >= HB_ITEM_ADD && x->kind <= HB_ITEM_DIVIDE);
    return combine(r, x->kind, a, b, out);
}

/* The last of the columns for some rows. */
static hb_status find_all(const dependencies *n, const row_range *r)
{
    for (uint32_t i = 0; i < n->count; i++) {
        HB_TRY(find(n, n->column[i], r));
    }
    return HB_OK;
}

static uint64_t chunk_of(uint64_t left)
{
    return left < CHUNK ? left : CHUNK;
}

hb_status hb_derived_values(const hb_derived *d, uint32_t column, uint64_t first, uint64_t count,
                            hb_plain_value *values)
{
    dependencies n;
    hb_status st = dependencies_init(&n, d, column);
    for (uint64_t done = 0; st == HB_OK && done < count; done += CHUNK) {
        const row_range r = {d, first + done, chunk_of(count - done)};
        st = find_all(&n, &r);
        if (st == HB_OK) {
            memcpy(values + done, values_of(&n, column), (size_t)r.count * sizeof *values);
        }
    }
    dependencies_clear(&n);
    return st;
}

/* --- over all rows */

/* Numbers that differ in size, and whose sum is exact (Shewchuk's expansions): doubles have so many sizes. */
typedef struct expansion {
    double part[48];
    uint32_t count;
} expansion;

static void expansion_add(expansion *x, double number)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < x->count; i++) {
        const double a = fabs(number) >= fabs(x->part[i]) ? number : x->part[i];
        const double b = fabs(number) >= fabs(x->part[i]) ? x->part[i] : number;
        const double high = a + b, rest = b - (high - a);
        if (rest != 0) {
            x->part[kept++] = rest;
        }
        number = high;
    }
    HB_ASSERT(kept < sizeof x->part / sizeof *x->part);
    x->part[kept++] = number;
    x->count = kept;
}

/* The sum, rounded once: the parts ascend, and do not overlap. */
static double expansion_value(const expansion *x)
{
    uint32_t i = x->count;
    double high = i > 0 ? x->part[--i] : 0, rest = 0;
    while (i > 0 && rest == 0) {
        const double before = high;
        high = before + x->part[--i];
        rest = x->part[i] - (high - before);
    }
    if (i > 0 && (rest < 0) == (x->part[i - 1] < 0)) { /* half of the last digit, and more behind it */
        const double twice = 2 * rest, next = high + twice;
        high = next - high == twice ? next : high;
    }
    return high;
}

/* The state of a running sum. */
typedef struct sum {
    hb_i128 integer;
    expansion real, imaginary;
} sum;

static hb_status add_all(const hb_derived *d, const hb_plain_value *values, uint64_t count, sum *to)
{
    bool held = true;
    for (uint64_t i = 0; i < count && held; i++) {
        if (!d->reals) {
            held = add(to->integer, values[i].integer, &to->integer);
            continue;
        }
        expansion_add(&to->real, values[i].real);
        expansion_add(&to->imaginary, values[i].imaginary);
        held = isfinite(to->real.part[to->real.count - 1]) && isfinite(to->imaginary.part[to->imaginary.count - 1]);
    }
    return held       ? HB_OK
           : d->reals ? HB_FAIL(HB_EDATA, "a sum over the rows of a plain table is larger than any double")
                      : HB_FAIL(HB_EDATA, "a sum over the rows of a plain table is beyond the 128 bits in which plain "
                                          "tables are computed with");
}

static hb_status add_up(const hb_derived *d, uint32_t column, uint64_t many, hb_plain_value *total)
{
    const hb_derived_column *x = &d->column[column];
    hb_plain_value values[CHUNK];
    sum all = {0};
    hb_status st = HB_OK;
    HB_ASSERT(x->rows == 1 || x->rows == many);
    for (uint64_t first = 0; st == HB_OK && first < many; first += CHUNK) {
        const uint64_t count = chunk_of(many - first);
        st = hb_derived_values(d, column, first, count, values);
        st = st == HB_OK ? add_all(d, values, count, &all) : st;
    }
    hb_wipe(values, sizeof values);
    *total = d->reals
                 ? (hb_plain_value){.real = expansion_value(&all.real), .imaginary = expansion_value(&all.imaginary)}
                 : (hb_plain_value){.integer = all.integer};
    return st;
}

hb_status hb_derived_total(const hb_derived *d, uint32_t column, uint64_t many, hb_plain_value *total)
{
    if (d->known == NULL) {
        return add_up(d, column, many, total);
    }
    hb_derived_column *x = &d->known->column[d->column[column].known];
    if (x->totalled != many) {
        hb_plain_value found;
        HB_TRY(add_up(d, column, many, &found));
        x->total = found;
        x->totalled = many;
    }
    *total = x->total;
    return HB_OK;
}

/* --- as schemes take them */

static uint64_t residue_of(hb_i128 x, uint64_t t)
{
    if (x >= 0 && x < t) {
        return (uint64_t)x;
    }
    const uint64_t rest = (uint64_t)(magnitude(x) % t);
    return x < 0 && rest != 0 ? t - rest : rest;
}

static void write_words(const hb_derived *d, const hb_derived_place *place, const hb_plain_value *values,
                        uint64_t count, uint64_t *words)
{
    for (uint64_t i = 0; i < count; i++, words += place->apart) {
        *words = d->reals ? hb_real_word(values[i].real) : residue_of(values[i].integer, place->modulus);
        if (d->reals && place->imaginary > 0) {
            words[place->imaginary] = hb_real_word(values[i].imaginary);
        }
    }
}

hb_status hb_derived_fill(const hb_derived *d, uint32_t load, hb_derived_place place, uint64_t *words)
{
    for (uint32_t c = 0; c < d->load[load].count; c++) {
        dependencies n;
        hb_status st = dependencies_init(&n, d, hb_derived_loaded(d, load, c));
        for (uint64_t done = 0; st == HB_OK && done < place.rows; done += CHUNK) {
            const row_range r = {d, place.first + done, chunk_of(place.rows - done)};
            st = find_all(&n, &r);
            if (st == HB_OK) {
                write_words(d, &place, n.values + (size_t)(n.count - 1) * CHUNK, r.count,
                            words + done * place.apart + c);
            }
        }
        dependencies_clear(&n);
        HB_TRY(st);
    }
    return HB_OK;
}
