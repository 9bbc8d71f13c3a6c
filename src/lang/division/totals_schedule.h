/* When and by whom the tasks of a pass are computed. */
#ifndef HB_LANG_DIVISION_TOTALS_SCHEDULE_H
#define HB_LANG_DIVISION_TOTALS_SCHEDULE_H

#include "division.h"
#include "totals_graph.h"

typedef struct hb_totals_schedule {
    uint32_t *stage, *rank, *worker; /* of a task; nothing of loads; rank: HB_EVERY_RANK */
    uint8_t *moved;                  /* of a value: 1: it is brought to all ranks */
    uint64_t *blocks;                /* [output_count] as hb_pass_division has them */
    uint32_t stages;
    uint64_t most; /* predicted work of the lane with most */
} hb_totals_schedule;

/* Finds the schedule with the least predicted time. *found: it is shorter than that of one lane. HB_ENOMEM. The caller
 * clears, also after a failure. */
hb_status hb_totals_schedule_find(hb_totals_schedule *schedule, const hb_totals_graph *g, hb_totals_lanes lanes,
                                  bool *found);
static inline void hb_totals_schedule_clear(hb_totals_schedule *schedule)
{
    free(schedule->stage);
    free(schedule->rank);
    free(schedule->worker);
    free(schedule->moved);
    free(schedule->blocks);
    *schedule = (hb_totals_schedule){.stage = NULL};
}

#endif
