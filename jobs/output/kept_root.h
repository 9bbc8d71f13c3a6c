/* The root seed of a job all of whose draws must be the same when it is continued, on any number of ranks: kept beside
 * its unfinished output, in NAME.partial.key (0600), until that is complete. Who has it can undo what was drawn of
 * it. */
#ifndef HB_OUTPUT_KEPT_ROOT_H
#define HB_OUTPUT_KEPT_ROOT_H

#include "base/seed.h"
#include "mpi/group/group.h"

typedef struct hb_kept_root {
    hb_group *group;    /* borrowed, as is the next */
    const char *output; /* NAME */
    hb_seed seed;       /* secret; the same on all ranks */
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
/* Rank-local, before anything is drawn, once NAME.partial is there: rank 0 keeps the root, unless it was found.
 * HB_ECREATE, HB_EIO. */
hb_status hb_kept_root_keep(const hb_kept_root *root);
/* Rank-local, once the output is complete or useless: rank 0 overwrites the file and removes it. The last error stays.
 * */
void hb_kept_root_remove(const hb_kept_root *root);
/* Derives the root of a residue, of several that jobs of one command make by one root; locks it. Rank-local. The caller
 * wipes. */
void hb_kept_root_of_residue(const hb_kept_root *root, uint32_t residue, hb_seed *own);
/* Wipes; a zeroed struct is allowed. */
static inline void hb_kept_root_clear(hb_kept_root *root)
{
    hb_wipe(root, sizeof *root);
}

#endif
