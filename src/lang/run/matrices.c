/* Matrices of a program, as plaintexts of the levels where rows within slots are multiplied by them. */
#include <stdlib.h>

#include "runner_private.h"

/* The most bytes of the workspace, where the row blocks would take more (as that of evaluators). */
#define MOST_WORK_BYTES ((size_t)1 << 30)

/* Calls `see` for each product with a matrix, more than once perhaps for the same. */
static hb_status each(const hb_program *program,
                      hb_status (*see)(void *context, const hb_matrix_entry *entry, int64_t number, uint32_t limbs),
                      void *context)
{
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        for (uint32_t i = 0; i < pass->row_count + pass->total_count; i++) {
            const hb_instruction *in = i < pass->row_count ? &pass->rows[i] : &pass->totals[i - pass->row_count];
            if (in->op == HB_OP_MATRIX || in->op == HB_OP_MATRIX_PAIR) {
                HB_TRY(see(context, program->constants.blocks.matrices[in->number], in->number,
                           program->registers[in->a].limbs));
            }
        }
    }
    return HB_OK;
}

/* A matrix at a level. */
typedef struct level_matrix {
    const hb_matrix_entry *entry;
    int64_t number;
    uint32_t limbs;
} level_matrix;

typedef struct level_matrices {
    level_matrix *list;
    uint32_t count;
} level_matrices;

static hb_status list_one(void *context, const hb_matrix_entry *entry, int64_t number, uint32_t limbs)
{
    level_matrices *all = context;
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->list[i].number == number && all->list[i].limbs == limbs) {
            return HB_OK;
        }
    }
    level_matrix *longer = realloc(all->list, (all->count + (size_t)1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the matrices of a program");
    }
    all->list = longer;
    longer[all->count++] = (level_matrix){entry, number, limbs};
    return HB_OK;
}

/* Finds their memory: bytes without the workspace, and words of workspace for one row block. */
static void measure(const hb_params *params, const level_matrices *all, uint64_t *bytes, size_t *words)
{
    *bytes = 0;
    *words = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const level_matrix *x = &all->list[i];
        uint64_t own;
        size_t most;
        hb_matrix_memory(params, &x->entry->outline, x->limbs, &own, &most);
        *bytes += own;
        *words = most > *words ? most : *words;
    }
}

/* Words of the workspace for `count` row blocks, or as many as `bytes` hold, but for one at least. */
static size_t work_words(size_t each, size_t count, size_t bytes)
{
    const size_t fit = each > 0 ? bytes / (each * sizeof(uint64_t)) : 0, together = fit < count ? fit : count;
    return each * (together > 0 ? together : 1);
}

static hb_block_map_wanted wanted_of(const level_matrix *x)
{
    return (hb_block_map_wanted){.matrix = &x->entry->matrix,
                                 .pair = x->entry->part[0] != NULL ? &x->entry->pair : NULL,
                                 .outline = &x->entry->outline,
                                 .limbs = x->limbs};
}

/* Takes the matrices that are on the shelf. */
static void take_shelved(hb_runner *runner, const level_matrices *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const hb_block_map_wanted wanted = wanted_of(&all->list[i]);
        hb_shelved *own = &runner->matrices[i].own;
        size_t words;
        hb_matrix_memory(runner->params, wanted.outline, wanted.limbs, &own->bytes, &words);
        hb_block_map_digest(own->digest, runner->params, &wanted);
        own->map = hb_block_shelf_take(runner->shelf, runner->params, own);
    }
}

/* Encodes the matrices that have no map. wanted [all->count]: room for as many. */
static hb_status encode(hb_runner *runner, const level_matrices *all, hb_block_map_wanted *wanted)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        if (runner->matrices[i].own.map == NULL) {
            wanted[count++] = wanted_of(&all->list[i]);
        }
    }
    if (count > 0) {
        HB_TRY(hb_block_maps_open(runner->engine, runner->params, wanted, count));
    }
    for (uint32_t i = all->count; i-- > 0;) {
        if (runner->matrices[i].own.map == NULL) {
            runner->matrices[i].own.map = wanted[--count].map;
        }
    }
    return HB_OK;
}

