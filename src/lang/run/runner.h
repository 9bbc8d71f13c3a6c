/* Runs a program on one queue: registers, an evaluator, and the caller's way to load and store. Rank-local. Unless a
 * line says otherwise, functions that return hb_status return errors of the evaluator (scheme/evaluator.h), with those
 * of its engine. */
#ifndef HB_LANG_RUN_RUNNER_H
#define HB_LANG_RUN_RUNNER_H

#include "lang/program/program.h"
#include "scheme/block_shelf.h"
#include "scheme/evaluator.h"

/* Where columns come from and go to. first: the first row block; the batch says how many. load_plain: encoded
 * plaintexts. Called in the thread of the run; work on the runner's queue, in its order, needs no
 * waiting. */
typedef struct hb_runner_io {
    hb_status (*load)(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to);
    hb_status (*load_plain)(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to);
    hb_status (*store)(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from);
    void *context;
} hb_runner_io;

/* Who counts the work of a run. Called in the thread of the run, with the work (cost/program_cost.h) that the queue
 * has done, never before that: of instructions, and on the host also of steps of a long one. step: the one that was
 * done, of which the work may be 0; NULL: no instruction is under way. NULL: nothing is counted. */
typedef struct hb_runner_meter {
    void (*worked)(void *context, uint64_t work, const hb_op_step *step);
    void *context;
} hb_runner_meter;

/* The program that a runner runs, with its setting; all but io is borrowed. All runners of a job may read the keys. */
typedef struct hb_runner_setting {
    const hb_params *params;
    const hb_switch_keys *keys;
    const hb_program *program;
    size_t count; /* row blocks at a time, at most; 1 or more */
    hb_runner_io io;
    /* Called after each operation, in the thread of the run, with its times (hb_now); NULL: not called. */
    void (*executed)(hb_opcode op, double begun, double ended);
    hb_runner_meter meter;
    hb_block_shelf *shelf; /* of matrices that earlier runners left; those of this one go there; NULL: none */
    const uint8_t *own; /* [register_count] 1: a total of which this runner has its own, where it shares others; NULL:
                         * none */
} hb_runner_setting;

typedef struct hb_runner hb_runner;

/* Opens a runner on a queue, which it borrows. It shares totals with `of`, another runner of the same program, or of
 * the one whose totals' instructions alone it has (hb_totals_alone), on another queue (NULL: it is the first), which is
 * closed after this one. Errors are those of hb_evaluator_open and hb_codec_open. */
hb_status hb_runner_open(hb_engine *engine, const hb_runner_setting *setting, hb_runner *of, hb_runner **out);
void hb_runner_close(hb_runner *runner);
/* Return the most bytes of the engine's memory. First: of one runner, with the prepared form of each key that the
 * program asks for, and with totals, although runners share them; own: with these of them alone, of a runner that is
 * not the first, as the setting has them (NULL: all). Second: of the linear maps and matrices that the first runner
 * holds for all. */
uint64_t hb_runner_bytes(const hb_params *params, const hb_program *program, size_t count, const uint8_t *own);
uint64_t hb_runner_shared_bytes(const hb_params *params, const hb_program *program);

/* The observer that looks at each resume point of the row instructions (program.h), where the queue may not have come
 * to yet: any status but HB_OK ends the run there. */
typedef struct hb_runner_watch {
    hb_status (*look)(void *context, const hb_resume_point *point);
    void *context;
} hb_runner_watch;
/* Makes the runner call the observer from now on. Where passes accumulate and have resume points, new sums then stay
 * apart from the runner's earlier ones until the caller settles them. HB_ENOMEM. The other function returns the bytes
 * of the engine's memory for this. */
hb_status hb_runner_watch_rows(hb_runner *runner, hb_runner_watch watch);
uint64_t hb_runner_watch_bytes(const hb_params *params, const hb_program *program);
/* Continues hb_runner_rows behind a resume point, at instruction `at`. The caller has put the live values
 * (resume_points.h) of row blocks first .. first + count - 1 into the registers; columns are loaded again. Errors as of
 * hb_runner_rows, and HB_ENOMEM. */
hb_status hb_runner_rows_from(hb_runner *runner, uint32_t pass, uint32_t at, uint64_t first, size_t count);
/* Row instructions of a pass on row blocks first .. first + count. `first` is a multiple of the program's row blocks
 * together (hb_program_blocks_together), and so is `count`, but at the end of the table. Their sums stay
 * with this runner. Errors are also those of the caller's loads, stores and looks; HB_EDATA where a key is missing. */
static inline hb_status hb_runner_rows(hb_runner *runner, uint32_t pass, uint64_t first, size_t count)
{
    return hb_runner_rows_from(runner, pass, 0, first, count);
}
/* Tells the meter of all work so far, as the caller has waited for the queue, and of `blocks` row blocks of a pass that
 * an earlier run did. A run that goes on from a resume point tells it of the instructions before that, too. */
void hb_runner_worked(hb_runner *runner, uint32_t pass, uint64_t blocks);
/* Returns a register as it is for `count` row blocks. */
hb_ciphertexts hb_runner_register(const hb_runner *runner, uint32_t i, size_t count);
/* Returns the sums since the last settling, one ciphertext; no data: nothing stays apart. */
hb_ciphertexts hb_runner_unsettled(const hb_runner *runner, uint32_t total);
/* Adds the sums that stay apart to the runner's sums of the pass, or with `keep` false forgets them. */
hb_status hb_runner_settle(hb_runner *runner, uint32_t pass, bool keep);

/* Gives the sum that this runner accumulated in the pass for register `total`, zeros without any. One ciphertext,
 * canonical, for the caller to add up: over runners (hb_runner_add), over ranks (words mod q_i). */
hb_status hb_runner_accumulated(hb_runner *runner, uint32_t total, hb_ciphertexts *out);
/* Adds to the runner's own sums of the pass those of `more`, a runner on another queue, which may change them once this
 * has returned. Waits for both queues. */
hb_status hb_runner_add(hb_runner *runner, const hb_runner *more, uint32_t pass);
/* After the sums of all are in this runner: the totals' instructions of the pass, which begin in the first runner with
 * the sums; then `count` of the instructions from `first` on, HB_ALL_TOTALS: of all, in any runner that shares its
 * totals. They are then there for all. Wait. */
#define HB_ALL_TOTALS UINT32_MAX
hb_status hb_runner_totals_begin(hb_runner *runner, uint32_t pass);
hb_status hb_runner_totals_some(hb_runner *runner, uint32_t pass, uint32_t first, uint32_t count);
static inline hb_status hb_runner_totals(hb_runner *runner, uint32_t pass)
{
    HB_TRY(hb_runner_totals_begin(runner, pass));
    return hb_runner_totals_some(runner, pass, 0, HB_ALL_TOTALS);
}

#endif
