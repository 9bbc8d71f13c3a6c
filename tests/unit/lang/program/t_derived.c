/* Random derived columns against the same of plain rows: integers of 317 bits, doubles. The same column is one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cell.h"
#include "base/hash.h"
#include "lang/program/derived.h"
#include "unit/unit.h"

enum { ROWS = 5000, LEAVES = 4, MADE = 60, TALLIED = 1 << 16 };

typedef struct world {
    hb_derived derived;
    uint64_t state;
    uint16_t codes[ROWS];
    int64_t words[ROWS], one[1];
    hb_i128 wide[ROWS];
    double reals[ROWS], real[1];
    hb_wide (*integer)[ROWS]; /* [columns] the expected values of each column */
    double (*value)[ROWS];
} world;

static uint64_t draw(world *w)
{
    return w->state = hb_mix(w->state);
}

static hb_wide wide_of(hb_i128 x)
{
    const uint64_t words[2] = {(uint64_t)x, (uint64_t)((hb_u128)x >> 64)};
    return hb_wide_of_cell(words, true);
}

static void open_world(world *w, bool reals, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->derived.reals = reals;
    w->state = seed;
    w->integer = calloc(LEAVES + MADE, sizeof *w->integer);
    w->value = calloc(LEAVES + MADE, sizeof *w->value);
    assert_true(w->integer != NULL && w->value != NULL);
    for (int i = 0; i < ROWS; i++) {
        w->codes[i] = (uint16_t)(draw(w) % 40);
        w->words[i] = (int64_t)(draw(w) >> (1 + draw(w) % 60)) * (draw(w) % 2 == 0 ? 1 : -1);
        w->wide[i] = (hb_i128)((hb_u128)draw(w) << 16) - (hb_i128)((hb_u128)draw(w) << 15);
        w->reals[i] = (double)(int64_t)draw(w) * 0x1p-60;
    }
    w->one[0] = -7;
    w->real[0] = 0.3;
}

static void close_world(world *w)
{
    hb_derived_clear(&w->derived);
    free(w->integer);
    free(w->value);
}

/* Adds cells; returns the column. */
static uint32_t add_cells(world *w, uint32_t operand, hb_plain_cells cells)
{
    uint32_t column, again;
    const hb_derived_column made = {.kind = HB_ITEM_NAME, .a = operand, .b = 3, .cells = cells};
    assert_int_equal(hb_derived_add(&w->derived, &made, &column), HB_OK);
    assert_int_equal(hb_derived_add(&w->derived, &made, &again), HB_OK);
    assert_int_equal(again, column);
    return column;
}

static void add_leaves(world *w)
{
    const bool reals = w->derived.reals;
    uint16_t *codes = malloc(sizeof w->codes);
    uint32_t column;
    assert_non_null(codes);
    memcpy(codes, w->codes, sizeof w->codes);
    assert_int_equal(hb_derived_add_codes(&w->derived, codes, ROWS, &column), HB_OK);
    assert_int_equal(column, 0);
    assert_int_equal(add_cells(w, 1, (hb_plain_cells){HB_PLAIN_WORDS, ROWS, w->words}), 1);
    assert_int_equal(add_cells(w, 2,
                               reals ? (hb_plain_cells){HB_PLAIN_REALS, ROWS, w->reals}
                                     : (hb_plain_cells){HB_PLAIN_WIDE, ROWS, w->wide}),
                     2);
    assert_int_equal(
        add_cells(w, 3,
                  reals ? (hb_plain_cells){HB_PLAIN_REALS, 1, w->real} : (hb_plain_cells){HB_PLAIN_WORDS, 1, w->one}),
        3);
    for (int i = 0; i < ROWS; i++) {
        w->integer[0][i] = hb_wide_of(w->codes[i]);
        w->integer[1][i] = hb_wide_of(w->words[i]);
        w->integer[2][i] = wide_of(w->wide[i]);
        w->integer[3][i] = hb_wide_of(w->one[0]);
        w->value[0][i] = w->codes[i];
        w->value[1][i] = (double)w->words[i];
        w->value[2][i] = w->reals[i];
        w->value[3][i] = w->real[0];
    }
}

