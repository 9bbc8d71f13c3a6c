#include "grouping.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "base/prime.h"
#include "base/seed.h"
#include "fetched.h"

/* Parts that a kind has. */
static const uint32_t parts_of[HB_GROUPED_KINDS] = {
    [HB_GROUPED_VALUE] = 1, [HB_GROUPED_MEAN] = 2, [HB_GROUPED_VARIANCE] = 3};

hb_status hb_grouping_alloc(uint64_t groups, uint64_t keys, uint64_t columns, hb_grouping **out)
{
    uint64_t cells;
    hb_grouping *made = calloc(1, sizeof *made);
    *out = NULL;
    if (made == NULL || __builtin_mul_overflow(groups, keys, &cells) || cells > SIZE_MAX / sizeof(uint64_t) - 1 ||
        columns > SIZE_MAX / sizeof *made->column - 1 || hb_schema_alloc(&made->keys, groups, keys) != HB_OK) {
        free(made);
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " groups", groups);
    }
    made->keys.rank = 2;
    made->keys.width = sizeof(uint64_t);
    made->keys.named = keys > 0;
    made->columns = columns;
    made->values = calloc((size_t)cells + 1, sizeof *made->values);
    made->column = calloc((size_t)columns + 1, sizeof *made->column);
    if (made->values == NULL || made->column == NULL) {
        hb_grouping_free(made);
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " groups", groups);
    }
    *out = made;
    return HB_OK;
}

hb_status hb_grouping_alloc_counts(hb_grouping *grouping, uint64_t counted)
{
    uint64_t cells;
    if (__builtin_mul_overflow(grouping->keys.rows, counted, &cells) || cells > SIZE_MAX / sizeof(uint64_t) - 1) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " counts of %" PRIu64 " groups", counted,
                       grouping->keys.rows);
    }
    grouping->counts = calloc((size_t)cells + 1, sizeof *grouping->counts);
    if (grouping->counts == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " counts of %" PRIu64 " groups", counted,
                       grouping->keys.rows);
    }
    grouping->counted = counted;
    return HB_OK;
}

void hb_grouping_free(hb_grouping *grouping)
{
    if (grouping == NULL) {
        return;
    }
    for (uint64_t c = 0; grouping->column != NULL && c < grouping->columns; c++) {
        free(grouping->column[c].name);
    }
    free(grouping->column);
    free(grouping->values);
    free(grouping->counts);
    hb_schema_clear(&grouping->keys);
    free(grouping);
}

hb_status hb_grouping_copy(const hb_grouping *from, hb_grouping **out)
{
    hb_grouping *made = NULL;
    *out = NULL;
    if (from == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_grouping_alloc(from->keys.rows, from->keys.columns, from->columns, &made));
    hb_schema_clear(&made->keys);
    hb_status st = hb_schema_copy(&made->keys, &from->keys);
    memcpy(made->values, from->values, (size_t)(from->keys.rows * from->keys.columns) * sizeof *made->values);
    made->rows = from->rows;
    made->parts = from->parts;
    made->fetched = from->fetched;
    made->modulus = from->modulus;
    if (st == HB_OK && from->counted > 0) {
        st = hb_grouping_alloc_counts(made, from->counted);
    }
    if (st == HB_OK && from->counted > 0) {
        memcpy(made->counts, from->counts, (size_t)(from->keys.rows * from->counted) * sizeof *made->counts);
    }
    for (uint64_t c = 0; st == HB_OK && c < from->columns; c++) {
        made->column[c] = from->column[c];
        made->column[c].name = strdup(from->column[c].name);
        if (made->column[c].name == NULL) {
            st = HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", from->columns);
        }
    }
    if (st != HB_OK) {
        hb_grouping_free(made);
        return st;
    }
    *out = made;
    return HB_OK;
}

static bool is_named(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) <= HB_COLUMN_NAME_MAX;
}

