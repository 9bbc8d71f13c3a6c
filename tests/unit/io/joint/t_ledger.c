/* Ledgers of parts: a request again is the same one, another is refused, and so are more than were promised; nothing is
 * forgotten by crashes, and nothing of a refused request is kept. */
#include <pthread.h>

#include "unit/scratch.h"

#include "io/joint/ledger.h"
#include "unit/unit.h"

static const uint8_t session[HB_DIGEST_BYTES] = {1}, other_session[HB_DIGEST_BYTES] = {2};

static hb_ledger_record record_of(uint32_t ciphertext, uint8_t request)
{
    hb_ledger_record r = {.context = {request}};
    memcpy(r.c1, &ciphertext, sizeof ciphertext);
    r.context[1] = (uint8_t)ciphertext;
    return r;
}

static hb_ledger *opened(const char *path, uint64_t results)
{
    hb_ledger *ledger;
    assert_ok(hb_ledger_open(path, session, results, &ledger));
    return ledger;
}

/* Records ciphertexts first .. first + count - 1. */
static hb_status record_some(hb_ledger *ledger, uint32_t first, size_t count, uint8_t request)
{
    hb_ledger_record *records = calloc(count, sizeof *records);
    for (size_t i = 0; i < count; i++) {
        records[i] = record_of(first + (uint32_t)i, request);
    }
    const hb_status st = hb_ledger_add_parts(ledger, records, count, first);
    free(records);
    return st;
}

static uint64_t length_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (uint64_t)info.st_size;
}

static void parts_count_once(void **state)
{
    (void)state;
    const char *path = in_scratch("a.parts");
    assert_ok(hb_ledger_create(path, session));
    assert_refused(hb_ledger_create(path, session), HB_ECREATE, "a.parts");
    hb_ledger *ledger = opened(path, 3000);
    assert_ok(record_some(ledger, 0, 1000, 7));
    assert_ok(record_some(ledger, 500, 1000, 7)); /* half of them again */
    assert_ok(record_some(ledger, 0, 1500, 7));
    assert_int_equal(hb_ledger_count(ledger), 1500);
    assert_int_equal(length_of(path), 64 + 1500 * 64);
    hb_ledger_record twice[] = {record_of(2000, 7), record_of(2000, 7)};
    assert_ok(hb_ledger_add_parts(ledger, twice, 2, 0));
    assert_int_equal(hb_ledger_count(ledger), 1501);
    hb_ledger_close(ledger);
    ledger = opened(path, 3000);
    assert_int_equal(hb_ledger_count(ledger), 1501);
    assert_ok(record_some(ledger, 0, 1500, 7));
    assert_int_equal(hb_ledger_count(ledger), 1501);
    hb_ledger_close(ledger);
}

static void other_requests_are_refused(void **state)
{
    (void)state;
    const char *path = in_scratch("b.parts");
    assert_ok(hb_ledger_create(path, session));
    hb_ledger *ledger = opened(path, 100);
    assert_ok(record_some(ledger, 0, 10, 7));
    assert_refused(record_some(ledger, 5, 1, 8), HB_EDATA, "a part of ciphertext 5 was made already");
    const hb_ledger_record mixed[] = {record_of(20, 7), record_of(21, 7), record_of(3, 8)};
    assert_refused(hb_ledger_add_parts(ledger, mixed, 3, 40), HB_EDATA, "a part of ciphertext 42 was");
    const hb_ledger_record within[] = {record_of(20, 7), record_of(20, 8)};
    assert_refused(hb_ledger_add_parts(ledger, within, 2, 0), HB_EDATA, "a part of ciphertext 1 was");
    assert_int_equal(hb_ledger_count(ledger), 10); /* and nothing of them is kept */
    assert_int_equal(length_of(path), 64 + 10 * 64);
    assert_ok(record_some(ledger, 20, 2, 9));
    assert_refused(record_some(ledger, 22, 89, 7), HB_EDATA,
                   "100 parts were promised for these keys: 88 are left, 89 asked for");
    assert_ok(record_some(ledger, 22, 88, 7));
    assert_refused(record_some(ledger, 200, 1, 7), HB_EDATA, "0 are left, 1 asked for");
    assert_ok(record_some(ledger, 22, 88, 7)); /* again is no more */
    hb_ledger_close(ledger);
    ledger = opened(path, 50); /* keys that promise less than was made */
    assert_refused(record_some(ledger, 200, 1, 7), HB_EDATA, "0 are left");
    hb_ledger_close(ledger);
}

