/* The list of derived columns: each once, with the properties of its values. */
#include "derived.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

enum { TALLY = 1 << 16, CHUNK = 1 << 12 };

size_t hb_plain_cell_bytes(hb_plain_layout type)
{
    static const size_t bytes[] = {[HB_PLAIN_CODES] = sizeof(uint16_t),
                                   [HB_PLAIN_WORDS] = sizeof(int64_t),
                                   [HB_PLAIN_WIDE] = sizeof(hb_i128),
                                   [HB_PLAIN_REALS] = sizeof(double),
                                   [HB_PLAIN_COMPLEX] = 2 * sizeof(double)};
    return bytes[type];
}

static hb_status no_memory(void)
{
    return HB_FAIL(HB_ENOMEM, "no memory for what is computed from plain tables");
}

static size_t cells_bytes(const hb_plain_cells *cells)
{
    return (size_t)cells->rows * hb_plain_cell_bytes(cells->type);
}

/* Clears the parts that the column owns. */
static void clear_column(hb_derived_column *x)
{
    if (x->owned && x->cells.cell != NULL) {
        hb_wipe((void *)x->cells.cell, cells_bytes(&x->cells)); /* cells of a private table */
        free((void *)x->cells.cell);
    }
    if (x->members != NULL) {
        hb_wipe(x->members, x->member_count * sizeof *x->members);
    }
    if (x->tally != NULL) {
        hb_wipe(x->tally, TALLY * sizeof *x->tally);
    }
    free(x->members);
    free(x->tally);
    *x = (hb_derived_column){0};
}

/* --- each once */

static uint64_t hash_value(const hb_derived *d, uint64_t h, hb_plain_value value)
{
    uint64_t words[2] = {0, 0};
    if (d->reals) {
        memcpy(words, &value.real, sizeof value.real);
        memcpy(words + 1, &value.imaginary, sizeof value.imaginary);
    } else {
        words[0] = (uint64_t)value.integer;
        words[1] = (uint64_t)((hb_u128)value.integer >> 64);
    }
    return hb_hash_word(hb_hash_word(h, words[0]), words[1]);
}

static bool same_value(const hb_derived *d, hb_plain_value x, hb_plain_value y)
{
    return d->reals ? x.real == y.real && x.imaginary == y.imaginary : x.integer == y.integer;
}

static bool is_codes(const hb_derived_column *x)
{
    return x->kind == HB_ITEM_NAME && x->a == HB_NO_INDEX;
}

static uint64_t hash(const hb_derived *d, const hb_derived_column *x)
{
    uint64_t h = hb_hash_word((uint64_t)x->kind, (uint64_t)x->a << 32 | x->b);
    h = x->kind == HB_ITEM_NUMBER ? hash_value(d, h, x->number) : h;
    for (uint32_t i = 0; i < x->member_count; i++) {
        h = hash_value(d, hash_value(d, h, x->members[i].low), x->members[i].high);
    }
    for (uint64_t row = 0; is_codes(x) && row < x->cells.rows; row++) {
        h = hb_hash_word(h, ((const uint16_t *)x->cells.cell)[row]);
    }
    return h;
}

typedef struct search {
    const hb_derived *derived;
    const hb_derived_column *wanted;
} search;

static bool is_wanted(const void *context, uint32_t index)
{
    const search *s = context;
    const hb_derived *d = s->derived;
    const hb_derived_column *x = &d->column[index], *y = s->wanted;
    bool same = x->kind == y->kind && x->a == y->a && x->b == y->b && x->member_count == y->member_count &&
                (x->kind != HB_ITEM_NUMBER || same_value(d, x->number, y->number));
    for (uint32_t i = 0; same && i < x->member_count; i++) {
        same = same_value(d, x->members[i].low, y->members[i].low) &&
               same_value(d, x->members[i].high, y->members[i].high);
    }
    return same && (!is_codes(x) || (x->cells.rows == y->cells.rows &&
                                     memcmp(x->cells.cell, y->cells.cell, cells_bytes(&x->cells)) == 0));
}

static hb_status grow(void **list, uint32_t *capacity, uint32_t needed, size_t bytes)
{
    if (needed <= *capacity) {
        return HB_OK;
    }
    const uint32_t more = needed < 16 ? 16 : 2 * needed;
    void *longer = realloc(*list, more * bytes);
    if (longer == NULL) {
        return no_memory();
    }
    *list = longer;
    *capacity = more;
    return HB_OK;
}

