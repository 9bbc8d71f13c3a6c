/* A rank that fails a check must end the others: they would wait for it. */
#ifndef HB_TESTS_CHECK_H
#define HB_TESTS_CHECK_H

#include <stdio.h>

#include "mpi/group/group.h"

static hb_group *group;

#define CHECK(condition)                                                                                         \
    do {                                                                                                         \
        if (!(condition)) {                                                                                      \
            fprintf(stderr, "rank %d, %s:%d: %s; last error: %s\n", group->rank, __FILE__, __LINE__, #condition, \
                    hb_last_error()->text);                                                                      \
            hb_group_abort(group, HB_EINTERNAL);                                                                 \
        }                                                                                                        \
    } while (0)

#endif
