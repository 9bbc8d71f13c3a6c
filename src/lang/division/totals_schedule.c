#include "totals_schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lang/cost/program_cost.h"
#include "lang/cost/rates.h"
#include "totals_work.h"

/* A trial: values with so many readers are staged, and sums of so many columns merge in one share. */
typedef struct trial {
    uint32_t staged_from;
    uint64_t block;
} trial;

/* The state of a trial; arrays have an entry a task where nothing else is said. */
typedef struct scheduler {
    const hb_totals_graph *g;
    hb_totals_lanes lanes;
    trial now;
    hb_totals_schedule *s;
    uint64_t *work;   /* of a cluster at its first task; of a task before that */
    uint32_t *parent; /* in its cluster, an earlier task or itself */
    uint32_t *order;  /* tasks that are no loads, cluster by cluster */
    uint32_t task_count;
    uint32_t *block;       /* of a store that merges; else HB_NOWHERE */
    uint32_t *block_stage; /* of a block, and ... */
    uint32_t *block_task;  /* ... its first store */
    uint64_t *first_block; /* of an output: its first block */
    uint8_t *every;        /* each rank computes it */
    hb_totals_end *ends;   /* of an output */
    uint8_t *stored;       /* of an output: the pass stores it */
    uint64_t *loads;       /* [ranks * workers] work in the stage */
    uint64_t *own;         /* [ranks] of the values that a cluster reads, what would be moved were they not there */
} scheduler;

/* --- stages */

static bool is_task_of_pass(const scheduler *x, uint32_t u)
{
    return u != HB_NOWHERE && !x->g->tasks[u].load;
}

static bool is_staged(const scheduler *x, uint32_t v)
{
    const hb_totals_value *value = &x->g->values[v];
    return value->readers >= x->now.staged_from || x->every[value->maker];
}

/* A total that is loaded and that later passes read is loaded by every rank. */
static bool must_be_everywhere(const scheduler *x, uint32_t u)
{
    return hb_operations[x->g->pass->totals[x->g->tasks[u].first].op].loads;
}

/* Whether the values of a task that are staged take less to make on every rank than to move. */
static bool is_cheap(const scheduler *x, uint32_t u)
{
    const hb_totals_task *task = &x->g->tasks[u];
    uint64_t saved = 0;
    for (uint32_t i = task->first; i < task->first + task->count; i++) {
        const uint32_t v = x->g->made[i];
        if (v == HB_NOWHERE) {
            return false;
        }
        saved += x->g->values[v].readers >= x->now.staged_from || x->g->values[v].outlives ? x->g->values[v].moving : 0;
    }
    return x->lanes.ranks > 1 && task->work <= saved;
}

static void find_stage(scheduler *x, uint32_t u)
{
    const hb_totals_task *task = &x->g->tasks[u];
    bool from_everywhere = true;
    uint32_t stage = 0;
    for (uint32_t k = 0; k < task->read_count; k++) {
        const uint32_t v = x->g->reads[task->reads + k], maker = x->g->values[v].maker;
        if (is_task_of_pass(x, maker)) {
            const uint32_t least = x->s->stage[maker] + is_staged(x, v);
            stage = least > stage ? least : stage;
            from_everywhere = from_everywhere && x->every[maker];
        }
    }
    x->s->stage[u] = stage;
    x->every[u] = must_be_everywhere(x, u) || (from_everywhere && is_cheap(x, u));
}

/* Numbers the blocks of stores, all of which are in the stage of the last. The pass stores whole outputs, so there are
 * no more blocks than stores. */