static hb_status grow_columns(hb_derived *d)
{
    hb_index_table table;
    uint32_t capacity = d->capacity;
    if (d->count < d->capacity) {
        return HB_OK;
    }
    HB_TRY(grow((void **)&d->column, &capacity, d->count + 1, sizeof *d->column));
    HB_TRY(hb_index_table_init(&table, capacity));
    for (uint32_t i = 0; i < d->count; i++) {
        *hb_index_table_find(&table, hash(d, &d->column[i]), NULL, NULL) = i;
    }
    hb_index_table_clear(&d->table);
    d->table = table;
    d->capacity = capacity; /* last: a list has room for as many columns as its table has */
    return HB_OK;
}

/* --- properties of values */

static hb_interval interval_of(hb_i128 low, hb_i128 high)
{
    const uint64_t least[2] = {(uint64_t)low, (uint64_t)((hb_u128)low >> 64)};
    const uint64_t most[2] = {(uint64_t)high, (uint64_t)((hb_u128)high >> 64)};
    return hb_interval_of_wide(hb_wide_of_cell(least, true), hb_wide_of_cell(most, true));
}

/* The extremes of some values, of complex ones of their moduli. */
static hb_interval extremes(const hb_derived *d, bool complex, const hb_plain_value *values, uint64_t count)
{
    hb_plain_value low = values[0], high = values[0];
    double modulus = 0;
    for (uint64_t i = 0; i < count && !d->reals; i++) {
        low.integer = values[i].integer < low.integer ? values[i].integer : low.integer;
        high.integer = values[i].integer > high.integer ? values[i].integer : high.integer;
    }
    for (uint64_t i = 0; i < count && d->reals; i++) {
        low.real = fmin(low.real, values[i].real);
        high.real = fmax(high.real, values[i].real);
        modulus = complex ? fmax(modulus, nextafter(hypot(values[i].real, values[i].imaginary), HUGE_VAL)) : 0;
    }
    if (!d->reals) {
        return interval_of(low.integer, high.integer);
    }
    return complex ? hb_interval_of_reals(-modulus, modulus) : hb_interval_of_reals(low.real, high.real);
}

static bool is_chosen(const hb_derived *d, hb_plain_value value)
{
    return d->reals ? value.real != 0 || value.imaginary != 0 : value.integer != 0;
}

/* Looks at all values of the last column. */
static hb_status look(hb_derived *d)
{
    hb_derived_column *x = &d->column[d->count - 1];
    hb_plain_value *values = malloc(CHUNK * sizeof *values);
    hb_status st = values != NULL ? HB_OK : no_memory();
    for (uint64_t first = 0; st == HB_OK && first < x->rows; first += CHUNK) {
        const uint64_t count = x->rows - first < CHUNK ? x->rows - first : CHUNK;
        st = hb_derived_values(d, d->count - 1, first, count, values);
        for (uint64_t i = 0; st == HB_OK && i < count; i++) {
            x->chosen += is_chosen(d, values[i]);
        }
        x->values = st == HB_OK ? hb_interval_join(x->values, extremes(d, x->complex, values, count)) : x->values;
    }
    if (values != NULL) {
        hb_wipe(values, CHUNK * sizeof *values);
    }
    free(values);
    return st;
}

/* Counts how many rows have each number of a column, all from 0 to 2^16 - 1; *tally NULL: some are not whole. */
static hb_status count_each(const hb_derived *d, uint32_t column, uint64_t **tally)
{
    const hb_derived_column *x = &d->column[column];
    hb_plain_value *values = malloc(CHUNK * sizeof *values);
    uint64_t *counts = calloc(TALLY, sizeof *counts);
    bool whole = true;
    hb_status st = values != NULL && counts != NULL ? HB_OK : no_memory();
    for (uint64_t first = 0; st == HB_OK && whole && first < x->rows; first += CHUNK) {
        const uint64_t count = x->rows - first < CHUNK ? x->rows - first : CHUNK;
        st = hb_derived_values(d, column, first, count, values);
        for (uint64_t i = 0; st == HB_OK && i < count; i++) {
            whole = whole && (!d->reals || values[i].real == floor(values[i].real));
            counts[(uint16_t)(d->reals ? (hb_i128)values[i].real : values[i].integer)]++;
        }
    }
    if (values != NULL) {
        hb_wipe(values, CHUNK * sizeof *values);
    }
    free(values);
    if (counts != NULL && (st != HB_OK || !whole)) {
        hb_wipe(counts, TALLY * sizeof *counts);
        free(counts);
        counts = NULL;
    }
    *tally = counts;
    return st;
}

