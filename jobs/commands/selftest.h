/* Known answers, in seconds: that this build computes what it should on this machine. */
#ifndef HB_COMMANDS_SELFTEST_H
#define HB_COMMANDS_SELFTEST_H

#include "base/status.h"

typedef struct hb_selftest {
    const char *name;
    hb_status (*run)(void);
} hb_selftest;

/* NULL name after the last. Each returns HB_EINTERNAL with what was expected and what came, or an error of its own. */
extern const hb_selftest hb_selftests[];

/* The parts that need keys (selftest_scheme.c). */
hb_status hb_selftest_scheme(void);
hb_status hb_selftest_slots(void);

#endif
