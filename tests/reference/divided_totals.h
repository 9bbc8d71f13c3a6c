/* A program on lanes: as many runners as ranks with workers have, in one process. Each rank has all sums of rows;
 * shares of totals are computed one after another, and totals that move are copied from rank to rank. */
#ifndef HB_TESTS_DIVIDED_TOTALS_H
#define HB_TESTS_DIVIDED_TOTALS_H

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/division/division.h"
#include "lang/run/runner.h"

enum { LANE_RANKS = 3, LANE_WORKERS = 2 };

typedef struct lanes {
    hb_runner *runner[LANE_RANKS][LANE_WORKERS];
    const hb_totals_division *division;
    uint32_t shares; /* that were computed, of passes that are divided */
} lanes;

/* The first worker of each rank computes rows, too; a second one has totals alone. */
static inline void lanes_open(lanes *x, hb_engine *engine, hb_runner_setting setting,
                              const hb_totals_division *division)
{
    *x = (lanes){.division = division};
    for (int r = 0; r < LANE_RANKS; r++) {
        assert_int_equal(hb_runner_open(engine, &setting, NULL, &x->runner[r][0]), HB_OK);
        hb_runner_setting totals = setting;
        totals.program = &division->alone;
        totals.count = 1;
        totals.own = division->own;
        assert_int_equal(hb_runner_open(engine, &totals, x->runner[r][0], &x->runner[r][1]), HB_OK);
    }
}

static inline void lanes_close(lanes *x)
{
    for (int r = 0; r < LANE_RANKS; r++) {
        hb_runner_close(x->runner[r][1]);
        hb_runner_close(x->runner[r][0]);
    }
}

static inline void lanes_move(lanes *x, const hb_totals_move *move)
{
    const hb_batch from = hb_runner_register(x->runner[move->rank][0], move->total, 1).all;
    for (uint32_t r = 0; r < LANE_RANKS; r++) {
        const hb_batch to = hb_runner_register(x->runner[r][0], move->total, 1).all;
        if (r != move->rank) {
            memcpy(to.data, from.data, from.count * from.stride * sizeof *from.data);
        }
    }
}

/* Shares of a stage run in the order that is not that of the list: ranks and workers backwards. */
static inline void lanes_stage(lanes *x, uint32_t pass, const hb_pass_division *d, uint32_t stage)
{
    for (uint32_t s = d->share_count; s-- > 0;) {
        const hb_totals_share *share = &d->shares[s];
        for (uint32_t r = 0; r < LANE_RANKS && share->stage == stage; r++) {
            if (share->rank == r || share->rank == HB_EVERY_RANK) {
                x->shares++;
                assert_int_equal(hb_runner_totals_some(x->runner[r][share->worker], pass, share->first, share->count),
                                 HB_OK);
            }
        }
    }
    for (uint32_t m = 0; m < d->move_count; m++) {
        if (d->moves[m].stage == stage) {
            lanes_move(x, &d->moves[m]);
        }
    }
}

/* The totals of a pass, of which each rank has the sums. Stores of passes that are not divided come from the first rank
 * alone. */
static inline void lanes_totals(lanes *x, uint32_t pass, void (*quiet)(void *context, bool on), void *context)
{
    const hb_pass_division *d = hb_totals_division_of(x->division, pass);
    for (int r = 0; r < LANE_RANKS; r++) {
        quiet(context, d == NULL && r > 0);
        assert_int_equal(
            d != NULL ? hb_runner_totals_begin(x->runner[r][0], pass) : hb_runner_totals(x->runner[r][0], pass), HB_OK);
    }
    quiet(context, false);
    for (uint32_t stage = 0; d != NULL && stage < d->stages; stage++) {
        lanes_stage(x, pass, d, stage);
    }
}

/* Digests of what a run has stored, against which those of a divided run are held. */
typedef struct stored_words {
    uint64_t *digest; /* [outputs * columns * blocks], owned */
    size_t columns, blocks;
    size_t stores;
    bool again, quiet; /* they are compared; nothing is noted */
    uint32_t shares;   /* of all runs that were divided */
} stored_words;

/* Begins with a run of a program; run_divided ends. */
static inline void begin_stored(stored_words *x, const hb_program *program, size_t blocks)
{
    *x = (stored_words){.columns = 1, .blocks = blocks, .shares = x->shares};
    for (uint32_t i = 0; i < program->output_count; i++) {
        const size_t columns = program->outputs[i].schema.columns;
        x->columns = columns > x->columns ? columns : x->columns;
    }
    x->digest = calloc(program->output_count * x->columns * blocks, sizeof *x->digest);
    assert_non_null(x->digest);
}

static inline void be_quiet(void *context, bool on)
{
    ((stored_words *)context)->quiet = on;
}

/* Notes or compares a ciphertext of an output. Returns whether it is to be looked at further. */
static inline bool note_stored(stored_words *x, uint32_t output, uint32_t column, uint64_t block, hb_ciphertexts from,
                               size_t i)
{
    uint64_t digest = UINT64_C(14695981039346656037);
    if (x->quiet) {
        return false;
    }
    assert_true(column < x->columns && block < x->blocks);
    for (uint32_t c = 0; c < from.size; c++) {
        const hb_batch a = hb_batch_slice(hb_ciphertexts_component(from, c), i, 1);
        for (size_t w = 0; w < a.stride; w++) {
            digest = (digest ^ a.data[w]) * UINT64_C(1099511628211);
        }
    }
    uint64_t *place = &x->digest[(output * x->columns + column) * x->blocks + block];
    x->stores++;
    if (x->again) {
        assert_int_equal(*place, digest);
    }
    *place = digest;
    return !x->again;
}

/* The same for ciphertexts of blocks `first` and further. */
static inline bool note_all_stored(stored_words *x, uint32_t output, uint32_t column, uint64_t first,
                                   hb_ciphertexts from)
{
    bool looks = false;
    for (size_t i = 0; i < hb_ciphertexts_count(from); i++) {
        looks = note_stored(x, output, column, first + i, from, i);
    }
    return looks;
}

/* Runs a program that was run before once more, its totals divided. */
static inline void run_divided(hb_engine *engine, const hb_params *params, hb_program *program,
                               hb_runner_setting setting, size_t blocks, stored_words *words)
{
    hb_totals_division division;
    lanes x;
    const size_t before = words->stores;
    words->stores = 0;
    words->again = true;
    assert_int_equal(
        hb_totals_divide(&division, params, program, (hb_totals_lanes){.ranks = LANE_RANKS, .workers = LANE_WORKERS}),
        HB_OK);
    lanes_open(&x, engine, setting, &division);
    for (uint32_t pass = 0; pass < program->pass_count; pass++) {
        for (int r = 0; r < LANE_RANKS; r++) {
            words->quiet = r > 0;
            for (size_t first = 0; first < blocks; first += setting.count) {
                const size_t count = blocks - first < setting.count ? blocks - first : setting.count;
                assert_int_equal(hb_runner_rows(x.runner[r][0], pass, first, count), HB_OK);
            }
        }
        lanes_totals(&x, pass, be_quiet, words);
    }
    assert_int_equal(words->stores, before);
    lanes_close(&x);
    hb_totals_division_clear(&division);
    free(words->digest);
    words->shares += x.shares;
}

#endif
