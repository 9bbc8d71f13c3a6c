/* Where a file system has no locks, or another process holds one, owners' steps and ledgers are refused; records of
 * parts are on the disk whoever wrote them. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "unit/scratch.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_locked),
        cmocka_unit_test(steps_need_locks),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
