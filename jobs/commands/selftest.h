/* Known answers for hebatch selftest: the tests of each scheme, a list. */
#ifndef HB_COMMANDS_SELFTEST_H
#define HB_COMMANDS_SELFTEST_H

#include "base/status.h"

/* Each returns HB_EINTERNAL with the expected and the actual value, or an error of its own. NULL name after the
 * last. */
typedef struct hb_selftest {
    const char *name;
    hb_status (*run)(void);
} hb_selftest;
extern const hb_selftest hb_selftests_bfv[], hb_selftests_ckks[];

#endif
