/* The root seed of a job all of whose draws must be the same when it is continued, on any number of ranks: kept beside
 * its unfinished output, in NAME.partial.key (0600), until that is complete. Who has it can undo what was drawn of
 * it. */
#ifndef HB_OUTPUT_KEPT_ROOT_H
#define HB_OUTPUT_KEPT_ROOT_H

#include "base/seed.h"
#include "held_key.h"
#include "mpi/group/group.h"

typedef struct hb_kept_root {
    hb_group *group;    /* borrowed, as is the next */
    const char *output; /* NAME */
    hb_seed seed;       /* secret; the same on all ranks */
    hb_held_key held;   /* on rank 0, from hb_kept_root_keep on: its file */
    bool found;         /* an earlier job kept it */
    bool given;         /* set by the caller, with seed, before: a test's, of which no file knows */
} hb_kept_root;

/* Gives all ranks the root that an earlier job kept, where one may be continued and it is there, else a fresh one, and
 * sets the other members. Ranks send it sealed (ranks/share_root.h). Collective. The caller clears, also after a
 * failure. HB_ENOINPUT, HB_EIO, HB_ENOMEM, HB_ECOMM. */
hb_status hb_kept_root_take(hb_kept_root *root, hb_group *group, const char *output, bool continues);
/* Collective, once it is known whether the output is continued: a job that goes on does so with the root of the job
 * before, or fails, with HB_EDATA; one that begins gets a fresh root, whatever file lies there, as two outputs with the
 * same draws would show both. */
hb_status hb_kept_root_settle(hb_kept_root *root, bool resumed);
/* Rank-local, before anything is drawn, once NAME.partial is there: rank 0 stores the root, unless it was found, and
 * holds its file from then on. HB_ECREATE: another job holds or has replaced the file; HB_EIO. */
hb_status hb_kept_root_keep(hb_kept_root *root);
/* Rank-local, once the output is complete or useless: the rank that holds the file removes it. The last error stays. */
void hb_kept_root_remove(hb_kept_root *root);
/* Derives the root of a residue, of several that jobs of one command make by one root; locks it. Rank-local. The caller
 * wipes. */
void hb_kept_root_of_residue(const hb_kept_root *root, uint32_t residue, hb_seed *own);
/* Releases the file and wipes; a zeroed struct is allowed. */
void hb_kept_root_clear(hb_kept_root *root);

#endif
