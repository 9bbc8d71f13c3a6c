/* A CSV that several threads, or ranks, look at is read as by one: the same cells, findings and refusals, word for
 * word. */
#include "unit/scratch.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>

#include "io/table/table.h"
#include "unit/io/table/said_table.h"
#include "unit/unit.h"

enum { ROWS = 150000, RANKS = 3 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* Cells of a table that are no numbers, and their places. */
typedef struct shape {
    const char *missing; /* --missing */
    const char *column;  /* --category */
    const char *fold;
    uint32_t gaps;     /* of so many cells of b one is empty; 0: none */
    uint32_t quotes;   /* of so many texts one has quotes with a line break inside, and commas */
    uint32_t pages;    /* of so many rows one is a text of many lines that look like rows, each with a quote */
    uint32_t dates;    /* b has dates from this row on */
    uint32_t negative; /* the first row with a negative number in a */
    uint32_t fault;    /* the row with a fault; 0: none ... */
    const char *line;  /* ... this line */
    uint32_t end;      /* the last rows are blank */
} shape;

static void write_text(FILE *file, const shape *of)
{
    static const char *const labels[] = {"red", "green", "Blue", "blue", " green", "\"violet, light\"", "x"};
    if (of->pages > 0 && draw(of->pages) == 0) {
        fputc('"', file);
        for (uint64_t i = 20 + draw(40000); i > 0; i--) {
            fprintf(file, "%" PRIu64 ",1,2,\"\"\n", draw(1000));
        }
        fputc('"', file);
    } else if (of->quotes > 0 && draw(of->quotes) == 0) {
        fputs("\"one,\n2,3,\"\"a\n\"\"\"", file);
    } else {
        fputs(labels[draw(7)], file);
    }
}

static const char *write_table(const shape *of)
{
    const char *path = in_scratch("threads.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("a,b,c,text\n", file);
    for (uint32_t r = 1; r <= ROWS; r++) {
        if (r == of->fault) {
            fputs(of->line, file);
            continue;
        }
        const bool below = of->negative > 0 && r >= of->negative && draw(1000) == 0;
        fprintf(file, below ? "-%" PRIu64 "," : "%" PRIu64 ",", draw(1u << 30));
        if (of->gaps > 0 && draw(of->gaps) == 0) {
            fputs(",", file);
        } else if (of->dates > 0 && r >= of->dates) {
            fprintf(file, "2024-0%" PRIu64 "-1%" PRIu64 ",", 1 + draw(9), draw(10));
        } else {
            fprintf(file, draw(3) == 0 ? "%05" PRIu64 "," : "%" PRIu64 ",", draw(500));
        }
        fprintf(file, "%" PRIu64 ",", draw(7) == 0 ? draw(UINT64_MAX) : draw(9));
        write_text(file, of);
        fputc('\n', file);
    }
    for (uint32_t i = 0; i < of->end; i++) {
        fputs(" \n", file);
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Opens the table, as one of several ranks or alone. */
static hb_status open_as(const char *path, const shape *of, const hb_reading_ranks *ranks, hb_table **table)
{
    const char *const category[] = {of->column};
    const hb_reading_words words = {.missing = of->missing,
                                    .categories = category,
                                    .category_count = of->column != NULL,
                                    .fold = of->fold,
                                    .columns = of->column != NULL ? NULL : "a,b,c"};
    hb_reading reading;
    assert_ok(hb_reading_parse(&words, &reading));
    reading.ranks = ranks;
    const hb_status st = hb_table_open_as(path, HB_CELL_INTEGER, &reading, table);
    hb_reading_clear(&reading);
    return st;
}

/* Opens it as one thread does, or several. */
static hb_status open_by(const char *path, const shape *of, bool one, hb_table **table)
{
    cpu_set_t all, first;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&first);
    for (size_t i = 0; CPU_COUNT(&first) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &first);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof first, one ? &first : &all), 0);
    const hb_status st = open_as(path, of, NULL, table);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    return st;
}

/* Ranks in threads of this process. */
typedef struct group {
    pthread_barrier_t barrier;
    void *data;
    hb_status worst;
} group;

typedef struct member {
    group *of;
    hb_reading_ranks ranks;
    const char *path;
    const shape *shape;
    hb_table *table;
    hb_status st;
    hb_error error;
} member;

static hb_status agree(void *context, hb_status mine)
{
    group *of = ((member *)context)->of;
    pthread_barrier_wait(&of->barrier);
    of->worst = HB_OK;
    pthread_barrier_wait(&of->barrier);
    if (mine != HB_OK) {
        __atomic_store_n(&of->worst, mine, __ATOMIC_SEQ_CST);
    }
    pthread_barrier_wait(&of->barrier);
    return of->worst;
}

static hb_status tell(void *context, void *data, size_t bytes, uint64_t root)
{
    const member *own = context;
    group *of = own->of;
    if (own->ranks.rank == root) {
        of->data = data;
    }
    pthread_barrier_wait(&of->barrier);
    if (own->ranks.rank != root) {
        memcpy(data, of->data, bytes);
    }
    pthread_barrier_wait(&of->barrier);
    return HB_OK;
}

static void *open_member(void *context)
{
    member *own = context;
    own->st = open_as(own->path, own->shape, &own->ranks, &own->table);
    own->error = *hb_last_error();
    return NULL;
}

static void open_by_ranks(const char *path, const shape *of, member ranks[RANKS])
{
    group all = {.data = NULL};
    pthread_t thread[RANKS];
    assert_int_equal(pthread_barrier_init(&all.barrier, NULL, RANKS), 0);
    for (uint64_t r = 0; r < RANKS; r++) {
        ranks[r] = (member){.of = &all, .path = path, .shape = of};
        ranks[r].ranks = (hb_reading_ranks){r, RANKS, agree, tell, &ranks[r]};
        assert_int_equal(pthread_create(&thread[r], NULL, open_member, &ranks[r]), 0);
    }
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(pthread_join(thread[r], NULL), 0);
    }
    pthread_barrier_destroy(&all.barrier);
}