static bool is_true(hb_item_kind kind, int order)
{
    switch (kind) {
    case HB_ITEM_LESS:
        return order < 0;
    case HB_ITEM_GREATER:
        return order > 0;
    case HB_ITEM_LESS_EQUAL:
        return order <= 0;
    case HB_ITEM_GREATER_EQUAL:
        return order >= 0;
    case HB_ITEM_EQUAL:
        return order == 0;
    default:
        assert_int_equal(kind, HB_ITEM_NOT_EQUAL);
        return order != 0;
    }
}

/* The value of column `to` in a row, from columns a and b; false: it has none. */
static bool make_integer(world *w, hb_item_kind kind, hb_wide a, hb_wide b, hb_wide *out)
{
    if (kind == HB_ITEM_ADD || kind == HB_ITEM_SUBTRACT) {
        *out = hb_wide_add(a, kind == HB_ITEM_ADD ? b : hb_wide_negate(b));
    } else if (kind == HB_ITEM_MULTIPLY) {
        *out = hb_wide_multiply(a, b);
    } else {
        *out = hb_wide_of(is_true(kind, hb_wide_compare(a, b)));
    }
    (void)w;
    return hb_wide_bits(*out) <= 127;
}

static bool make_real(hb_item_kind kind, double a, double b, double *out)
{
    if (kind == HB_ITEM_ADD || kind == HB_ITEM_SUBTRACT) {
        *out = kind == HB_ITEM_ADD ? a + b : a - b;
    } else if (kind == HB_ITEM_MULTIPLY) {
        *out = a * b;
    } else if (kind == HB_ITEM_DIVIDE) {
        *out = b != 0 ? a / b : INFINITY;
    } else {
        *out = is_true(kind, (a > b) - (a < b));
    }
    return isfinite(*out);
}

/* Checks the column and the properties of its values. */
static void assert_column(world *w, uint32_t column, uint32_t is)
{
    const hb_derived_column *x = &w->derived.column[column];
    static hb_plain_value values[ROWS];
    uint64_t chosen = 0;
    hb_wide low = w->integer[is][0], high = low;
    double least = w->value[is][0], most = least;
    assert_int_equal(hb_derived_values(&w->derived, column, 0, ROWS, values), HB_OK);
    for (int i = 0; i < ROWS; i++) {
        if (w->derived.reals) {
            assert_true(values[i].real == w->value[is][i] && values[i].imaginary == 0);
        } else {
            assert_int_equal(hb_wide_compare(wide_of(values[i].integer), w->integer[is][i]), 0);
        }
        chosen += w->derived.reals ? values[i].real != 0 : values[i].integer != 0;
        low = hb_wide_compare(w->integer[is][i], low) < 0 ? w->integer[is][i] : low;
        high = hb_wide_compare(w->integer[is][i], high) > 0 ? w->integer[is][i] : high;
        least = fmin(least, w->value[is][i]);
        most = fmax(most, w->value[is][i]);
    }
    assert_true(x->values.known && x->values.real == w->derived.reals);
    if (w->derived.reals) {
        assert_true(x->values.low == least && x->values.high == most);
    } else {
        assert_true(hb_wide_compare(x->values.wide_least, low) == 0 && hb_wide_compare(x->values.wide_most, high) == 0);
    }
    assert_int_equal(x->chosen, x->rows == 1 ? chosen / ROWS : chosen);
}

