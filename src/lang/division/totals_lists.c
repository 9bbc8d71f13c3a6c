#include "totals_lists.h"

#include <stdlib.h>
#include <string.h>

/* Arrays have an entry a value where nothing else is said. */
typedef struct maker {
    const hb_totals_graph *g;
    const hb_totals_schedule *s;
    hb_totals_lists *lists;
    hb_totals_pool *pool;
    uint32_t *share; /* of a task that is no load */
    uint32_t *last;  /* the last stage that reads a value */
    uint8_t *common; /* another share than that of its maker reads it */
    uint32_t *total; /* its register in the new list */
    uint32_t *order; /* [tasks] those of a share, and the loads for them */
    uint8_t *loaded; /* of a task: it is in the share */
} maker;

static bool is_task_of_pass(const maker *x, uint32_t u)
{
    return u != HB_NOWHERE && !x->g->tasks[u].load;
}

/* --- shares */

/* The place of a task among the shares: stage, then those of every rank, then by rank and worker. */
typedef struct place {
    uint32_t stage, rank, worker, task;
} place;

static int compare(const void *a, const void *b)
{
    const place *x = a, *y = b;
    const uint32_t mine[] = {x->stage, x->rank + 1, x->worker, x->task};
    const uint32_t other[] = {y->stage, y->rank + 1, y->worker, y->task};
    for (int i = 0; i < 4; i++) { /* HB_EVERY_RANK + 1 is 0 */
        if (mine[i] != other[i]) {
            return mine[i] < other[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool same_share(const place *x, const place *y)
{
    return x->stage == y->stage && x->rank == y->rank && x->worker == y->worker;
}

/* Sorts the tasks into shares. The order is that of the list within each. */
static hb_status find_shares(maker *x, place *places, uint32_t *count)
{
    const hb_totals_graph *g = x->g;
    hb_pass_division *d = &x->lists->division;
    *count = 0;
    for (uint32_t u = 0; u < g->task_count; u++) {
        if (is_task_of_pass(x, u)) {
            places[(*count)++] = (place){x->s->stage[u], x->s->rank[u], x->s->worker[u], u};
        }
    }
    qsort(places, *count, sizeof *places, compare);
    d->shares = calloc(*count + (size_t)1, sizeof *d->shares);
    if (d->shares == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the shares of %u tasks", *count);
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (i == 0 || !same_share(&places[i - 1], &places[i])) {
            d->shares[d->share_count++] =
                (hb_totals_share){.stage = places[i].stage, .rank = places[i].rank, .worker = places[i].worker};
        }
        x->share[places[i].task] = d->share_count - 1;
    }
    return HB_OK;
}

/* --- registers */

/* Notes the values that go from one share to another. */
static void find_common(maker *x)
{
    const hb_totals_graph *g = x->g;
    for (uint32_t u = 0; u < g->task_count; u++) {
        const hb_totals_task *task = &g->tasks[u];
        for (uint32_t k = 0; k < task->read_count && is_task_of_pass(x, u); k++) {
            const uint32_t v = g->reads[task->reads + k], from = g->values[v].maker;
            if (is_task_of_pass(x, from) && x->share[from] != x->share[u]) {
                x->common[v] = 1;
                x->last[v] = x->s->stage[u] > x->last[v] ? x->s->stage[u] : x->last[v];
            }
        }
    }
}

static bool is_like(const hb_register *a, const hb_register *b)
{
    return a->plain == b->plain && a->size == b->size && a->limbs == b->limbs;
}

/* Takes a register of the pool for a value, from the stage that makes it to the last that reads it. */
static hb_status take(maker *x, uint32_t v)
{
    hb_totals_pool *pool = x->pool;
    const hb_totals_value *value = &x->g->values[v];
    const hb_register *kind = &x->g->program->registers[value->total];
    const uint32_t stage = x->s->stage[value->maker];
    uint32_t i = 0;
    while (i < pool->count && !(is_like(&pool->registers[i], kind) && pool->busy[i] <= stage)) {
        i++;
    }
    if (i == pool->capacity) {
        const uint32_t capacity = 2 * pool->capacity + 16;
        hb_register *registers = realloc(pool->registers, capacity * sizeof *registers);
        pool->registers = registers != NULL ? registers : pool->registers;
        uint32_t *busy = realloc(pool->busy, capacity * sizeof *busy);
        pool->busy = busy != NULL ? busy : pool->busy;
        if (registers == NULL || busy == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the registers of totals");
        }
        pool->capacity = capacity;
    }
    if (i == pool->count) {
        pool->registers[pool->count++] = (hb_register){.total = true, .size = kind->size, .limbs = kind->limbs};
    }
    pool->busy[i] = x->last[v] + 1;
    x->total[v] = pool->first + i;
    return HB_OK;
}

static hb_status find_registers(maker *x)
{
    const hb_totals_graph *g = x->g;
    for (uint32_t i = 0; i < x->pool->count; i++) {
        x->pool->busy[i] = 0;
    }
    find_common(x);
    for (uint32_t v = 0; v < g->value_count; v++) {
        x->total[v] = g->values[v].total;
    }
    for (uint32_t stage = 0; stage < x->s->stages; stage++) {
        for (uint32_t v = 0; v < g->value_count; v++) {
            const hb_totals_value *value = &g->values[v];
            if (x->common[v] != 0 && !value->kept && x->s->stage[value->maker] == stage) {
                HB_TRY(take(x, v));
            }
        }
    }
    return HB_OK;
}

/* --- lists */

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Puts the tasks of a share into x->order, with the loads that they read, as they follow in the old list. */
static uint32_t order_share(maker *x, const place *places, uint32_t count)
{
    const hb_totals_graph *g = x->g;
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hb_totals_task *task = &g->tasks[places[i].task];
        x->order[all++] = places[i].task;
        for (uint32_t k = 0; k < task->read_count; k++) {
            const uint32_t from = g->values[g->reads[task->reads + k]].maker;
            if (from != HB_NOWHERE && g->tasks[from].load && x->loaded[from] == 0) {
                x->loaded[from] = 1;
                x->order[all++] = from;
            }
        }
    }
    qsort(x->order, all, sizeof *x->order, ascending);
    for (uint32_t i = 0; i < all; i++) {
        x->loaded[x->order[i]] = 0;
    }
    return all;
}

/* Writes an instruction of the old list to the end of the new one, with the registers of its values. */
static void write_instruction(maker *x, uint32_t at, bool first)
{
    const hb_totals_graph *g = x->g;
    hb_totals_lists *l = x->lists;
    const uint32_t *read = g->operands + g->first_operand[at];
    const size_t reads = g->first_operand[at + 1] - g->first_operand[at];
    hb_instruction *i = &l->instructions[l->count];
    *i = g->pass->totals[at];
    l->from[l->count++] = at;
    i->apart = first;
    if (g->made[at] != HB_NOWHERE) {
        i->to = (uint16_t)x->total[g->made[at]];
    }
    if (i->op == HB_OP_COMBINE) {
        for (size_t k = 0; k < reads; k++) {
            l->terms[l->term_count++] = (uint16_t)x->total[read[k]];
        }
        return;
    }
    i->a = reads > 0 ? (uint16_t)x->total[read[0]] : i->a;
    i->b = reads > 1 ? (uint16_t)x->total[read[1]] : i->b;
}

/* Each of a pair that is bootstrapped names the other's value. */
static void name_others(hb_instruction *first, uint32_t count)
{
    if (first->op == HB_OP_BOOTSTRAP && count == 2) {
        first[0].b = first[1].a;
        first[1].b = first[0].a;
    }
}

static void write_lists(maker *x, const place *places, uint32_t count)
{
    const hb_totals_graph *g = x->g;
    hb_totals_lists *l = x->lists;
    uint32_t at = 0;
    for (uint32_t s = 0; s < l->division.share_count; s++) {
        uint32_t tasks = 0;
        while (at + tasks < count && x->share[places[at + tasks].task] == s) {
            tasks++;
        }
        l->division.shares[s].first = l->count;
        const uint32_t all = order_share(x, places + at, tasks);
        for (uint32_t i = 0; i < all; i++) {
            const hb_totals_task *task = &g->tasks[x->order[i]];
            for (uint32_t k = 0; k < task->count; k++) {
                write_instruction(x, task->first + k, k == 0);
            }
            name_others(&l->instructions[l->count - task->count], task->count);
        }
        l->division.shares[s].count = l->count - l->division.shares[s].first;
        at += tasks;
    }
}

/* An upper bound of the instructions of the new list: loads come once with each instruction that reads them. */
static size_t most_instructions(const hb_totals_graph *g)
{
    size_t most = g->pass->total_count;
    for (uint32_t u = 0; u < g->task_count; u++) {
        most += g->tasks[u].load ? 0 : g->tasks[u].read_count;
    }
    return most;
}

static hb_status make_lists(maker *x)
{
    const hb_totals_graph *g = x->g;
    hb_totals_lists *l = x->lists;
    const size_t most = most_instructions(g) + 1, operands = g->first_operand[g->pass->total_count] + 1;
    place *places = calloc(g->task_count + (size_t)1, sizeof *places);
    uint32_t count;
    hb_status st;
    l->instructions = calloc(most, sizeof *l->instructions);
    l->from = calloc(most, sizeof *l->from);
    l->terms = calloc(operands, sizeof *l->terms);
    if (places == NULL || l->instructions == NULL || l->from == NULL || l->terms == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the lists of %u tasks", g->task_count));
    }
    HB_GOTO(find_shares(x, places, &count));
    HB_GOTO(find_registers(x));
    write_lists(x, places, count);
done:
    free(places);
    return st;
}

/* Lists the totals that move, by the stage that makes them. */
static hb_status list_moves(maker *x)
{
    const hb_totals_graph *g = x->g;
    hb_pass_division *d = &x->lists->division;
    d->moves = calloc(g->value_count + (size_t)1, sizeof *d->moves);
    if (d->moves == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the moves of %u totals", g->value_count);
    }
    for (uint32_t stage = 0; stage < x->s->stages; stage++) {
        for (uint32_t v = 0; v < g->value_count; v++) {
            const uint32_t from = g->values[v].maker;
            if (x->s->moved[v] != 0 && x->s->stage[from] == stage) {
                d->moves[d->move_count++] = (hb_totals_move){stage, x->s->rank[from], (uint16_t)x->total[v]};
            }
        }
    }
    return HB_OK;
}

/* Registers that only one share of a value knows are each worker's own. */
static void note_own(const maker *x, uint8_t *own)
{
    const hb_totals_graph *g = x->g;
    for (uint32_t v = 0; v < g->value_count; v++) {
        if (g->values[v].maker != HB_NOWHERE && !g->values[v].kept && x->total[v] == g->values[v].total) {
            own[g->values[v].total] = 1;
        }
    }
}

/* --- the check: every instruction finds its values */

typedef struct sight {
    uint32_t value, share; /* what is in a register, and who wrote it; HB_NOWHERE: it was there before */
} sight;

/* Whether a share sees the value that another wrote: made in an earlier stage, by the same rank or all of them, or
 * moved. */
static bool sees(const maker *x, const hb_totals_share *reader, sight there)
{
    const hb_totals_share *shares = x->lists->division.shares;
    if (there.share == HB_NOWHERE || &shares[there.share] == reader) {
        return true;
    }
    const hb_totals_share *writer = &shares[there.share];
    return writer->stage < reader->stage &&
           (writer->rank == HB_EVERY_RANK || writer->rank == reader->rank || x->s->moved[there.value] != 0);
}

/* Whether operand k of an instruction of a share is there. */
static bool finds(const maker *x, const sight *now, uint32_t share, uint32_t at, size_t k, uint16_t total,
                  const uint8_t *own)
{
    const hb_totals_graph *g = x->g;
    const uint32_t v = g->operands[g->first_operand[x->lists->from[at]] + k];
    const sight there = now[total];
    if (there.share == HB_NOWHERE) { /* nobody has written it in this pass */
        return g->values[v].maker == HB_NOWHERE && g->values[v].total == total;
    }
    return there.value == v && (own[total] == 0 || there.share == share) &&
           sees(x, &x->lists->division.shares[share], there);
}

static hb_status check_share(const maker *x, sight *now, uint32_t s, const uint8_t *own, size_t *term)
{
    const hb_totals_lists *l = x->lists;
    const hb_totals_share *share = &l->division.shares[s];
    for (uint32_t at = share->first; at < share->first + share->count; at++) {
        const hb_instruction *i = &l->instructions[at];
        const bool combines = i->op == HB_OP_COMBINE;
        const size_t reads = x->g->first_operand[l->from[at] + 1] - x->g->first_operand[l->from[at]];
        for (size_t k = 0; k < reads; k++) {
            const uint16_t total = combines ? l->terms[(*term)++] : k == 0 ? i->a : i->b;
            if (!finds(x, now, s, at, k, total, own)) {
                return HB_FAIL(HB_EINTERNAL, "the division of totals: instruction %u of share %u lacks a value",
                               at - share->first, s);
            }
        }
        if (x->g->made[l->from[at]] != HB_NOWHERE) {
            now[i->to] = (sight){x->g->made[l->from[at]], s};
        }
    }
    return HB_OK;
}

/* Shares of a stage run at the same time: what one writes, no other of them reads or writes, but in registers of its
 * own. */
static hb_status check(const maker *x, const uint8_t *own)
{
    const size_t registers = x->pool->first + (size_t)x->pool->count + 1;
    sight *now = malloc(registers * sizeof *now);
    size_t term = 0;
    if (now == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to check the division of totals");
    }
    memset(now, 0xff, registers * sizeof *now);
    hb_status st = HB_OK;
    for (uint32_t s = 0; st == HB_OK && s < x->lists->division.share_count; s++) {
        st = check_share(x, now, s, own, &term);
    }
    free(now);
    return st;
}

hb_status hb_totals_lists_make(hb_totals_lists *lists, const hb_totals_graph *g, hb_totals_schedule *schedule,
                               hb_totals_pool *pool, uint8_t *own, bool *fits)
{
    const size_t tasks = g->task_count + (size_t)1, values = g->value_count + (size_t)1;
    *lists = (hb_totals_lists){.instructions = NULL};
    *fits = false;
    maker x = {.g = g, .s = schedule, .lists = lists, .pool = pool};
    hb_status st;
    x.share = calloc(tasks, sizeof *x.share);
    x.order = calloc(tasks, sizeof *x.order);
    x.loaded = calloc(tasks, 1);
    x.last = calloc(values, sizeof *x.last);
    x.common = calloc(values, 1);
    x.total = calloc(values, sizeof *x.total);
    if (!x.share || !x.order || !x.loaded || !x.last || !x.common || !x.total) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the lists of %u tasks", g->task_count));
    }
    HB_GOTO(make_lists(&x));
    HB_GOTO(list_moves(&x));
    *fits = pool->first + (uint64_t)pool->count <= UINT16_MAX;
    if (*fits) {
        note_own(&x, own);
        lists->division.stages = schedule->stages;
        lists->division.most = schedule->most;
        lists->division.blocks = schedule->blocks;
        schedule->blocks = NULL;
        st = check(&x, own);
    }
done:
    free(x.share);
    free(x.order);
    free(x.loaded);
    free(x.last);
    free(x.common);
    free(x.total);
    return st;
}
