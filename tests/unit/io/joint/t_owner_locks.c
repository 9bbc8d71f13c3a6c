/* Where a file system has no locks, or another process holds one, owners' steps and ledgers are refused; records of
 * parts are on the disk whoever wrote them. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "unit/scratch.h"

#include "io/joint/ledger.h"
#include "io/joint/state_file.h"
#include "unit/unit.h"

static int flock_error; /* what flock fails with; 0: it does its work */

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
    if (flock_error != 0) {
        errno = flock_error;
        return -1;
    }
    return __real_flock(fd, operation);
}

static uint32_t syncs; /* calls of fsync ... */
static int sync_error; /* ... and what they fail with; 0: they do their work */

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
    syncs++;
    if (sync_error != 0) {
        errno = sync_error;
        return -1;
    }
    return __real_fsync(fd);
}

static const int no_locks[] = {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL, EBADF};
enum { ERRORS = sizeof no_locks / sizeof *no_locks };

static void steps_are_locked(void **state)
{
    (void)state;
    const char *path = in_scratch("joint-1.h5");
    int one, two;
    assert_ok(hb_joint_state_lock(path, &one));
    assert_refused(hb_joint_state_lock(path, &two), HB_ECREATE, "joint-1.h5.lock: another job");
    assert_int_equal(two, -1);
    assert_int_equal(close(one), 0);
    assert_ok(hb_joint_state_lock(path, &one)); /* the file stays */
    assert_int_equal(close(one), 0);
    assert_int_equal(unlink(in_scratch("joint-1.h5.lock")), 0);
    assert_int_equal(symlink("elsewhere", in_scratch("joint-1.h5.lock")), 0);
    assert_refused(hb_joint_state_lock(path, &two), HB_ECREATE, "joint-1.h5.lock");
}

static void steps_need_locks(void **state)
{
    (void)state;
    int fd;
    for (size_t i = 0; i < ERRORS; i++) {
        flock_error = no_locks[i];
        assert_refused(hb_joint_state_lock(in_scratch("joint-2.h5"), &fd), HB_ECREATE, "cannot be locked");
    }
    flock_error = 0;
}

static const uint8_t session[HB_DIGEST_BYTES] = {1};

/* A process was killed when it had written records, and before they were synced; the next one finds them. */
static void records_are_synced(void **state)
{
    (void)state;
    const char *path = in_scratch("a.parts");
    const hb_ledger_record left[] = {{.c1 = {1}, .context = {2}}, {.c1 = {2}, .context = {2}}},
                           more = {.c1 = {3}, .context = {2}};
    hb_ledger *ledger, *other;
    assert_ok(hb_ledger_create(path, session));
    const int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, left, sizeof left), sizeof left);
    assert_int_equal(close(fd), 0);
    assert_ok(hb_ledger_open(path, session, 9, &ledger));
    assert_ok(hb_ledger_open(path, session, 9, &other));
    sync_error = EIO;
    assert_ok(hb_ledger_add_parts(ledger, left, 1, 0));
    assert_refused(hb_ledger_sync(ledger), HB_EIO, "cannot sync");
    sync_error = 0;
    syncs = 0;
    assert_ok(hb_ledger_sync(ledger));
    assert_int_equal(syncs, 1);
    assert_ok(hb_ledger_add_parts(ledger, left, 2, 0)); /* it has synced these itself */
    assert_ok(hb_ledger_sync(ledger));
    assert_int_equal(syncs, 1);
    assert_ok(hb_ledger_add_parts(ledger, &more, 1, 2));
    assert_ok(hb_ledger_sync(ledger));
    assert_int_equal(syncs, 2);
    assert_ok(hb_ledger_add_parts(other, &more, 1, 2)); /* of another process, which may not have got so far */
    assert_ok(hb_ledger_sync(other));
    assert_int_equal(syncs, 3);
    hb_ledger_close(other);
    hb_ledger_close(ledger);
}

/* Two processes that both took an unlocked ledger for theirs could record two parts of one ciphertext. */
static void ledgers_need_locks(void **state)
{
    (void)state;
    const char *path = in_scratch("b.parts");
    const hb_ledger_record one = {.c1 = {1}, .context = {2}};
    hb_ledger *ledger, *other;
    assert_ok(hb_ledger_create(path, session));
    assert_ok(hb_ledger_open(path, session, 9, &ledger));
    for (size_t i = 0; i < ERRORS; i++) {
        flock_error = no_locks[i];
        assert_refused(hb_ledger_add_parts(ledger, &one, 1, 0), HB_ECREATE, "b.parts: cannot be locked");
        assert_refused(hb_ledger_open(path, session, 9, &other), HB_ECREATE, "b.parts: cannot be locked");
    }
    flock_error = 0;
    assert_int_equal(hb_ledger_count(ledger), 0);
    assert_ok(hb_ledger_add_parts(ledger, &one, 1, 0));
    hb_ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_locked),
        cmocka_unit_test(steps_need_locks),
        cmocka_unit_test(records_are_synced),
        cmocka_unit_test(ledgers_need_locks),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