/* Residues of a load, or doubles, at any place. */
static void assert_filled(world *w, uint32_t column, uint32_t is)
{
    enum { FIRST = 37, APART = 3, COUNT = 600 };
    static const uint64_t moduli[] = {2, 65537, (UINT64_C(1) << 60) - 93};
    static uint64_t words[APART * COUNT];
    uint32_t load, again;
    assert_int_equal(hb_derived_add_load(&w->derived, &column, 1, &load), HB_OK);
    assert_int_equal(hb_derived_add_load(&w->derived, &column, 1, &again), HB_OK);
    assert_int_equal(load, again);
    assert_int_equal(hb_derived_loaded(&w->derived, load, 0), column);
    for (int m = 0; m < 3; m++) {
        memset(words, 0x55, sizeof words);
        const hb_derived_place place = {.first = FIRST, .rows = COUNT, .apart = APART, .modulus = moduli[m]};
        assert_int_equal(hb_derived_fill(&w->derived, load, place, words), HB_OK);
        for (int i = 0; i < COUNT; i++) {
            uint64_t cell[2];
            assert_true(hb_wide_to_cell(w->integer[is][FIRST + i], true, cell));
            const hb_i128 x = (hb_i128)((hb_u128)cell[1] << 64 | cell[0]), t = moduli[m];
            const uint64_t right =
                w->derived.reals ? hb_real_word(w->value[is][FIRST + i]) : (uint64_t)(((x % t) + t) % t);
            assert_int_equal(words[APART * i], right);
            assert_int_equal(words[APART * i + 1], UINT64_C(0x5555555555555555));
        }
    }
}

/* Makes random columns of earlier ones; a column without values is refused, and leaves nothing. */
static void make_all(world *w)
{
    static const hb_item_kind kinds[] = {HB_ITEM_ADD,  HB_ITEM_SUBTRACT, HB_ITEM_MULTIPLY,   HB_ITEM_MULTIPLY,
                                         HB_ITEM_LESS, HB_ITEM_EQUAL,    HB_ITEM_LESS_EQUAL, HB_ITEM_NOT_EQUAL,
                                         HB_ITEM_ADD,  HB_ITEM_GREATER,  HB_ITEM_DIVIDE,     HB_ITEM_GREATER_EQUAL};
    uint32_t columns[LEAVES + MADE] = {0, 1, 2, 3}, count = LEAVES, refused = 0;
    while (count < LEAVES + MADE) {
        const uint32_t a = (uint32_t)(draw(w) % count), b = (uint32_t)(draw(w) % count);
        const hb_item_kind kind = kinds[draw(w) % (w->derived.reals ? 12 : 10)];
        const uint32_t before = w->derived.count;
        bool all = true;
        for (int i = 0; i < ROWS; i++) {
            const bool has = w->derived.reals
                                 ? make_real(kind, w->value[a][i], w->value[b][i], &w->value[count][i])
                                 : make_integer(w, kind, w->integer[a][i], w->integer[b][i], &w->integer[count][i]);
            all = all && has;
        }
        if (hb_derived_add_pair(&w->derived, kind, columns[a], columns[b], &columns[count]) != HB_OK) {
            assert_false(all);
            assert_int_equal(w->derived.count, before);
            assert_non_null(strstr(hb_last_error()->text, "row "));
            refused++;
            continue;
        }
        assert_true(all);
        assert_column(w, columns[count], count);
        assert_filled(w, columns[count], count);
        count++;
    }
    assert_true(refused > 0);
}

static void columns_are_what_they_are_made_of(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        static world w;
        hb_derived copy;
        open_world(&w, seed % 2 == 0, seed);
        add_leaves(&w);
        make_all(&w);
        assert_int_equal(hb_derived_copy(&w.derived, &copy), HB_OK);
        hb_derived_clear(&w.derived);
        w.derived = copy; /* of its own */
        for (uint32_t column = 0; column < LEAVES; column++) {
            assert_column(&w, column, column);
            assert_filled(&w, column, column);
        }
        close_world(&w);
    }
}