/* A look-up says what is there, and leaves nothing behind. */
static void looking_up_records_nothing(void **state)
{
    (void)state;
    const char *path = in_scratch("g.parts");
    uint8_t of[HB_DIGEST_BYTES];
    uint64_t count;
    bool known[3] = {false, true, true};
    assert_ok(hb_ledger_create(path, session));
    hb_ledger *ledger = opened(path, 15);
    assert_ok(record_some(ledger, 0, 10, 7));
    const hb_ledger_record same[] = {record_of(3, 7), record_of(30, 7), record_of(30, 8)},
                           other[] = {record_of(40, 7), record_of(4, 8)};
    assert_ok(hb_ledger_look_up(ledger, same, 3, 0, known));
    assert_true(known[0] && !known[1] && !known[2]);
    assert_refused(hb_ledger_look_up(ledger, other, 2, 70, known), HB_EDATA,
                   "a part of ciphertext 71 was made already");
    assert_ok(hb_ledger_check_room(ledger, 5));
    assert_refused(hb_ledger_check_room(ledger, 6), HB_EDATA, "5 are left, 6 asked for");
    assert_int_equal(hb_ledger_count(ledger), 10);
    assert_int_equal(length_of(path), 64 + 10 * 64);
    hb_ledger_close(ledger);
    assert_ok(hb_ledger_read_count(path, of, &count));
    assert_true(count == 10 && memcmp(of, session, sizeof of) == 0);
    assert_true(hb_ledger_is_one(path));
    assert_int_equal(truncate(path, 31), 0);
    assert_false(hb_ledger_is_one(path));
    assert_refused(hb_ledger_read_count(path, of, &count), HB_EDATA, "g.parts");
    assert_false(hb_ledger_is_one(in_scratch("none.parts")));
    assert_refused(hb_ledger_read_count(in_scratch("none.parts"), of, &count), HB_ENOINPUT, "none.parts");
}

/* Asked while another process holds the file: counts, and ends the wait with the third question. */
static hb_status ask(void *context, double seconds)
{
    int *asked = context;
    assert_true(seconds >= 0 && seconds < 1);
    return ++*asked < 3 ? HB_OK : HB_FAIL(HB_ESTOPPED, "asked to stop");
}

static void waiting_can_be_ended(void **state)
{
    (void)state;
    const char *path = in_scratch("h.parts");
    int asked = 0, lock;
    hb_ledger *ledger, *none;
    const hb_ledger_record one = record_of(1, 7);
    assert_ok(hb_ledger_create(path, session));
    assert_ok(hb_ledger_open_asking(path, session, 9, (hb_file_lock_waiting){ask, &asked}, &ledger));
    assert_ok(hb_file_lock_wait(path, false, true, &lock));
    assert_refused(hb_ledger_add_parts(ledger, &one, 1, 0), HB_ESTOPPED, "asked to stop");
    assert_int_equal(asked, 3);
    assert_refused(hb_ledger_open_asking(path, session, 9, (hb_file_lock_waiting){ask, &asked}, &none), HB_ESTOPPED,
                   "");
    assert_null(none);
    assert_int_equal(close(lock), 0);
    assert_int_equal(hb_ledger_count(ledger), 0);
    assert_ok(hb_ledger_add_parts(ledger, &one, 1, 0));
    assert_int_equal(asked, 4);
    hb_ledger_close(ledger);
}

/* Two that are open at once see one another's records. */
static void others_are_seen(void **state)
{
    (void)state;
    const char *path = in_scratch("c.parts");
    assert_ok(hb_ledger_create(path, session));
    hb_ledger *one = opened(path, 5000), *two = opened(path, 5000);
    assert_ok(record_some(one, 0, 2000, 1));
    assert_refused(record_some(two, 1999, 1, 2), HB_EDATA, "was made already");
    assert_ok(record_some(two, 2000, 2000, 2));
    assert_refused(record_some(one, 3999, 1, 1), HB_EDATA, "was made already");
    assert_refused(record_some(one, 4000, 1001, 1), HB_EDATA, "1000 are left");
    assert_int_equal(hb_ledger_count(one), 4000);
    hb_ledger_close(one);
    hb_ledger_close(two);
}

