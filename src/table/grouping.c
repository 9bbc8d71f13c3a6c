#include "grouping.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "base/prime.h"
#include "base/seed.h"
#include "fetched.h"
#include "iblt.h"

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
    made->error = INFINITY;
    made->values = calloc((size_t)cells + 1, sizeof *made->values);
    made->column = calloc((size_t)columns + 1, sizeof *made->column);
    if (made->values == NULL || made->column == NULL) {
        hb_grouping_free(made);
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " groups", groups);
    }
    for (uint64_t c = 0; c < columns; c++) {
        made->column[c].epilogue = &hb_epilogue_itself;
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
    made->cells = from->cells;
    made->unit = from->unit;
    made->error = from->error;
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

/* The cells of fetched rows of reals. */
static hb_iblt iblt_of(const hb_grouping *g)
{
    return (hb_iblt){g->rows, (uint32_t)g->cells, hb_iblt_digits(g->rows), (double)g->unit};
}

static bool right_power_sums(const hb_grouping *g)
{
    return g->cells == 0 && g->unit == 0 && g->fetched < g->modulus && g->modulus >> 60 == 0 && g->modulus > 2 &&
           hb_is_prime(g->modulus) && g->parts == g->fetched * g->keys.columns + (g->counted == 0) && g->counted <= 1 &&
           (g->counted == 0 || g->counts[0] <= g->fetched);
}

static bool right_cells(const hb_grouping *g)
{
    const bool right_unit = g->unit > 0 && g->unit <= UINT64_C(1) << HB_IBLT_MOST_UNIT;
    if (!right_unit || g->modulus != 0 || g->counted != 0 || g->rows == 0 || g->parts > UINT32_MAX ||
        g->keys.columns > g->parts / g->cells) {
        return false;
    }
    const hb_iblt cells = iblt_of(g);
    return g->parts == hb_iblt_sums(&cells, g->keys.columns);
}

static bool right_column(const hb_grouping *g, const hb_column *column)
{
    const bool reals = g->cells > 0;
    return is_named(column->name) && column->halves == HB_HALVES_REAL && hb_meaning_is_possible(&column->meaning) &&
           (reals ? column->cells == HB_CELL_REAL
                  : column->cells == HB_CELL_INTEGER && column->ranged && hb_column_holds(column, column->least) &&
                        column->most - column->least < g->modulus);
}

static hb_status check_fetched(const hb_schema *schema, const char *path)
{
    const hb_grouping *g = schema->grouping;
    const hb_schema *keys = &g->keys;
    bool right = schema->rows == 1 && schema->rank == 2 && keys->rows == 1 && keys->columns > 0 && g->columns == 0 &&
                 g->fetched <= HB_MOST_FETCHED && keys->columns <= schema->columns && g->parts == schema->columns &&
                 (g->cells > 0 ? right_cells(g) : right_power_sums(g));
    for (uint64_t c = 0; right && c < keys->columns; c++) {
        right = right_column(g, &keys->column[c]);
    }
    for (uint64_t c = 0; right && g->cells > 0 && c < schema->columns; c++) {
        right = schema->column[c].cells == HB_CELL_REAL && schema->column[c].halves == HB_HALVES_REAL;
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
        right = is_named(column->name) && column->epilogue != NULL;
        for (uint32_t i = 0; right && i < column->epilogue->parts; i++) {
            /* A count, which stands last, may be one that is no secret. */
            const bool last = i + 1 == column->epilogue->parts;
            right = column->part[i] < g->parts || (last && is_count(g, column->part[i]));
        }
        if (right && column->epilogue == &hb_epilogue_public) {
            right = column->part[0] != HB_GROUPED_ROWS && column->part[0] >= g->parts;
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
        const bool itself = hb_epilogue_is_itself(shown->epilogue);
        if (itself && !is_count(g, shown->part[0])) {
            whole = whole && hb_column_copy(column, &from->column[shown->part[0]]);
            for (uint64_t group = 0; group < g->keys.rows; group++) { /* a sign that one group has, all have */
                column->is_signed |= from->column[group * g->parts + shown->part[0]].is_signed;
            }
            free(column->name);
        } else {
            column->cells = itself ? HB_CELL_INTEGER : HB_CELL_REAL;
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

/* Writes one cell of a group, and returns where the next one goes. */
static uint64_t *show(const hb_group_totals *from, const hb_grouped_column *shown, uint64_t *to)
{
    const hb_schema *schema = from->schema;
    const hb_grouping *g = schema->grouping;
    const hb_epilogue *epilogue = shown->epilogue;
    if (!hb_epilogue_is_itself(epilogue)) {
        const bool reals = schema->column[0].cells == HB_CELL_REAL;
        *to = hb_real_word((reals ? epilogue->of_reals : epilogue->of_integers)(from, shown->part));
        return to + 1;
    }
    if (is_count(g, shown->part[0])) {
        *to = hb_grouping_known(g, from->group, shown->part[0]);
        return to + 1;
    }
    const uint32_t each = hb_column_words(&schema->column[0]);
    memcpy(to, from->words + (from->group * g->parts + shown->part[0]) * each, each * sizeof *to);
    return to + each;
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
    const hb_grouping *g = from->grouping;
    const uint64_t parts = g->parts, before = g->counted;
    hb_modulus t;
    HB_TRY(hb_modulus_init(&t, g->modulus));
    uint64_t *sums = malloc((size_t)(before + parts) * sizeof *sums);
    if (sums == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for rows that are fetched");
    }
    for (uint64_t p = 0; p < before; p++) {
        sums[p] = g->counts[p];
    }
    for (uint64_t p = 0; p < parts; p++) {
        const hb_column *column = &from->column[p];
        sums[before + p] =
            column->is_signed ? hb_mod_reduce_signed((int64_t)words[p], &t) : hb_mod_reduce(words[p], &t);
    }
    const hb_status st = show_rows(from, &t, sums, shown, rows);
    hb_wipe(sums, (size_t)(before + parts) * sizeof *sums);
    free(sums);
    return st;
}

/* Rows of reals, from the sums of their cells. */
static hb_status show_cells(const hb_schema *from, const uint64_t *words, uint64_t *shown, uint64_t *rows)
{
    const hb_grouping *g = from->grouping;
    const hb_iblt cells = iblt_of(g);
    const size_t values = (size_t)g->fetched * g->keys.columns;
    uint64_t number[HB_MOST_FETCHED];
    size_t count = 0;
    double *sums = malloc((size_t)g->parts * sizeof *sums), *value = malloc(values * sizeof *value);
    hb_status st = sums != NULL && value != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for rows that are fetched");
    for (uint64_t p = 0; st == HB_OK && p < g->parts; p++) {
        sums[p] = hb_real_of(words[p]);
    }
    const hb_iblt_totals totals = {sums, g->keys.columns, g->error};
    st = st == HB_OK ? hb_iblt_rows(&cells, &totals, (uint32_t)g->fetched, number, value, &count) : st;
    for (size_t i = 0; i < count * g->keys.columns; i++) {
        shown[i] = hb_real_word(value[i]);
    }
    *rows = count;
    if (sums != NULL) {
        hb_wipe(sums, (size_t)g->parts * sizeof *sums); /* decrypted, as are these */
    }
    if (value != NULL) {
        hb_wipe(value, values * sizeof *value);
    }
    hb_wipe(number, sizeof number);
    free(sums);
    free(value);
    return st;
}

hb_status hb_grouping_show(const hb_schema *from, const uint64_t *words, uint64_t *shown, uint64_t *rows)
{
    const hb_grouping *g = from->grouping;
    const uint64_t keys = g->keys.columns;
    if (g->fetched > 0) {
        return g->cells > 0 ? show_cells(from, words, shown, rows) : show_fetched(from, words, shown, rows);
    }
    *rows = g->keys.rows;
    for (uint64_t group = 0; group < g->keys.rows; group++) {
        for (uint64_t k = 0; k < keys; k++) {
            *shown++ = g->values[group * keys + k];
        }
        for (uint64_t c = 0; c < g->columns; c++) {
            shown = show(&(hb_group_totals){from, words, group}, &g->column[c], shown);
        }
    }
    return HB_OK;
}