static hb_status check_fetched(const hb_schema *schema, const char *path)
{
    const hb_grouping *g = schema->grouping;
    const hb_schema *keys = &g->keys;
    bool right = schema->rows == 1 && schema->rank == 2 && keys->rows == 1 && keys->columns > 0 && g->columns == 0 &&
                 g->fetched <= HB_MOST_FETCHED && g->fetched < g->modulus && g->modulus >> 60 == 0 && g->modulus > 2 &&
                 hb_is_prime(g->modulus) && keys->columns <= schema->columns && g->parts == schema->columns &&
                 g->parts == g->fetched * keys->columns + 1 && g->counted == 0;
    for (uint64_t c = 0; right && c < keys->columns; c++) {
        const hb_column *column = &keys->column[c];
        right = is_named(column->name) && column->cells == HB_CELL_INTEGER && column->halves == HB_HALVES_REAL &&
                hb_meaning_is_possible(&column->meaning) && column->ranged && hb_column_holds(column, column->least) &&
                column->most - column->least < g->modulus;
    }
    return right ? HB_OK : HB_FAIL(HB_EDATA, "%s: its rows are not those of its columns", path);
}

/* Whether a part is no column of a group, but a number of rows that is known without decryption. */
static bool is_count(const hb_grouping *g, uint64_t part)
{
    return part == HB_GROUPED_ROWS || (part >= g->parts && part - g->parts < g->counted);
}

hb_status hb_grouping_check(const hb_schema *schema, const char *path)
{
    const hb_grouping *g = schema->grouping;
    uint64_t columns;
    if (g == NULL) {
        return HB_OK;
    }
    if (g->fetched > 0) {
        return check_fetched(schema, path);
    }
    bool right = schema->rows == 1 && schema->rank == 2 && g->parts > 0 && g->columns > 0 && g->keys.rows > 0 &&
                 g->modulus == 0 && (g->keys.columns > 0 || g->keys.rows == 1) &&
                 !__builtin_mul_overflow(g->keys.rows, g->parts, &columns) && columns == schema->columns;
    for (uint64_t c = 0; right && c < g->keys.columns; c++) {
        const hb_column *key = &g->keys.column[c];
        right = is_named(key->name) && key->cells == HB_CELL_INTEGER && key->halves == HB_HALVES_REAL &&
                hb_meaning_is_possible(&key->meaning);
    }
    for (uint64_t c = 0; right && c < g->columns; c++) {
        const hb_grouped_column *column = &g->column[c];
        right = is_named(column->name) && column->kind < HB_GROUPED_KINDS;
        for (uint32_t i = 0; right && i < parts_of[column->kind]; i++) {
            /* A count, which stands last, may be one that is no secret. */
            const bool last = i + 1 == parts_of[column->kind];
            right = column->part[i] < g->parts || (last && is_count(g, column->part[i]));
        }
    }
    for (uint64_t c = 0; right && c < schema->columns; c++) {
        right = schema->column[c].halves == HB_HALVES_REAL;
    }
    return right ? HB_OK : HB_FAIL(HB_EDATA, "%s: its groups are not those of its columns", path);
}

hb_status hb_grouping_schema(const hb_schema *from, hb_schema *to)
{
    const hb_grouping *g = from->grouping;
    hb_schema made = {.rank = 2, .width = sizeof(uint64_t), .big_endian = from->big_endian, .named = true};
    const uint64_t rows = g->fetched > 0 ? g->fetched : g->keys.rows;
    HB_TRY(hb_schema_alloc(&made, rows, g->keys.columns + g->columns));
    bool whole = true;
    for (uint64_t c = 0; c < made.columns; c++) {
        hb_column *column = &made.column[c];
        if (c < g->keys.columns) {
            whole = whole && hb_column_copy(column, &g->keys.column[c]);
            continue;
        }
        const hb_grouped_column *shown = &g->column[c - g->keys.columns];
        if (shown->kind == HB_GROUPED_VALUE && !is_count(g, shown->part[0])) {
            whole = whole && hb_column_copy(column, &from->column[shown->part[0]]);
            for (uint64_t group = 0; group < g->keys.rows; group++) { /* a sign that one group has, all have */
                column->is_signed |= from->column[group * g->parts + shown->part[0]].is_signed;
            }
            free(column->name);
        } else {
            column->cells = shown->kind == HB_GROUPED_VALUE ? HB_CELL_INTEGER : HB_CELL_REAL;
        }
        column->ranged = column->may_wrap = false;
        column->least = column->most = 0;
        column->name = strdup(shown->name);
        whole = whole && column->name != NULL;
    }
    if (!whole) {
        hb_schema_clear(&made);
        return HB_FAIL(HB_ENOMEM, "no memory for a table of %" PRIu64 " groups", g->keys.rows);
    }
    *to = made;
    return HB_OK;
}

