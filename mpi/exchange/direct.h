/* Direct transfers: each member's GPU writes its blocks to the memory of the others, by its copy engines, while its
 * multiprocessors compute. For members whose GPUs stand in one host and reach one another. Private to the folder.
 *
 * A transfer of a window has a number, and runs on a stream of the window's own, so that no queue waits for another's:
 *
 *     tell each member that sends a block here: "free", your block of this number may be written to its place
 *     for each member that takes a block: wait until it tells "free"; copy the block there; tell it "full"
 *     wait until each member that sends a block here tells "full"
 *
 * The GPU waits and tells by words of host memory that the members share (cuStreamWaitValue64, cuStreamWriteValue64),
 * so no multiprocessor is held by a wait, and the host sees who is missing. All members start the transfers of all
 * windows in the same order: so none waits for one that stands behind it in a queue of the hardware.
 *
 * A member that gives up notes that it has, and then ends the waits of its own GPU by writing the words itself.
 * Whatever its GPU writes and tells from then on means nothing. So others trust no result before hb_direct_failed,
 * asked when their own GPU is done with it, has said that nobody had given up. */
#ifndef HB_MPI_EXCHANGE_DIRECT_H
#define HB_MPI_EXCHANGE_DIRECT_H

#include "nccl_private.h" /* hb_direct: the state of one member */

/* Opens the direct transfers of grid->members, whose member's GPU is current. *out is NULL on all of them, and *why_not
 * says why where this member knows, if they are not all of one host or lack something. Collective among them.
 * HB_ENOMEM, HB_ECOMM. */
hb_status hb_direct_open(const hb_grid *grid, hb_direct **out, hb_error *why_not);
/* Closes it; NULL is allowed. Not collective: no transfer is under way, or the member has given up. */
void hb_direct_close(hb_direct *d);

/* Makes a window of `memory`, NULL: this member has none. *out is NULL on all members where one has none, or cannot
 * reach another's; hb_last_error says why. Collective, by hb_nccl_gather_words, under its rules. HB_EPEER, HB_ECOMM.
 * Closing is not collective, but waits a moment for the others. */
hb_status hb_direct_open_window(hb_direct *d, hb_nccl_exchange *x, void *memory, size_t bytes, hb_window **out);
void hb_direct_close_window(hb_direct *d, hb_window *window);

/* Returns the stream of a window, on which its transfers go. */
cudaStream_t hb_direct_stream(const hb_window *window);
/* Issues a transfer on that stream; *number is its number there. HB_EUNAVAILABLE and others. */
hb_status hb_direct_issue(hb_direct *d, const hb_exchange *x, const hb_transfer *t, uint64_t *number);
/* Returns the first member whose part in that transfer is missing; -1: none is. */
int hb_direct_missing(const hb_direct *d, const hb_exchange *x, const hb_transfer *t, uint64_t number);
/* Returns a member that has given up; -1: none has. */
int hb_direct_failed(const hb_direct *d);
/* Gives up: transfers under way end, with words that mean nothing. Returns whether they have ended, some seconds later
 * at most; where they have not, the GPU may still use the memory of windows. */
bool hb_direct_give_up(hb_direct *d);

#endif
