/* The lock in the folder of a server: one server has it, and whoever looks for a server disturbs neither that one nor
 * one that begins. */
#include "client/folder.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/scratch.h"
#include "unit/unit.h"

static void one_server_has_the_lock(void **state)
{
    (void)state;
    int folder, lock, second;
    assert_ok(hb_folder_open(in_scratch("one"), true, &folder));
    assert_ok(hb_folder_lock(folder, "one", &lock));
    assert_refused(hb_folder_lock(folder, "one", &second), HB_ECREATE, "one: another server is there");
    assert_int_equal(second, -1);
    close(lock);
    assert_ok(hb_folder_lock(folder, "one", &lock));
    close(lock);
    close(folder);
}

static void servers_are_found_by_their_lock(void **state)
{
    (void)state;
    int folder, lock;
    assert_ok(hb_folder_open(in_scratch("found"), true, &folder));
    assert_refused(hb_folder_find_server(folder, "found"), HB_EUNAVAILABLE, "found: no server is there (No such file");
    assert_ok(hb_folder_lock(folder, "found", &lock));
    assert_ok(hb_folder_find_server(folder, "found"));
    assert_ok(hb_folder_find_server(folder, "found"));
    close(lock); /* a server that was killed leaves the file */
    assert_refused(hb_folder_find_server(folder, "found"), HB_EUNAVAILABLE, "found: no server is there (nobody holds");
    assert_ok(hb_folder_lock(folder, "found", &lock));
    close(lock);
    close(folder);
}

/* A process that looks holds the lock while a server begins. */
static void looks_stop_no_server(void **state)
{
    (void)state;
    int folder, lock, looks[2];
    char byte;
    assert_ok(hb_folder_open(in_scratch("looks"), true, &folder));
    assert_int_equal(close(openat(folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600)), 0);
    assert_int_equal(pipe(looks), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int own = openat(folder, "lock", O_RDONLY | O_CLOEXEC);
        const bool held = flock(own, LOCK_SH | LOCK_NB) == 0 && write(looks[1], "x", 1) == 1;
        usleep(50000);
        _exit(held ? 0 : 1);
    }
    close(looks[1]);
    assert_int_equal(read(looks[0], &byte, 1), 1);
    assert_ok(hb_folder_lock(folder, "looks", &lock));
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    close(looks[0]);
    close(lock);
    close(folder);
}

HB_UNIT(folder)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_server_has_the_lock),
                                       cmocka_unit_test(servers_are_found_by_their_lock),
                                       cmocka_unit_test(looks_stop_no_server)};
    return cmocka_run_group_tests_name("folder", tests, scratch_make, scratch_remove);
}