static void compare_values(hb_table *x, hb_table *y)
{
    const hb_schema *schema = hb_table_schema(x);
    const size_t words = (size_t)(schema->rows * schema->columns);
    uint64_t *values[2] = {malloc(words * sizeof(uint64_t)), malloc(words * sizeof(uint64_t))};
    const hb_rectangle all = {.rows = schema->rows, .columns = schema->columns};
    assert_true(values[0] != NULL && values[1] != NULL);
    assert_ok(hb_table_read(y, &all, values[1])); /* at once, by several threads */
    for (uint64_t r = 0, some; r < schema->rows; r += some) {
        some = 1 + draw(9000);
        some = some < schema->rows - r ? some : schema->rows - r;
        assert_ok(hb_table_read(x, &(hb_rectangle){r, some, 0, schema->columns}, values[0] + r * schema->columns));
    }
    assert_memory_equal(values[0], values[1], words * sizeof(uint64_t));
    free(values[0]);
    free(values[1]);
}

static void compare(hb_table *x, hb_table *y)
{
    const hb_schema *a = hb_table_schema(x), *b = hb_table_schema(y);
    const hb_table_findings one = hb_table_findings_of(x), other = hb_table_findings_of(y);
    assert_true(a->rows == b->rows && a->columns == b->columns && hb_left_out_same(&a->left_out, &b->left_out));
    assert_true(one.blank_lines == other.blank_lines && (one.column == NULL) == (other.column == NULL));
    for (uint64_t c = 0; c < a->columns; c++) {
        assert_string_equal(a->column[c].name, b->column[c].name);
        assert_true(a->column[c].is_signed == b->column[c].is_signed && a->column[c].mask == b->column[c].mask);
        assert_true(hb_meaning_same(&a->column[c].meaning, &b->column[c].meaning));
        assert_true(one.column == NULL || memcmp(&one.column[c], &other.column[c], sizeof *one.column) == 0);
    }
    for (uint64_t c = 0; c < hb_table_noted(x); c++) {
        for (int kind = 0; kind < HB_NOTE_KINDS; kind++) {
            char notes[2][HB_TABLE_NOTE];
            assert_ok(note_of(x, c, (hb_note_kind)kind, notes[0]));
            assert_ok(note_of(y, c, (hb_note_kind)kind, notes[1]));
            assert_string_equal(notes[0], notes[1]);
        }
    }
    char where[2][HB_TABLE_PLACE];
    assert_string_equal(hb_table_place_text(x, a->rows - 3, where[0]), hb_table_place_text(y, a->rows - 3, where[1]));
    compare_values(x, y);
}