/* Returns the double nearest to numerator / denominator, the even one of two as near; denominator in (0, 2^127). */
static double quotient_of(hb_u128 numerator, hb_u128 denominator)
{
    hb_u128 quotient = numerator / denominator, rest = numerator % denominator;
    int exponent = 0;
    bool more = false; /* than the bits of the quotient */
    if (numerator == 0) {
        return 0;
    }
    while (quotient >> 54 == 0) { /* two bits behind those of a double */
        rest <<= 1;
        quotient = quotient << 1 | (rest >= denominator);
        rest -= rest >= denominator ? denominator : 0;
        exponent--;
    }
    for (; quotient >> 63 != 0; exponent++) {
        more |= (quotient & 1) != 0;
        quotient >>= 1;
    }
    more |= rest != 0;
    return ldexp((double)((uint64_t)quotient | more), exponent); /* which rounds, as the last bit tells of all others */
}

/* A word of an integer: its magnitude, and whether it is below 0. */
typedef struct whole {
    uint64_t magnitude;
    bool negative;
} whole;

static whole whole_of(const hb_column *column, uint64_t word)
{
    const bool negative = column->is_signed && word >> 63 != 0;
    return (whole){negative ? 0 - word : word, negative};
}

static double mean(whole sum, uint64_t count, uint64_t scale)
{
    const double magnitude = count == 0 ? NAN : quotient_of(sum.magnitude, (hb_u128)count * scale);
    return sum.negative ? -magnitude : magnitude;
}

/* (n q - s^2) / (n (n - 1)), over the square of the scale: exact, where all that is in it is below 2^63. */
static double variance(whole squares, whole sum, uint64_t count, uint64_t scale)
{
    if (count < 2 || count >> 63 != 0) {
        return NAN;
    }
    const hb_u128 first = (hb_u128)squares.magnitude * count;
    const hb_u128 second = (hb_u128)sum.magnitude * sum.magnitude;
    hb_u128 pairs = (hb_u128)count * (count - 1), scaled;
    if (__builtin_mul_overflow(pairs, (hb_u128)scale * scale, &scaled) || scaled >> 127 != 0) {
        return variance(squares, sum, count, 1) / ((double)scale * (double)scale); /* twice rounded */
    }
    pairs = scaled;
    if (squares.negative) { /* of what wrapped */
        return -quotient_of(first + second, pairs);
    }
    return first >= second ? quotient_of(first - second, pairs) : -quotient_of(second - first, pairs);
}

/* The same of reals, whose counts may be off by a little. */
static double of_reals(hb_grouped_kind kind, const double *part)
{
    if (kind == HB_GROUPED_MEAN) {
        return part[1] < 0.5 ? NAN : part[0] / part[1];
    }
    return part[2] < 1.5 ? NAN : (part[0] - part[1] * part[1] / part[2]) / (part[2] - 1);
}

/* A number of rows that is known without decryption, of a group. */
static uint64_t count_of(const hb_grouping *g, uint64_t group, uint64_t part)
{
    return part == HB_GROUPED_ROWS ? g->rows : g->counts[group * g->counted + part - g->parts];
}

static uint64_t show(const hb_schema *from, const hb_grouped_column *shown, const uint64_t *words, uint64_t group)
{
    const hb_grouping *g = from->grouping;
    const uint64_t first = group * g->parts;
    double reals[HB_GROUPED_PARTS] = {0};
    whole wholes[HB_GROUPED_PARTS] = {{0}};
    if (shown->kind == HB_GROUPED_VALUE) {
        return is_count(g, shown->part[0]) ? count_of(g, group, shown->part[0]) : words[first + shown->part[0]];
    }
    for (uint32_t i = 0; i < parts_of[shown->kind]; i++) {
        const uint64_t at = first + shown->part[i];
        const bool known = is_count(g, shown->part[i]);
        const uint64_t count = known ? count_of(g, group, shown->part[i]) : 0;
        reals[i] = known ? (double)count : hb_real_of(words[at]);
        wholes[i] = known ? (whole){.magnitude = count} : whole_of(&from->column[at], words[at]);
    }
    if (from->column[0].cells == HB_CELL_REAL) {
        return hb_real_word(of_reals(shown->kind, reals));
    }
    const bool is_mean = shown->kind == HB_GROUPED_MEAN;
    const uint64_t scale = hb_meaning_scale(&from->column[first + shown->part[is_mean ? 0 : 1]].meaning);
    return hb_real_word(is_mean ? mean(wholes[0], wholes[1].magnitude, scale)
                                : variance(wholes[0], wholes[1], wholes[2].magnitude, scale));
}