/* Groups: codes that are compared with each number, of which each is counted. */
static void groups_are_counted(void **state)
{
    (void)state;
    for (int reals = 0; reals < 2; reals++) {
        static world w;
        open_world(&w, reals, 77);
        add_leaves(&w);
        for (int code = -1; code < 42; code++) {
            const hb_plain_value value = reals ? (hb_plain_value){.real = code} : (hb_plain_value){.integer = code};
            uint32_t number, column;
            assert_int_equal(hb_derived_add_number(&w.derived, value, &number), HB_OK);
            assert_int_equal(hb_derived_add_pair(&w.derived, HB_ITEM_EQUAL, 0, number, &column), HB_OK);
            for (int i = 0; i < ROWS; i++) {
                w.integer[LEAVES][i] = hb_wide_of(w.codes[i] == code);
                w.value[LEAVES][i] = w.codes[i] == code;
            }
            assert_column(&w, column, LEAVES);
        }
        assert_non_null(w.derived.column[0].tally);
        close_world(&w);
    }
}

static void members_are_found(void **state)
{
    (void)state;
    static world w;
    open_world(&w, false, 5);
    add_leaves(&w);
    hb_plain_member *members = calloc(2, sizeof *members);
    assert_non_null(members);
    members[0] = (hb_plain_member){{.integer = 3}, {.integer = 5}};
    members[1] = (hb_plain_member){{.integer = 30}, {.integer = 30}};
    const hb_derived_column made = {
        .kind = HB_ITEM_IN, .a = 0, .b = HB_NO_INDEX, .members = members, .member_count = 2};
    uint32_t column;
    assert_int_equal(hb_derived_add(&w.derived, &made, &column), HB_OK);
    for (int i = 0; i < ROWS; i++) {
        w.integer[LEAVES][i] = hb_wide_of((w.codes[i] >= 3 && w.codes[i] <= 5) || w.codes[i] == 30);
    }
    assert_column(&w, column, LEAVES);
    close_world(&w);
}

/* Both halves of complex numbers, and several columns of one row side by side. */
static void complex_numbers_side_by_side(void **state)
{
    (void)state;
    static const double x[4] = {1, 2, -3, 0.5}, y[4] = {0, 1, 4, -2};
    uint64_t words[16] = {0};
    hb_derived d = {.reals = true};
    hb_derived_column made = {.kind = HB_ITEM_NAME, .a = 0, .b = 0, .cells = {HB_PLAIN_COMPLEX, 2, x}}, other = made;
    other.b = 1;
    other.cells.cell = y;
    uint32_t columns[3], load;
    assert_int_equal(hb_derived_add(&d, &made, &columns[0]), HB_OK);
    assert_int_equal(hb_derived_add(&d, &other, &columns[1]), HB_OK);
    assert_int_equal(hb_derived_add_pair(&d, HB_ITEM_MULTIPLY, columns[0], columns[1], &columns[2]), HB_OK);
    assert_true(d.column[columns[2]].complex);
    assert_true(d.column[columns[2]].values.high >= hypot(11, 8) && d.column[columns[2]].values.high < 13.7);
    assert_int_equal(hb_derived_add_load(&d, columns, 3, &load), HB_OK);
    const hb_derived_place place = {.first = 0, .rows = 2, .apart = 4, .imaginary = 8};
    assert_int_equal(hb_derived_fill(&d, load, place, words), HB_OK);
    static const double right[16] = {1, 0, -2, 0, -3, 4, -11, 0, 2, 1, 1, 0, 0.5, -2, 8, 0};
    for (int i = 0; i < 16; i++) {
        assert_true(hb_real_of(words[i]) == right[i]);
    }
    hb_derived_clear(&d);
}

/* Doubles of all sizes whose sum is that of integers of 126 bits: it is rounded once, to the nearest double, and of two
 * that are as near to the even one. */
