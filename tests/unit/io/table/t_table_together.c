/* A CSV that several ranks, here threads, write together: the same bytes as of one, each rank a part of them, and a
 * failure of one ends all and leaves nothing. */
#include "unit/scratch.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

enum { MOST_RANKS = 4, ROWS = 80000, WORDS = 262144 /* of a thread in a round */ };

/* Ranks that meet in collective calls. */
typedef struct meeting {
    pthread_barrier_t barrier;
    uint64_t count;
    hb_status mine[MOST_RANKS];
    hb_error error[MOST_RANKS];
    const uint64_t *values[MOST_RANKS];
    int agreements, sums; /* of rank 0 */
} meeting;

typedef struct member {
    meeting *of;
    uint64_t rank;
    const hb_schema *schema;
    const hb_table_view *view;
    const uint64_t *values; /* of the whole table */
    const char *path;
    uint32_t threads;
    hb_table_writer *writer;
    hb_table_text_size text;
    hb_status status;
    hb_error error;
} member;

static hb_status agree(void *context, hb_status mine)
{
    const member *m = context;
    meeting *of = m->of;
    of->agreements += m->rank == 0;
    of->mine[m->rank] = mine;
    of->error[m->rank] = *hb_last_error();
    pthread_barrier_wait(&of->barrier);
    hb_status st = HB_OK;
    for (uint64_t r = of->count; r > 0; r--) {
        if (of->mine[r - 1] != HB_OK) {
            st = of->mine[r - 1];
            hb_set_error(&of->error[r - 1]);
        }
    }
    pthread_barrier_wait(&of->barrier);
    return st;
}

static hb_status sum(void *context, uint64_t *values, size_t size)
{
    const member *m = context;
    meeting *of = m->of;
    uint64_t sums[MOST_RANKS + 1] = {0};
    of->sums += m->rank == 0;
    of->values[m->rank] = values;
    pthread_barrier_wait(&of->barrier);
    for (uint64_t r = 0; r < of->count; r++) {
        for (size_t i = 0; i < size; i++) {
            sums[i] += of->values[r][i];
        }
    }
    pthread_barrier_wait(&of->barrier);
    memcpy(values, sums, size * sizeof *values);
    return HB_OK;
}

static hb_status write_share(member *m)
{
    const uint64_t first = m->schema->rows * m->rank / m->of->count;
    const uint64_t end = m->schema->rows * (m->rank + 1) / m->of->count;
    const uint64_t words = hb_schema_words(m->schema, 0, m->schema->columns);
    HB_TRY(hb_table_write(m->writer, &(hb_rectangle){first, end - first, 0, m->schema->columns},
                          m->values + first * words));
    return hb_table_sync(m->writer);
}

static void *work(void *context)
{
    member *m = context;
    const bool several = m->of->count > 1;
    const hb_table_ranks ranks = {.rank = m->rank,
                                  .count = m->of->count,
                                  .threads = m->threads,
                                  .agree = several ? agree : NULL,
                                  .sum = several ? sum : NULL,
                                  .context = m};
    m->status = m->rank > 0 ? hb_table_join(m->path, m->schema, m->view, &m->writer) : HB_OK;
    m->status = m->status == HB_OK ? write_share(m) : m->status;
    if (several) {
        m->status = agree(m, m->status);
    }
    m->status = m->status == HB_OK ? hb_table_commit_together(m->writer, &ranks, &m->text) : m->status;
    m->error = *hb_last_error();
    return NULL;
}

/* Writes a table by so many ranks; returns the status of all, with the counts of rank 0 in *of. */
static hb_status write_by(meeting *of, const member *like, hb_table_text_size *text)
{
    member m[MOST_RANKS];
    pthread_t thread[MOST_RANKS];
    assert_int_equal(pthread_barrier_init(&of->barrier, NULL, (unsigned)of->count), 0);
    for (uint64_t r = 0; r < of->count; r++) {
        m[r] = *like;
        m[r].of = of;
        m[r].rank = r;
    }
    assert_ok(hb_table_create_view(like->path, like->schema, like->view, true, &m[0].writer));
    for (uint64_t r = 0; r < of->count; r++) {
        assert_int_equal(pthread_create(&thread[r], NULL, work, &m[r]), 0);
    }
    for (uint64_t r = 0; r < of->count; r++) {
        pthread_join(thread[r], NULL);
    }
    *text = m[0].text;
    for (uint64_t r = of->count; r > 0; r--) {
        hb_table_writer_close(m[r - 1].writer);
        assert_int_equal(m[r - 1].status, m[0].status);
    }
    hb_set_error(&m[0].error);
    pthread_barrier_destroy(&of->barrier);
    return m[0].status;
}

/* A table of labels, dates, decimals, truth values, missing cells and integers, as it is written. */
static char *make_text(void)
{
    static const char *const label[] = {"red", "\"violet, light\"", "\"say \"\"so\"\"\"", "x"};
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    assert_non_null(to);
    fputs("id,colour,day,dose,smoker,\"a \"\"b\"\"\"\n", to);
    for (uint32_t r = 0; r < ROWS; r++) {
        fprintf(to, "%" PRId64 ",%s,%04u-%02u-%02u,", (int64_t)r * r * (r % 3 == 0 ? -1 : 1), label[r * 7 % 11 % 4],
                1970 + r % 60, 1 + r % 12, 1 + r % 28);
        fprintf(to, r % 10 > 0 ? "%u.%u" : "%u", r % 900, r % 10);
        fprintf(to, r % 13 > 0 ? ",%s," : ",%.0s,", r % 2 > 0 ? "true" : "false");
        fprintf(to, "%u\n", r % 1000 == 0 ? 0 : r);
    }
    assert_int_equal(fclose(to), 0);
    return text;
}

