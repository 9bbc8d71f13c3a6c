/* Looks all ciphertexts of a dataset up in the owner's ledger before the first part of them is recorded: a job that is
 * refused leaves no record. */
#ifndef HB_PARTS_PART_LOOK_H
#define HB_PARTS_PART_LOOK_H

#include "part_job.h"

/* For `check`, once the ledger and the queues are open: reads and checks all units, of all residues with the job of the
 * first; looks their ciphertexts up, and compares the number of those that are new with the room that is left. Reads
 * nothing where the ledger is empty, as it then has room for the whole dataset (hb_part_count_check). Collective.
 * HB_EDATA for damage, another request, or too little room: then no rank has recorded a part. Other processes may
 * record parts meanwhile, so that hb_ledger_add_parts still refuses. HB_ESTOPPED; HB_ENOMEM; errors of opening. */
hb_status hb_part_look(hb_part_job *job);

#endif