/* A record that was not written whole is written over. */
static void torn_records_are_cut(void **state)
{
    (void)state;
    const char *path = in_scratch("d.parts");
    for (size_t torn = 1; torn < 64; torn += 9) {
        assert_ok(hb_ledger_create(path, session));
        hb_ledger *ledger = opened(path, 100);
        assert_ok(record_some(ledger, 0, 3, 7));
        hb_ledger_close(ledger);
        assert_int_equal(truncate(path, (off_t)(64 + 2 * 64 + torn)), 0);
        ledger = opened(path, 100);
        assert_int_equal(hb_ledger_count(ledger), 2);
        assert_ok(record_some(ledger, 2, 1, 9)); /* its part never left */
        assert_int_equal(length_of(path), 64 + 3 * 64);
        hb_ledger_close(ledger);
        ledger = opened(path, 100);
        assert_refused(record_some(ledger, 2, 1, 7), HB_EDATA, "was made already");
        hb_ledger_close(ledger);
        assert_int_equal(unlink(path), 0);
    }
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    const char *path = in_scratch("e.parts");
    hb_ledger *ledger;
    assert_refused(hb_ledger_open(path, session, 1, &ledger), HB_ENOINPUT, "e.parts");
    assert_ok(hb_ledger_create(path, session));
    assert_refused(hb_ledger_open(path, other_session, 1, &ledger), HB_EDATA, "another session");
    static const mode_t modes[] = {0640, 0604, 0660};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_refused(hb_ledger_open(path, session, 1, &ledger), HB_EPERM, "chmod 600");
    }
    assert_int_equal(chmod(path, 0600), 0);
    ledger = opened(path, 10);
    assert_ok(record_some(ledger, 0, 4, 1));
    assert_int_equal(truncate(path, 64 + 2 * 64), 0); /* an older one was put back */
    assert_refused(hb_ledger_sync(ledger), HB_EDATA, "has lost records");
    assert_refused(record_some(ledger, 9, 1, 1), HB_EDATA, "has lost records");
    hb_ledger_close(ledger);
    for (off_t length = 0; length < 64; length += 7) {
        assert_int_equal(truncate(path, length), 0);
        assert_refused(hb_ledger_open(path, session, 1, &ledger), HB_EDATA, "e.parts");
        assert_null(ledger);
    }
    spit(path, "HEBL2...........................................................................", 80);
    assert_refused(hb_ledger_open(path, session, 1, &ledger), HB_EDATA, "is no ledger");
}

enum { THREADS = 4, OF_A_THREAD = 300 };

typedef struct recorder {
    hb_ledger *ledger;
    uint32_t first;
    hb_status status;
} recorder;

static void *record_and_sync(void *context)
{
    recorder *r = context;
    for (uint32_t i = 0; i < OF_A_THREAD && r->status == HB_OK; i++) {
        const hb_ledger_record record = record_of(r->first + i, 7);
        r->status = hb_ledger_add_parts(r->ledger, &record, 1, r->first + i);
        r->status = r->status == HB_OK ? hb_ledger_sync(r->ledger) : r->status;
    }
    return NULL;
}

/* Threads that record and sync at the same time. */
static void threads_share_a_ledger(void **state)
{
    (void)state;
    const char *path = in_scratch("f.parts");
    pthread_t thread[THREADS];
    recorder r[THREADS];
    assert_ok(hb_ledger_create(path, session));
    hb_ledger *ledger = opened(path, THREADS * OF_A_THREAD);
    for (uint32_t i = 0; i < THREADS; i++) {
        r[i] = (recorder){ledger, i * OF_A_THREAD, HB_OK};
        assert_int_equal(pthread_create(&thread[i], NULL, record_and_sync, &r[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_ok(r[i].status);
    }
    hb_ledger_close(ledger);
    ledger = opened(path, THREADS * OF_A_THREAD);
    assert_int_equal(hb_ledger_count(ledger), THREADS * OF_A_THREAD);
    assert_ok(record_some(ledger, 0, THREADS * OF_A_THREAD, 7)); /* each of them once */
    assert_refused(record_some(ledger, OF_A_THREAD, 1, 8), HB_EDATA, "was made already");
    hb_ledger_close(ledger);
}

HB_UNIT(ledger)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_up_records_nothing),
        cmocka_unit_test(waiting_can_be_ended),
        cmocka_unit_test(parts_count_once),
        cmocka_unit_test(other_requests_are_refused),
        cmocka_unit_test(others_are_seen),
        cmocka_unit_test(torn_records_are_cut),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(threads_share_a_ledger),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
