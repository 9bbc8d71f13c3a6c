/* Secret keys in memory are locked, so that they do not reach swap. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/keys/keyfile.h"
#include "reference/key_pair.h"
#include "unit/unit.h"

/* Is the mapping that this address is in locked, at least in part? */
static bool is_locked(const void *address)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    char line[512];
    bool here = false, locked = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long from, to, kib;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            here = (uintptr_t)address >= from && (uintptr_t)address < to;
        } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
            locked |= strstr(line, " lo") != NULL;
        } else if (here && sscanf(line, "Locked: %lu", &kib) == 1) {
            locked |= kib > 0;
        }
    }
    fclose(maps);
    return locked;
}

/* Whether this process may lock anything. */
static bool can_lock(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
    const size_t most = (size_t)4 << 20;
    void *page = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(page != MAP_FAILED);
    const bool can = mlock(page, most) == 0;
    munmap(page, most);
    return can;
}

static void secret_keys_are_locked(void **state)
{
    (void)state;
    if (!can_lock()) {
        skip();
    }
    const uint32_t bits[] = {50, 50, 50, 51};
    key_pair f;
    key_pair_open(&f, 8192, bits, 4, 65537, 1, false);
    assert_true(is_locked(f.secret.s.data));
    assert_true(is_locked(f.secret.s.data + 4 * 8192 - 1));
    assert_false(is_locked(f.public_key.b.data + 4 * 8192 - 1 - 1024));

    char folder[] = "/tmp/hebatch-locked.XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/secret.h5", folder);
    hb_keyfile written = {.kind = HB_KEY_SECRET, .spec = f.params->spec, .ternary = f.ternary}, read;
    memset(written.key_id, 7, sizeof written.key_id);
    assert_int_equal(hb_keyfile_write(path, &written), HB_OK);
    assert_int_equal(hb_keyfile_read(path, &read), HB_OK);
    assert_memory_equal(read.ternary, f.ternary, 8192);
    assert_true(is_locked(read.ternary));
    hb_keyfile_clear(&read);
    unlink(path);
    rmdir(folder);
    key_pair_close(&f);
}

/* Not to be allowed to is no failure, and leaves errno alone. */
static void locking_may_fail(void **state)
{
    (void)state;
    errno = 5;
    hb_lock((void *)16, 100);
    assert_int_equal(errno, 5);
}

HB_UNIT(locked)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(secret_keys_are_locked), cmocka_unit_test(locking_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