static void totals_of_reals_round_once(void **state)
{
    (void)state;
    enum { COUNT = 700, TRIES = 200 };
    static double x[COUNT];
    uint64_t random = 12;
    for (uint32_t trial = 0; trial < TRIES; trial++) {
        hb_derived d = {.reals = true};
        hb_derived_column made = {
            .kind = HB_ITEM_NAME, .a = 0, .b = 0, .cells = {HB_PLAIN_REALS, trial % 3 == 0 ? 3 : COUNT, x}};
        hb_plain_value total;
        hb_i128 sum = 0;
        uint32_t column;
        for (uint64_t i = 0; i < made.cells.rows; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            const int64_t digits = (int64_t)random >> (11 + random % 40), size = (int64_t)(random >> 33) % 60;
            x[i] = ldexp((double)digits, (int)size);
            sum += (hb_i128)digits * ((hb_i128)1 << size);
        }
        assert_int_equal(hb_derived_add(&d, &made, &column), HB_OK);
        assert_int_equal(hb_derived_total(&d, column, made.cells.rows, &total), HB_OK);
        assert_true(total.real == (double)sum && total.imaginary == 0);
        hb_derived_clear(&d);
    }
    static const double ties[][4] = {
        {0x1p53, 1, 0x1p-60, 0x1p53 + 2}, {0x1p53, 1, -0x1p-60, 0x1p53}, {0x1p53, 1, 0, 0x1p53},
        {0x1p53 + 2, 1, 0, 0x1p53 + 4},   {1e300, 1, -1e300, 1},         {-0x1p53, -1, -0x1p-900, -0x1p53 - 2}};
    for (uint32_t i = 0; i < sizeof ties / sizeof *ties; i++) {
        hb_derived d = {.reals = true};
        const hb_derived_column made = {.kind = HB_ITEM_NAME, .a = 0, .b = 0, .cells = {HB_PLAIN_REALS, 3, ties[i]}};
        hb_plain_value total;
        uint32_t column;
        assert_int_equal(hb_derived_add(&d, &made, &column), HB_OK);
        assert_int_equal(hb_derived_total(&d, column, 3, &total), HB_OK);
        assert_true(total.real == ties[i][3]);
        hb_derived_clear(&d);
    }
}

static void totals_that_nothing_holds_are_refused(void **state)
{
    (void)state;
    static const double large[2] = {1.7e308, 1.7e308};
    const hb_plain_value most = {.integer = (hb_i128)(~(hb_u128)0 >> 1)};
    hb_derived d = {.reals = true};
    hb_derived_column made = {.kind = HB_ITEM_NAME, .a = 0, .b = 0, .cells = {HB_PLAIN_REALS, 2, large}};
    hb_plain_value total;
    uint32_t column;
    assert_int_equal(hb_derived_add(&d, &made, &column), HB_OK);
    assert_int_equal(hb_derived_total(&d, column, 2, &total), HB_EDATA);
    hb_derived_clear(&d);
    /* A number stands in as many rows as there are. */
    assert_int_equal(hb_derived_add_number(&d, most, &column), HB_OK);
    assert_int_equal(hb_derived_total(&d, column, 1, &total), HB_OK);
    assert_true(total.integer == most.integer);
    assert_int_equal(hb_derived_total(&d, column, 2, &total), HB_EDATA);
    assert_int_equal(hb_derived_add_number(&d, (hb_plain_value){.integer = -7}, &column), HB_OK);
    assert_int_equal(hb_derived_total(&d, column, 100000, &total), HB_OK);
    assert_true(total.integer == -700000);
    hb_derived_clear(&d);
}