static hb_status open_all(hb_runner *runner, const level_matrices *all)
{
    hb_block_map_wanted *wanted = calloc((size_t)all->count + 1, sizeof *wanted);
    runner->matrices = calloc((size_t)all->count + 1, sizeof *runner->matrices);
    if (wanted == NULL || runner->matrices == NULL) {
        free(wanted);
        return HB_FAIL(HB_ENOMEM, "no memory for the matrices of a program");
    }
    for (uint32_t i = 0; i < all->count; i++) {
        runner->matrices[i] = (hb_runner_matrix){.number = all->list[i].number, .limbs = all->list[i].limbs};
    }
    runner->matrix_count = all->count;
    if (runner->shelf != NULL) {
        take_shelved(runner, all);
    }
    const hb_status st = encode(runner, all, wanted);
    free(wanted);
    return st;
}

hb_status hb_runner_matrices_init(hb_runner *runner, const hb_runner *of)
{
    level_matrices all = {.list = NULL};
    const size_t best = runner->engine->batch_bytes;
    uint64_t bytes;
    size_t words;
    void *work = NULL;
    hb_status st;
    HB_GOTO(each(runner->program, list_one, &all));
    if (all.count == 0) {
        goto done;
    }
    measure(runner->params, &all, &bytes, &words);
    if (of != NULL) { /* its plaintexts serve all queues */
        runner->matrices = of->matrices;
        runner->matrix_count = of->matrix_count;
    } else {
        HB_GOTO(open_all(runner, &all));
    }
    /* Behind them: encoding finds room for its own memory here. */
    runner->matrix_work.words = work_words(words, runner->count, best > 0 ? best : MOST_WORK_BYTES);
    HB_GOTO(hb_alloc(runner->engine, runner->matrix_work.words * sizeof(uint64_t), &work));
    runner->matrix_work.next = work;
done:
    free(all.list);
    return st;
}

void hb_runner_matrices_clear(hb_runner *runner)
{
    for (uint32_t i = 0; runner->owns_totals && i < runner->matrix_count; i++) {
        const hb_shelved own = runner->matrices[i].own;
        if (runner->shelf != NULL && own.map != NULL) {
            hb_block_shelf_put(runner->shelf, own);
        } else {
            hb_block_map_close(own.map);
        }
    }
    if (runner->owns_totals) {
        free(runner->matrices);
    }
    hb_free(runner->engine, runner->matrix_work.next);
}

/* Measures those of a program; where there is no memory to look, more than any engine has. */
static void measure_program(const hb_params *params, const hb_program *program, uint64_t *bytes, size_t *words)
{
    level_matrices all = {.list = NULL};
    *bytes = UINT64_MAX / 4;
    *words = 0;
    if (each(program, list_one, &all) == HB_OK) {
        measure(params, &all, bytes, words);
    }
    free(all.list);
}

uint64_t hb_runner_matrices_bytes(const hb_params *params, const hb_program *program)
{
    uint64_t bytes;
    size_t words;
    measure_program(params, program, &bytes, &words);
    return bytes;
}

uint64_t hb_runner_matrix_work_bytes(const hb_params *params, const hb_program *program, size_t count)
{
    uint64_t bytes;
    size_t words;
    measure_program(params, program, &bytes, &words);
    return work_words(words, count, MOST_WORK_BYTES) * sizeof(uint64_t);
}

hb_status hb_runner_matrix_apply(hb_runner *runner, const hb_instruction *i, hb_ciphertexts to,
                                 const hb_ciphertexts a[2])
{
    for (uint32_t k = 0; k < runner->matrix_count; k++) {
        const hb_runner_matrix *x = &runner->matrices[k];
        if (x->number == i->number && x->limbs == a[0].all.limbs) {
            return hb_evaluator_matrix(runner->evaluator, to, a, x->own.map, runner->keys, runner->matrix_work);
        }
    }
    return HB_FAIL(HB_EINTERNAL, "a program has no matrix %d", (int)i->number);
}