static void find_blocks(scheduler *x)
{
    const hb_totals_graph *g = x->g;
    uint64_t first = 0;
    memset(x->block_task, 0xff, (g->task_count + (size_t)1) * sizeof *x->block_task);
    memset(x->block_stage, 0, (g->task_count + (size_t)1) * sizeof *x->block_stage);
    for (uint32_t o = 0; o < g->program->output_count; o++) {
        const bool blocks = x->stored[o] != 0 && x->s->blocks[o] > 1;
        x->first_block[o] = first;
        first += blocks ? hb_divide_up(g->program->outputs[o].schema.columns, x->s->blocks[o]) : 0;
    }
    for (uint32_t u = 0; u < g->task_count; u++) {
        const uint32_t o = g->tasks[u].output;
        if (o != HB_NOWHERE && x->s->blocks[o] > 1) {
            const uint64_t b = x->first_block[o] + g->tasks[u].column / x->s->blocks[o];
            x->block[u] = (uint32_t)b;
            x->block_task[b] = x->block_task[b] == HB_NOWHERE ? u : x->block_task[b];
            x->block_stage[b] = x->s->stage[u] > x->block_stage[b] ? x->s->stage[u] : x->block_stage[b];
        }
    }
    for (uint32_t u = 0; u < g->task_count; u++) {
        x->s->stage[u] = x->block[u] != HB_NOWHERE ? x->block_stage[x->block[u]] : x->s->stage[u];
    }
}

static void find_stages(scheduler *x)
{
    const hb_totals_graph *g = x->g;
    memset(x->every, 0, g->task_count + (size_t)1);
    memset(x->block, 0xff, (g->task_count + (size_t)1) * sizeof *x->block);
    for (uint32_t o = 0; o < g->program->output_count; o++) {
        x->ends[o] = hb_totals_end_of(g, o, x->now.block, x->lanes.ranks > 1);
        x->s->blocks[o] = x->ends[o].block;
    }
    for (uint32_t u = 0; u < g->task_count; u++) {
        if (is_task_of_pass(x, u)) {
            find_stage(x, u);
        }
    }
    find_blocks(x);
    x->s->stages = 0;
    for (uint32_t u = 0; u < g->task_count; u++) {
        const bool counts = is_task_of_pass(x, u) && x->s->stage[u] >= x->s->stages;
        x->s->stages = counts ? x->s->stage[u] + 1 : x->s->stages;
    }
}

/* --- clusters */

static uint32_t root_of(scheduler *x, uint32_t u)
{
    while (x->parent[u] != u) {
        x->parent[u] = x->parent[x->parent[u]];
        u = x->parent[u];
    }
    return u;
}

static void join(scheduler *x, uint32_t a, uint32_t b)
{
    a = root_of(x, a);
    b = root_of(x, b);
    x->parent[a > b ? a : b] = a < b ? a : b;
}

/* Returns the work of a task in its share: of a store without that at the end. */
static uint64_t work_of(const scheduler *x, uint32_t u)
{
    const hb_totals_task *task = &x->g->tasks[u];
    const hb_output *output = task->output != HB_NOWHERE ? &x->g->program->outputs[task->output] : NULL;
    if (output == NULL || !hb_totals_merge(output)) {
        return task->work;
    }
    const uint64_t later = x->ends[task->output].merging / output->schema.columns;
    return task->work > later ? task->work - later : 1;
}

static void find_clusters(scheduler *x)
{
    const hb_totals_graph *g = x->g;
    for (uint32_t u = 0; u < g->task_count; u++) {
        x->parent[u] = u;
        x->work[u] = 0;
    }
    for (uint32_t u = 0; u < g->task_count; u++) {
        const hb_totals_task *task = &g->tasks[u];
        for (uint32_t k = 0; k < task->read_count && is_task_of_pass(x, u) && !x->every[u]; k++) {
            const uint32_t v = g->reads[task->reads + k], maker = g->values[v].maker;
            if (is_task_of_pass(x, maker) && !is_staged(x, v) && x->s->stage[maker] == x->s->stage[u]) {
                join(x, u, maker);
            }
        }
        if (x->block[u] != HB_NOWHERE) {
            join(x, u, x->block_task[x->block[u]]);
        }
    }
    x->task_count = 0;
    for (uint32_t u = 0; u < g->task_count; u++) {
        if (is_task_of_pass(x, u)) {
            x->work[root_of(x, u)] += work_of(x, u);
            x->order[x->task_count++] = u;
        }
    }
}