/* Many groups are told apart by comparisons of one long column with numbers: it is looked at once for all. Finds in how
 * many rows the last column holds if it is such a comparison. */
static hb_status count_equal(hb_derived *d, bool *counted)
{
    hb_derived_column *x = &d->column[d->count - 1];
    hb_derived_column *a = x->kind == HB_ITEM_EQUAL ? &d->column[x->a] : NULL;
    const hb_interval codes = d->reals ? hb_interval_of_reals(0, TALLY - 1) : hb_interval_of(0, TALLY - 1);
    *counted = false;
    if (a == NULL || d->column[x->b].kind != HB_ITEM_NUMBER || a->complex || a->rows <= CHUNK ||
        !hb_interval_within(a->values, codes)) {
        return HB_OK;
    }
    if (!a->tallied) {
        HB_TRY(count_each(d, x->a, &a->tally));
        a->tallied = true;
    }
    const hb_plain_value value = d->column[x->b].number;
    const double number = d->reals ? value.real : (double)value.integer;
    const bool has = number >= 0 && number < TALLY && number == floor(number);
    *counted = a->tally != NULL;
    if (!*counted) {
        return HB_OK;
    }
    x->chosen = has ? a->tally[(uint32_t)number] : 0;
    const int64_t least = x->chosen == x->rows, most = x->chosen > 0;
    x->values = d->reals ? hb_interval_of_reals((double)least, (double)most) : hb_interval_of(least, most);
    return HB_OK;
}

static hb_status find_facts(hb_derived *d)
{
    hb_derived_column *x = &d->column[d->count - 1];
    const bool made = x->kind != HB_ITEM_NAME && x->kind != HB_ITEM_NUMBER;
    const hb_derived_column *a = made ? &d->column[x->a] : NULL;
    const hb_derived_column *b = made && x->b != HB_NO_INDEX ? &d->column[x->b] : a;
    x->rows = !made ? x->cells.rows : a->rows == 1 ? b->rows : a->rows;
    x->complex = !made ? x->cells.type == HB_PLAIN_COMPLEX || (d->reals && x->number.imaginary != 0)
                       : x->kind <= HB_ITEM_DIVIDE && (a->complex || b->complex);
    bool counted;
    HB_TRY(count_equal(d, &counted));
    return counted ? HB_OK : look(d);
}

/* Copies bytes; NULL: there are none, or no memory for them. */
static void *copied(const void *from, size_t bytes, bool *enough)
{
    void *copy = from != NULL ? malloc(bytes + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, from, bytes);
    }
    *enough = *enough && (from == NULL || copy != NULL);
    return copy;
}

/* Gives a column parts of its own in the place of those of another, as far as columns own them. */
static bool copy_parts(hb_derived_column *x)
{
    bool enough = true;
    x->members = copied(x->members, x->member_count * sizeof *x->members, &enough);
    x->tally = copied(x->tally, TALLY * sizeof *x->tally, &enough);
    x->cells.cell = x->owned ? copied(x->cells.cell, cells_bytes(&x->cells), &enough) : x->cells.cell;
    return enough;
}

/* Takes the properties of the last column's values from the shared list, which has or finds them. */
static hb_status share_facts(hb_derived *d)
{
    hb_derived *known = d->known;
    hb_derived_column *x = &d->column[d->count - 1], same = *x;
    const bool made = x->kind != HB_ITEM_NAME && x->kind != HB_ITEM_NUMBER;
    const search s = {known, &same};
    known->reals = d->reals;
    if (made) {
        same.a = d->column[x->a].known;
        same.b = x->b != HB_NO_INDEX ? d->column[x->b].known : HB_NO_INDEX;
    }
    HB_TRY(grow_columns(known));
    x->known = *hb_index_table_find(&known->table, hash(known, &same), is_wanted, &s);
    if (x->known == HB_NO_INDEX) {
        if (!copy_parts(&same)) {
            clear_column(&same);
            return no_memory();
        }
        HB_TRY(hb_derived_add(known, &same, &x->known));
    }
    const hb_derived_column *found = &known->column[x->known];
    x->rows = found->rows;
    x->complex = found->complex;
    x->values = found->values;
    x->chosen = found->chosen;
    return HB_OK;
}