static hb_table *open_text(const char *text)
{
    static const char *const labels[] = {"colour"};
    const hb_reading_words words = {
        .scale = "dose=10", .categories = labels, .category_count = 1, .missing = "smoker=mask"};
    hb_table *table;
    assert_ok(open_said(put("in.csv", text), HB_CELL_INTEGER, words, &table));
    return table;
}

static uint64_t *read_all(hb_table *table)
{
    const hb_schema *schema = hb_table_schema(table);
    const uint64_t words = hb_schema_words(schema, 0, schema->columns);
    uint64_t *values = calloc((size_t)(schema->rows * words) + 1, sizeof *values);
    assert_ok(hb_table_read(table, &(hb_rectangle){0, schema->rows, 0, schema->columns}, values));
    return values;
}

static void check_nothing(const char *name)
{
    char path[64];
    static const char *const behind[] = {"", ".partial", ".partial.raw"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", name, behind[i]);
        assert_false(is_there(in_scratch(path)));
    }
}

static void ranks_write_the_bytes_of_one(void **state)
{
    (void)state;
    char *text = make_text(), path[128];
    hb_table *table = open_text(text);
    const hb_schema *schema = hb_table_schema(table);
    uint64_t *values = read_all(table);
    snprintf(path, sizeof path, "%s", in_scratch("out.csv"));
    const uint64_t cells = schema->rows * hb_schema_words(schema, 0, schema->columns);
    assert_true(cells > WORDS);
    for (uint64_t count = 1; count <= MOST_RANKS; count++) {
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            meeting of = {.count = count};
            hb_table_text_size made;
            const member like = {.schema = schema, .values = values, .path = path, .threads = threads};
            assert_ok(write_by(&of, &like, &made));
            size_t bytes;
            char *back = (char *)slurp(path, &bytes);
            assert_int_equal(bytes, strlen(text));
            assert_memory_equal(back, text, bytes);
            free(back);
            assert_int_equal(made.bytes, bytes);
            /* Rows have nearly the same length. */
            assert_in_range(made.most, bytes / count, bytes / count + bytes / 50);
            const uint64_t round = WORDS * threads * count;
            if (count > 1) {
                assert_int_equal(of.sums, cells / round + 1);
                assert_int_equal(of.agreements, 5);
            }
        }
    }
    free(values);
    hb_table_close(table);
    free(text);
}

static void parts_of_a_table_are_written_alike(void **state)
{
    (void)state;
    char *text = make_text();
    hb_table *table = open_text(text);
    uint64_t *values = read_all(table), columns[] = {5, 1, 0};
    const hb_table_view view = {.row = 1234, .rows = 50000, .columns = columns, .count = 3};
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("part.csv"));
    const member like = {.schema = hb_table_schema(table), .view = &view, .values = values, .path = path, .threads = 1};
    hb_table_text_size made;
    size_t bytes[2];
    uint8_t *back[2];
    for (uint64_t i = 0; i < 2; i++) {
        meeting of = {.count = 1 + 2 * i};
        assert_ok(write_by(&of, &like, &made));
        back[i] = slurp(path, &bytes[i]);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(back[0], back[1], bytes[0]);
    assert_memory_equal(back[0], "\"a \"\"b\"\"\",colour,id\n1234,", 25);
    free(back[0]);
    free(back[1]);
    free(values);
    hb_table_close(table);
    free(text);
}

/* The first of two values without a text, in the parts of different ranks, is told. */
static void a_failure_ends_all_ranks(void **state)
{
    (void)state;
    char *text = make_text(), path[128];
    hb_table *table = open_text(text);
    const hb_schema *schema = hb_table_schema(table);
    const uint64_t words = hb_schema_words(schema, 0, schema->columns);
    uint64_t *values = read_all(table);
    hb_table_text_size made;
    snprintf(path, sizeof path, "%s", in_scratch("bad.csv"));
    member like = {.schema = schema, .values = values, .path = path, .threads = 2};
    values[30000 * words + 1] = 99;
    values[59999 * words + 1] = 98;
    for (uint64_t count = 1; count <= MOST_RANKS; count++) {
        meeting of = {.count = count};
        assert_refused(write_by(&of, &like, &made), HB_EDATA, "row 30001, column colour");
        check_nothing("bad.csv");
    }
    values[30000 * words + 1] = values[59999 * words + 1] = 0;
    /* A disk that is full behind the scratch file: its limit stands in for it. */
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    uint64_t columns[] = {1, 2};
    const hb_table_view view = {.rows = ROWS, .columns = columns, .count = 2};
    like.view = &view;
    limit = (struct rlimit){.rlim_cur = 2 * ROWS * sizeof *values + 4096, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (uint64_t count = 1; count <= MOST_RANKS; count++) {
        meeting of = {.count = count};
        assert_refused(write_by(&of, &like, &made), HB_EIO, "bad.csv.partial: cannot write: File too large");
        check_nothing("bad.csv");
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    free(values);
    hb_table_close(table);
    free(text);
}

HB_UNIT(table_together)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_write_the_bytes_of_one),
        cmocka_unit_test(parts_of_a_table_are_written_alike),
        cmocka_unit_test(a_failure_ends_all_ranks),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