/* An entry of the order, with what it is sorted by. */
typedef struct place {
    uint32_t stage, root, task;
    uint64_t work;
} place;

static int compare(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->stage != y->stage) {
        return x->stage < y->stage ? -1 : 1;
    }
    if (x->work != y->work) {
        return x->work > y->work ? -1 : 1;
    }
    if (x->root != y->root) {
        return x->root < y->root ? -1 : 1;
    }
    return (x->task > y->task) - (x->task < y->task);
}

static hb_status sort_tasks(scheduler *x)
{
    place *places = calloc(x->task_count + (size_t)1, sizeof *places);
    if (places == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the order of %u tasks", x->task_count);
    }
    for (uint32_t i = 0; i < x->task_count; i++) {
        const uint32_t u = x->order[i], root = root_of(x, u);
        places[i] = (place){x->s->stage[u], root, u, x->work[root]};
    }
    qsort(places, x->task_count, sizeof *places, compare);
    for (uint32_t i = 0; i < x->task_count; i++) {
        x->order[i] = places[i].task;
    }
    free(places);
    return HB_OK;
}

/* --- lanes */

/* Sets x->own to what the values that a cluster reads would save on the rank that has each; returns their sum. The
 * values are those of other clusters that are not moved yet. */
static uint64_t find_own(scheduler *x, uint32_t first, uint32_t count)
{
    const hb_totals_graph *g = x->g;
    uint64_t sum = 0;
    memset(x->own, 0, x->lanes.ranks * sizeof *x->own);
    for (uint32_t i = first; i < first + count; i++) {
        const hb_totals_task *task = &g->tasks[x->order[i]];
        for (uint32_t k = 0; k < task->read_count; k++) {
            const uint32_t v = g->reads[task->reads + k], maker = g->values[v].maker;
            if (is_task_of_pass(x, maker) && !x->every[maker] && !x->s->moved[v] &&
                root_of(x, maker) != root_of(x, x->order[first])) {
                x->own[x->s->rank[maker]] += g->values[v].moving;
                sum += g->values[v].moving;
            }
        }
    }
    return sum;
}

/* Gives a cluster to a lane, and returns the work of bringing values there. */
static uint64_t give(scheduler *x, uint32_t first, uint32_t count, uint32_t lane)
{
    const hb_totals_graph *g = x->g;
    const uint32_t rank = lane / x->lanes.workers;
    uint64_t moves = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t u = x->order[i];
        const hb_totals_task *task = &g->tasks[u];
        x->s->rank[u] = rank;
        x->s->worker[u] = lane % x->lanes.workers;
        for (uint32_t k = 0; k < task->read_count; k++) {
            const uint32_t v = g->reads[task->reads + k], maker = g->values[v].maker;
            if (is_task_of_pass(x, maker) && !x->every[maker] && !x->s->moved[v] &&
                root_of(x, maker) != root_of(x, u) && x->s->rank[maker] != rank) {
                x->s->moved[v] = 1;
                moves += g->values[v].moving;
            }
        }
    }
    return moves;
}

/* Finds the lane that would end a cluster first, the first of equals. */
static uint32_t best_lane(scheduler *x, uint32_t first, uint32_t count)
{
    const uint64_t sum = find_own(x, first, count);
    const uint32_t lanes = x->lanes.ranks * x->lanes.workers;
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t l = 0; l < lanes; l++) {
        const uint64_t end = x->loads[l] + sum - x->own[l / x->lanes.workers];
        best = end < least ? l : best;
        least = end < least ? end : least;
    }
    return best;
}

/* Gives the tasks of a stage, x->order[first .. first + count), to lanes; returns the predicted work of the lane with
 * most and of moves before it. */