hb_status hb_derived_add(hb_derived *d, const hb_derived_column *made, uint32_t *out)
{
    hb_derived_column own = *made;
    const search s = {d, &own};
    hb_status st = grow_columns(d);
    if (st != HB_OK) {
        clear_column(&own);
        return st;
    }
    uint32_t *place = hb_index_table_find(&d->table, hash(d, &own), is_wanted, &s);
    *out = *place;
    if (*place != HB_NO_INDEX) {
        clear_column(&own);
        return HB_OK;
    }
    *out = d->count;
    d->column[d->count++] = own;
    st = d->known != NULL ? share_facts(d) : find_facts(d);
    if (st != HB_OK) {
        clear_column(&d->column[--d->count]);
        return st;
    }
    *place = *out;
    return HB_OK;
}

hb_status hb_derived_add_pair(hb_derived *d, hb_item_kind kind, uint32_t a, uint32_t b, uint32_t *out)
{
    return hb_derived_add(d, &(hb_derived_column){.kind = kind, .a = a, .b = b}, out);
}

hb_status hb_derived_add_number(hb_derived *d, hb_plain_value number, uint32_t *out)
{
    return hb_derived_add(d,
                          &(hb_derived_column){.kind = HB_ITEM_NUMBER,
                                               .a = HB_NO_INDEX,
                                               .b = HB_NO_INDEX,
                                               .number = number,
                                               .cells = {.type = HB_PLAIN_WORDS, .rows = 1}},
                          out);
}

hb_status hb_derived_add_codes(hb_derived *d, uint16_t *codes, uint64_t rows, uint32_t *out)
{
    const hb_derived_column made = {.kind = HB_ITEM_NAME,
                                    .a = HB_NO_INDEX,
                                    .b = HB_NO_INDEX,
                                    .cells = {HB_PLAIN_CODES, rows, codes},
                                    .owned = true};
    return hb_derived_add(d, &made, out);
}

/* --- loads */

/* Finds a load of several columns. */
static uint32_t find_load(const hb_derived *d, const uint32_t *columns, uint32_t count)
{
    for (uint32_t i = 0; i < d->load_count; i++) {
        const hb_derived_load *x = &d->load[i];
        if (x->count == count && memcmp(d->loaded + x->first, columns, count * sizeof *columns) == 0) {
            return i;
        }
    }
    return HB_NO_INDEX;
}

hb_status hb_derived_add_load(hb_derived *d, const uint32_t *columns, uint32_t count, uint32_t *load)
{
    *load = count == 1 ? d->column[columns[0]].load - 1 : find_load(d, columns, count);
    if (*load != HB_NO_INDEX) {
        return HB_OK;
    }
    HB_TRY(grow((void **)&d->load, &d->load_capacity, d->load_count + 1, sizeof *d->load));
    HB_TRY(grow((void **)&d->loaded, &d->loaded_capacity, d->loaded_count + count, sizeof *d->loaded));
    memcpy(d->loaded + d->loaded_count, columns, count * sizeof *columns);
    d->load[d->load_count] = (hb_derived_load){d->loaded_count, count};
    d->loaded_count += count;
    *load = d->load_count++;
    d->column[columns[0]].load = count == 1 ? d->load_count : d->column[columns[0]].load;
    return HB_OK;
}

/* --- the whole list */

hb_status hb_derived_copy(const hb_derived *from, hb_derived *out)
{
    bool enough = true;
    *out = *from;
    out->capacity = out->count;
    out->load_capacity = out->load_count;
    out->loaded_capacity = out->loaded_count;
    out->column = copied(from->column, from->count * sizeof *from->column, &enough);
    out->load = copied(from->load, from->load_count * sizeof *from->load, &enough);
    out->loaded = copied(from->loaded, from->loaded_count * sizeof *from->loaded, &enough);
    out->table.place = copied(from->table.place, from->table.size * sizeof *from->table.place, &enough);
    out->count = out->column != NULL ? out->count : 0;
    for (uint32_t i = 0; i < out->count; i++) {
        enough = copy_parts(&out->column[i]) && enough;
    }
    if (!enough) {
        hb_derived_clear(out);
    }
    return enough ? HB_OK : no_memory();
}

void hb_derived_clear(hb_derived *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        clear_column(&d->column[i]);
    }
    if (d->column != NULL) {
        hb_wipe(d->column, d->count * sizeof *d->column); /* numbers, and ranges of a table */
    }
    free(d->column);
    free(d->load);
    free(d->loaded);
    hb_index_table_clear(&d->table);
    *d = (hb_derived){0};
}