static uint64_t least_of(const hb_column *column, const hb_modulus *t)
{
    return column->is_signed ? hb_mod_reduce_signed((int64_t)column->least, t) : hb_mod_reduce(column->least, t);
}

/* The integer of a column's range that a residue stands for, as its word. */
static hb_status value_of(const hb_column *column, uint64_t residue, const hb_modulus *t, uint64_t *word)
{
    const uint64_t least =
        column->is_signed ? hb_mod_reduce_signed((int64_t)column->least, t) : hb_mod_reduce(column->least, t);
    *word = column->least + hb_mod_sub(residue, least, t);
    return hb_column_holds(column, *word) ? HB_OK
                                          : HB_FAIL(HB_EDATA, "a value of a fetched row is outside the range that the "
                                                              "dataset says: it was computed with a --range that was "
                                                              "not true, or is damaged");
}

/* Puts residues, which ascend, in the order of the column's values. */
static void order_keys(const hb_column *column, const hb_modulus *t, uint64_t *keys, size_t count)
{
    const uint64_t least = least_of(column, t);
    uint64_t ordered[HB_MOST_FETCHED + 1];
    size_t first = 0;
    while (first < count && keys[first] < least) {
        first++;
    }
    for (size_t i = 0; i < count; i++) {
        ordered[i] = keys[(first + i) % count];
    }
    memcpy(keys, ordered, count * sizeof *keys);
    hb_wipe(ordered, sizeof ordered); /* decrypted */
}

/* Rows [rows][columns] from residues of the sums. */
static hb_status show_rows(const hb_schema *from, const hb_modulus *t, uint64_t *sums, uint64_t *shown, uint64_t *rows)
{
    const hb_grouping *g = from->grouping;
    const uint64_t columns = g->keys.columns;
    uint64_t keys[HB_MOST_FETCHED + 1], values[HB_MOST_FETCHED + 1];
    size_t count;
    HB_TRY(hb_fetched_keys(t, sums, (size_t)g->fetched, keys, &count));
    order_keys(&g->keys.column[0], t, keys, count);
    hb_status st = HB_OK;
    for (uint64_t c = 0; st == HB_OK && c < columns; c++) {
        if (c > 0) {
            st = hb_fetched_values(t, keys, count, sums + 1 + c * g->fetched, values);
        }
        for (size_t i = 0; st == HB_OK && i < count; i++) {
            st = value_of(&g->keys.column[c], c == 0 ? keys[i] : values[i], t, &shown[i * columns + c]);
        }
    }
    *rows = count;
    hb_wipe(keys, sizeof keys); /* decrypted, as are these */
    hb_wipe(values, sizeof values);
    return st;
}

static hb_status show_fetched(const hb_schema *from, const uint64_t *words, uint64_t *shown, uint64_t *rows)
{
    const uint64_t parts = from->grouping->parts;
    hb_modulus t;
    HB_TRY(hb_modulus_init(&t, from->grouping->modulus));
    uint64_t *sums = malloc((size_t)parts * sizeof *sums);
    if (sums == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for rows that are fetched");
    }
    for (uint64_t p = 0; p < parts; p++) {
        sums[p] = from->column[p].is_signed ? hb_mod_reduce_signed((int64_t)words[p], &t) : hb_mod_reduce(words[p], &t);
    }
    const hb_status st = show_rows(from, &t, sums, shown, rows);
    hb_wipe(sums, (size_t)parts * sizeof *sums);
    free(sums);
    return st;
}

hb_status hb_grouping_show(const hb_schema *from, const uint64_t *words, uint64_t *shown, uint64_t *rows)
{
    const hb_grouping *g = from->grouping;
    const uint64_t keys = g->keys.columns;
    if (g->fetched > 0) {
        return show_fetched(from, words, shown, rows);
    }
    *rows = g->keys.rows;
    for (uint64_t group = 0; group < g->keys.rows; group++) {
        for (uint64_t k = 0; k < keys; k++) {
            *shown++ = g->values[group * keys + k];
        }
        for (uint64_t c = 0; c < g->columns; c++) {
            *shown++ = show(from, &g->column[c], words, group);
        }
    }
    return HB_OK;
}