static uint64_t fill_stage(scheduler *x, uint32_t first, uint32_t count)
{
    const uint32_t lanes = x->lanes.ranks * x->lanes.workers;
    uint64_t moves = 0, most = 0;
    memset(x->loads, 0, lanes * sizeof *x->loads);
    for (uint32_t i = first, tasks; i < first + count; i += tasks) {
        const uint32_t root = root_of(x, x->order[i]);
        tasks = 1;
        if (x->every[x->order[i]]) {
            x->s->rank[x->order[i]] = HB_EVERY_RANK;
            x->s->worker[x->order[i]] = 0;
            for (uint32_t r = 0; r < x->lanes.ranks; r++) {
                x->loads[r * x->lanes.workers] += x->work[root];
            }
            continue;
        }
        while (i + tasks < first + count && root_of(x, x->order[i + tasks]) == root) {
            tasks++;
        }
        const uint32_t lane = best_lane(x, i, tasks);
        moves += give(x, i, tasks, lane);
        x->loads[lane] += x->work[root];
    }
    for (uint32_t l = 0; l < lanes; l++) {
        most = x->loads[l] > most ? x->loads[l] : most;
    }
    return most + moves;
}

/* Totals that later passes read are brought to all ranks. */
static uint64_t move_lasting(scheduler *x)
{
    uint64_t moves = 0;
    for (uint32_t v = 0; v < x->g->value_count && x->lanes.ranks > 1; v++) {
        const hb_totals_value *value = &x->g->values[v];
        if (value->outlives && is_task_of_pass(x, value->maker) && !x->every[value->maker] && !x->s->moved[v]) {
            x->s->moved[v] = 1;
            moves += value->moving;
        }
    }
    return moves;
}

/* --- memory */

static uint64_t words_of(const hb_register *r)
{
    return (uint64_t)r->size * r->limbs;
}

/* Whether the values that need registers for themselves take no more than all totals do without that. */
static bool fits(const scheduler *x)
{
    const hb_totals_graph *g = x->g;
    uint64_t more = 0, there = 0;
    for (uint32_t r = 0; r < g->program->register_count; r++) {
        there += g->program->registers[r].total ? words_of(&g->program->registers[r]) : 0;
    }
    for (uint32_t v = 0; v < g->value_count; v++) {
        const hb_totals_value *value = &g->values[v];
        if (is_task_of_pass(x, value->maker) && !value->kept && value->readers > 0 && is_staged(x, v)) {
            more += words_of(&g->program->registers[value->total]);
        }
    }
    return more <= there;
}

/* --- trials */

static hb_status try_one(scheduler *x, trial now, uint64_t *most)
{
    hb_totals_schedule *s = x->s;
    x->now = now;
    *most = UINT64_MAX;
    find_stages(x);
    if (!fits(x)) {
        return HB_OK;
    }
    find_clusters(x);
    HB_TRY(sort_tasks(x));
    memset(s->moved, 0, x->g->value_count + (size_t)1);
    uint64_t sum = 0;
    for (uint32_t i = 0, count; i < x->task_count; i += count) {
        count = 1;
        while (i + count < x->task_count && s->stage[x->order[i + count]] == s->stage[x->order[i]]) {
            count++;
        }
        sum += fill_stage(x, i, count) + (uint64_t)(HB_WORK_PARTS * HB_RATE_STAGE);
    }
    sum += move_lasting(x);
    for (uint32_t o = 0; o < x->g->program->output_count; o++) {
        sum += x->stored[o] != 0 ? x->ends[o].all : 0;
    }
    s->most = *most = sum;
    return HB_OK;
}

/* The largest number of columns that merge in one share. */
static uint64_t most_columns(const scheduler *x)
{
    const hb_totals_graph *g = x->g;
    uint64_t most = 1;
    for (uint32_t o = 0; o < g->program->output_count; o++) {
        const hb_output *output = &g->program->outputs[o];
        if (hb_totals_merge(output) && x->stored[o] != 0) {
            most = output->schema.columns > most ? output->schema.columns : most;
        }
    }
    return most;
}