/* `refused`: words of the refusal; NULL: the table is read. */
static void check(shape of, const char *refused)
{
    hb_table *one = NULL, *several = NULL;
    member ranks[RANKS];
    const char *path = write_table(&of);
    const hb_status st = open_by(path, &of, true, &one);
    const hb_error error = *hb_last_error();
    assert_int_equal(open_by(path, &of, false, &several), st);
    assert_int_equal(st, refused == NULL ? HB_OK : HB_EDATA);
    assert_true(refused == NULL || strstr(error.text, refused) != NULL);
    assert_true(refused == NULL || strcmp(hb_last_error()->text, error.text) == 0);
    open_by_ranks(path, &of, ranks);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(ranks[r].st, st);
        assert_true(refused == NULL || strcmp(ranks[r].error.text, error.text) == 0);
        if (refused == NULL) {
            compare(one, ranks[r].table);
        }
        hb_table_close(ranks[r].table);
    }
    if (refused == NULL) {
        compare(one, several);
    }
    hb_table_close(one);
    hb_table_close(several);
}

static void test_numbers(void **unused)
{
    (void)unused;
    state = 1;
    check((shape){.negative = 100000}, NULL);
    check((shape){.end = 3}, NULL);
    check((shape){.gaps = 50, .missing = "drop"}, NULL);
    check((shape){.gaps = 1000, .missing = "b=mask"}, NULL);
    check((shape){.gaps = 1000, .missing = "7", .negative = 3}, NULL);
}

static void test_texts(void **unused)
{
    (void)unused;
    state = 2;
    check((shape){.column = "text"}, NULL);
    check((shape){.column = "text", .fold = "text"}, NULL);
    check((shape){.column = "text=red,green,blue,x,\"violet, light\"", .fold = "text"}, NULL);
    check((shape){.dates = 1}, NULL);
}

/* Quotes with line breaks inside: where parts of the file begin in them, nobody sees it there. */
static void test_quotes(void **unused)
{
    (void)unused;
    state = 3;
    check((shape){.quotes = 3}, NULL);
    check((shape){.quotes = 200}, NULL);
    check((shape){.pages = 20000, .quotes = 50}, NULL);
    check((shape){.pages = 5000}, NULL);
    check((shape){.pages = 20000, .fault = 140001, .line = "1,2\n"}, "row 140001 (line ");
}

/* The first fault of the file is told, with its row and line. */
static void test_faults(void **unused)
{
    (void)unused;
    state = 4;
    check((shape){.fault = 149000, .line = "1,2,3\n"}, "row 149000 (line 149001) has 3 fields");
    check((shape){.fault = 75000, .line = "1,2,x,red\n"}, "row 75000 (line 75001), column c");
    check((shape){.fault = 75000, .line = "\n"}, "row 75000 (line 75001) is an empty line");
    check((shape){.fault = 75000, .line = "1,2,3,4,5\n"}, "row 75000 (line 75001) has more fields");
    check((shape){.dates = 90000}, "row 90000 (line 90001), column b");
    check((shape){.gaps = 100000, .missing = "refuse"}, "row ");
    check((shape){.column = "text", .quotes = 100000}, "a label has a line break");
    check((shape){.fault = 75000, .line = "\"1,2,3\n"}, "row 75000 (line 75001) has a quote that is not closed");
    check((shape){.negative = 1, .fault = 100000, .line = "18446744073709551615,2,3,red\n"},
          "column a is negative in row ");
}

HB_UNIT(table_threads)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