/* Adds columns to a list, those of the second half first where it is turned, with one more before them. */
static void add_shared(hb_derived *d, bool turned, const world *w, uint32_t column[6])
{
    uint16_t *codes = malloc(sizeof w->codes);
    uint32_t one, number;
    assert_non_null(codes);
    memcpy(codes, w->codes, sizeof w->codes);
    const hb_derived_column words = {.kind = HB_ITEM_NAME, .a = 1, .b = 0, .cells = {HB_PLAIN_WORDS, ROWS, w->words}};
    if (turned) {
        assert_int_equal(hb_derived_add_number(d, (hb_plain_value){.integer = 77}, &one), HB_OK);
    }
    assert_int_equal(hb_derived_add_number(d, (hb_plain_value){.integer = 12}, &number), HB_OK);
    if (turned) {
        assert_int_equal(hb_derived_add(d, &words, &column[1]), HB_OK);
    }
    assert_int_equal(hb_derived_add_codes(d, codes, ROWS, &column[0]), HB_OK);
    assert_int_equal(hb_derived_add(d, &words, &column[1]), HB_OK);
    assert_int_equal(hb_derived_add_pair(d, HB_ITEM_EQUAL, column[0], number, &column[2]), HB_OK); /* tallied */
    assert_int_equal(hb_derived_add_pair(d, HB_ITEM_MULTIPLY, column[0], number, &column[3]), HB_OK);
    assert_int_equal(hb_derived_add_pair(d, HB_ITEM_SUBTRACT, column[3], column[0], &column[4]), HB_OK);
    hb_plain_member *member = calloc(1, sizeof *member);
    assert_non_null(member);
    *member = (hb_plain_member){{.integer = 3}, {.integer = 5}};
    const hb_derived_column among = {
        .kind = HB_ITEM_IN, .a = column[0], .b = HB_NO_INDEX, .members = member, .member_count = 1};
    assert_int_equal(hb_derived_add(d, &among, &column[5]), HB_OK);
}

/* Lists of the same tables take facts from one that outlives them, which looks at values once. */
static void lists_share_what_follows_from_values(void **state)
{
    (void)state;
    static world w;
    hb_derived alone = {.reals = false}, known = {.reals = false};
    hb_plain_value right[6], total;
    uint32_t first[6], column[6];
    open_world(&w, false, 9);
    add_shared(&alone, false, &w, first);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(hb_derived_total(&alone, first[i], ROWS, &right[i]), HB_OK);
    }
    for (int turn = 0; turn < 3; turn++) {
        hb_derived d = {.known = &known}, copy;
        add_shared(&d, turn == 1, &w, column);
        for (int i = 0; i < 6; i++) {
            const hb_derived_column *x = &d.column[column[i]], *y = &alone.column[first[i]];
            assert_true(x->rows == y->rows && x->chosen == y->chosen && x->complex == y->complex);
            assert_true(hb_interval_within(x->values, y->values) && hb_interval_within(y->values, x->values));
            assert_int_equal(hb_derived_total(&d, column[i], ROWS, &total), HB_OK);
            assert_true(total.integer == right[i].integer);
        }
        assert_int_equal(known.count, turn == 0 ? 7 : 8); /* with numbers */
        assert_int_equal(hb_derived_copy(&d, &copy), HB_OK);
        hb_derived_clear(&d);
        hb_derived_clear(&copy);
        memset(w.words, 0x7f, sizeof w.words); /* they are not read again */
    }
    hb_derived_clear(&alone);
    hb_derived_clear(&known);
    close_world(&w);
}

/* A total that is refused is not taken for the one before it. */
static void a_refused_total_is_not_kept(void **state)
{
    (void)state;
    const hb_plain_value large = {.integer = (hb_i128)(~(hb_u128)0 >> 2)};
    hb_derived known = {.reals = false}, d = {.known = &known};
    hb_plain_value total;
    uint32_t column;
    assert_int_equal(hb_derived_add_number(&d, large, &column), HB_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hb_derived_total(&d, column, 1, &total), HB_OK);
        assert_true(total.integer == large.integer);
        assert_int_equal(hb_derived_total(&d, column, 3, &total), HB_EDATA);
    }
    hb_derived_clear(&d);
    hb_derived_clear(&known);
}

HB_UNIT(derived)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_what_they_are_made_of),
                                       cmocka_unit_test(groups_are_counted),
                                       cmocka_unit_test(members_are_found),
                                       cmocka_unit_test(complex_numbers_side_by_side),
                                       cmocka_unit_test(totals_of_reals_round_once),
                                       cmocka_unit_test(totals_that_nothing_holds_are_refused),
                                       cmocka_unit_test(lists_share_what_follows_from_values),
                                       cmocka_unit_test(a_refused_total_is_not_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