/* Tries blocks of 1, 4, 16 .. columns, with one number of readers from which on values are staged. */
static hb_status try_blocks(scheduler *x, uint32_t staged_from, trial *best, uint64_t *least)
{
    const uint64_t columns = most_columns(x);
    for (uint64_t block = 1; block == 1 || block < columns; block *= 4) {
        const trial now = {staged_from, block};
        uint64_t most;
        HB_TRY(try_one(x, now, &most));
        if (most < *least) {
            *least = most;
            *best = now;
        }
    }
    return HB_OK;
}

static hb_status try_all(scheduler *x, bool *found)
{
    const hb_totals_graph *g = x->g;
    const uint64_t alone = hb_instructions_work(g->params, g->program, g->pass->totals, g->pass->total_count);
    uint64_t least = alone - alone / HB_WORK_PARTS, again;
    trial best = {0, 0};
    uint32_t most_readers = 1;
    for (uint32_t v = 0; v < g->value_count; v++) {
        most_readers = g->values[v].readers > most_readers ? g->values[v].readers : most_readers;
    }
    HB_TRY(try_blocks(x, HB_NOWHERE, &best, &least));
    for (uint32_t staged_from = (uint32_t)1 << (hb_bit_length(most_readers) - 1); staged_from > 1; staged_from /= 2) {
        HB_TRY(try_blocks(x, staged_from, &best, &least));
    }
    *found = best.block > 0;
    return *found ? try_one(x, best, &again) : HB_OK;
}

static hb_status allocate(scheduler *x)
{
    const size_t tasks = x->g->task_count + (size_t)1, values = x->g->value_count + (size_t)1;
    const size_t lanes = (size_t)x->lanes.ranks * x->lanes.workers;
    hb_totals_schedule *s = x->s;
    uint32_t **arrays[] = {&s->stage, &s->rank,  &s->worker,      &x->parent,
                           &x->order, &x->block, &x->block_stage, &x->block_task};
    bool all = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = calloc(tasks, sizeof **arrays[i]);
        all = all && *arrays[i] != NULL;
    }
    s->moved = calloc(values, 1);
    s->blocks = calloc(x->g->program->output_count + (size_t)1, sizeof *s->blocks);
    x->work = calloc(tasks, sizeof *x->work);
    x->every = calloc(tasks, 1);
    x->loads = calloc(lanes, sizeof *x->loads);
    x->own = calloc(x->lanes.ranks, sizeof *x->own);
    x->stored = calloc(x->g->program->output_count + (size_t)1, 1);
    x->first_block = calloc(x->g->program->output_count + (size_t)1, sizeof *x->first_block);
    x->ends = calloc(x->g->program->output_count + (size_t)1, sizeof *x->ends);
    if (!all || !s->moved || !s->blocks || !x->work || !x->every || !x->loads || !x->own || !x->stored ||
        !x->first_block || !x->ends) {
        return HB_FAIL(HB_ENOMEM, "no memory for the schedule of %u tasks", x->g->task_count);
    }
    for (uint32_t u = 0; u < x->g->task_count; u++) {
        if (x->g->tasks[u].output != HB_NOWHERE) {
            x->stored[x->g->tasks[u].output] = 1;
        }
    }
    return HB_OK;
}

hb_status hb_totals_schedule_find(hb_totals_schedule *schedule, const hb_totals_graph *g, hb_totals_lanes lanes,
                                  bool *found)
{
    scheduler x = {.g = g, .lanes = lanes, .s = schedule};
    *schedule = (hb_totals_schedule){.stage = NULL};
    *found = false;
    hb_status st = allocate(&x);
    if (st == HB_OK && !g->whole && lanes.ranks * lanes.workers > 1) {
        st = try_all(&x, found);
    }
    free(x.work);
    free(x.parent);
    free(x.order);
    free(x.block);
    free(x.block_stage);
    free(x.block_task);
    free(x.every);
    free(x.loads);
    free(x.own);
    free(x.stored);
    free(x.first_block);
    free(x.ends);
    return st;
}
