#include "unit_checkpoint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eval/checkpoint/section.h"
#include "lang/program/resume_points.h"
#include "unit_private.h"

/* Sections of a file, behind its head: how far each row block is; the packed rows of an output, of a unit; the words of
 * a register, of a row block; the sum of a total that stays apart. */
enum { AT = 1, ROWS = 2, REGISTER = 3, SUM = 4, NUMBER_BITS = 20, BLOCK_BITS = 36 };

/* block: a row block of the step, or one of its units. */
static uint64_t key_of(uint64_t kind, uint64_t block, uint64_t number)
{
    return kind << (BLOCK_BITS + NUMBER_BITS) | block << NUMBER_BITS | number;
}

/* --- the parts of a step */

static const hb_pass *pass_of(const hb_unit_evaluator *x)
{
    return &x->setting->program->passes[x->setting->checkpoints->pass];
}

static void limbs_here(const hb_unit_evaluator *x, uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS])
{
    memset(limbs, 0, HB_CHECKPOINT_LIMB_WORDS * sizeof *limbs);
    for (uint32_t id = 0; id < x->engine->ring->count; id++) {
        limbs[id / 64] |= (uint64_t)hb_limb_here(x->engine, (uint16_t)id) << id % 64;
    }
}

/* Every limb that ciphertexts have. */
static void limbs_wanted(const hb_unit_evaluator *x, uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS])
{
    const hb_params *params = x->setting->session->params;
    memset(limbs, 0, HB_CHECKPOINT_LIMB_WORDS * sizeof *limbs);
    for (uint32_t l = 0; l < params->data_limbs; l++) {
        limbs[params->ids[l] / 64] |= UINT64_C(1) << params->ids[l] % 64;
    }
}

/* For one row block. */
static hb_section_layout layout_of_register(const hb_unit_evaluator *x, uint32_t r)
{
    const hb_register *reg = &x->setting->program->registers[r];
    const hb_params *params = x->setting->session->params;
    return (hb_section_layout){.outer = reg->size, .ids = params->ids, .limbs = reg->limbs, .n = params->ring.n};
}

/* The ciphertexts of unit k of the step: block by block, whether each has been stored where the row blocks are that
 * far. Returns how many have; `stored` has a byte for each. */
static size_t find_stored(const hb_unit_evaluator *x, uint32_t output, size_t k, uint8_t *stored)
{
    const size_t across = (size_t)hb_unit_across(x, output);
    const hb_share part = hb_unit_part(x, k);
    const hb_pass *pass = pass_of(x);
    size_t count = 0;
    memset(stored, 0, (size_t)part.count * across);
    for (uint32_t i = 0; i < pass->row_count; i++) {
        const hb_instruction *in = &pass->rows[i];
        for (uint64_t b = 0; in->op == HB_OP_STORE && in->operand == output && b < part.count; b++) {
            if (x->progress.done[part.first + b] > i) {
                stored[b * across + in->column] = 1;
                count++;
            }
        }
    }
    return count;
}

/* --- rows of outputs, in the buffer of the step and in a section: of each component, each that is stored */

/* The rows of a unit, in the buffer of the step, and which of its ciphertexts are stored. */
typedef struct held_rows {
    uint8_t *stored;
    hb_section_layout layout; /* of the stored sections */
    hb_rows *rows;
} held_rows;

/* Moves rows between a section and the buffer, where the rows of a limb stand together. */
static void move_rows(const hb_unit_evaluator *x, const held_rows *held, uint64_t *section, bool to_buffer)
{
    const hb_section_layout *s = &held->layout;
    uint8_t *at = (uint8_t *)section;
    for (uint32_t c = 0; c < 2; c++) {
        uint8_t *all = c == 0 ? held->rows->c0 : held->rows->c1;
        for (size_t i = 0; i < held->rows->count; i++) {
            size_t before = 0; /* rows of limbs that are here, of one ciphertext */
            for (uint32_t l = 0; l < s->limbs && held->stored[i] != 0; l++) {
                const size_t bytes = hb_section_row_bytes(s, l);
                if (!hb_limb_here(x->engine, s->ids[l])) {
                    continue;
                }
                uint8_t *row = all + held->rows->count * before + i * bytes;
                memcpy(to_buffer ? row : at, to_buffer ? at : row, bytes);
                at += bytes;
                before += bytes;
            }
        }
    }
}

/* The caller frees `stored`, also after a failure. */
static hb_status find_rows(const hb_unit_evaluator *x, uint32_t output, size_t k, held_rows *held)
{
    const size_t count = (size_t)(hb_unit_part(x, k).count * hb_unit_across(x, output));
    held->stored = malloc(count + 1);
    if (held->stored == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %zu ciphertexts", count);
    }
    const hb_header *header = x->setting->shape.outputs[output];
    held->layout = (hb_section_layout){.outer = 2 * find_stored(x, output, k, held->stored),
                                       .ids = x->setting->session->params->ids,
                                       .limbs = header->limbs,
                                       .rows = header};
    held->rows = &x->buffer->output[output].rows[k];
    held->rows->count = count;
    return HB_OK;
}

static hb_status put_rows(hb_unit_evaluator *x, void *context, uint32_t output, size_t k)
{
    hb_checkpoint_file *file = context;
    uint64_t here[HB_CHECKPOINT_LIMB_WORDS];
    held_rows held = {.stored = NULL};
    hb_status st;
    limbs_here(x, here);
    HB_GOTO(find_rows(x, output, k, &held));
    HB_GOTO(hb_unit_rows_download(&x->output[output][k], held.rows));
    HB_GOTO(hb_finish(x->engine));
    const size_t words = hb_section_words(&held.layout, here);
    HB_GOTO(hb_checkpoint_file_put(file, key_of(ROWS, k, output), NULL, words));
    move_rows(x, &held, file->words + file->count - words, false);
done:
    free(held.stored);
    return st;
}

static hb_status restore_rows(hb_unit_evaluator *x, void *context, uint32_t output, size_t k)
{
    const hb_checkpoint_file *file = context;
    hb_unit_rows *rows = &x->output[output][k];
    size_t words = 0;
    uint64_t *section = hb_checkpoint_file_find(file, key_of(ROWS, k, output), &words);
    held_rows held = {.stored = NULL};
    hb_status st;
    HB_GOTO(find_rows(x, output, k, &held));
    memset(held.rows->c0, 0, held.rows->count * rows->component_bytes);
    memset(held.rows->c1, 0, held.rows->count * rows->component_bytes);
    move_rows(x, &held, section, true);
    HB_GOTO(hb_unit_rows_upload(rows, held.rows));
    st = hb_finish(x->engine);
done:
    free(held.stored);
    return st;
}

/* Calls `call` for the units of every output of which rows are stored in this pass. */
static hb_status each_unit(hb_unit_evaluator *x, void *context,
                           hb_status (*call)(hb_unit_evaluator *x, void *context, uint32_t output, size_t k))
{
    const hb_eval_shape *shape = &x->setting->shape;
    for (uint32_t o = 0; o < shape->output_count; o++) {
        for (size_t k = 0; hb_pass_stores_rows(pass_of(x), o) && k < hb_eval_shape_units(shape, o); k++) {
            HB_TRY(hb_unit_part(x, k).count > 0 ? call(x, context, o, k) : HB_OK);
        }
    }
    return HB_OK;
}

/* --- registers */

/* Words of a register for some row blocks, as the engine has them. */
static hb_status new_words(const hb_unit_evaluator *x, hb_ciphertexts a, size_t *each, uint64_t **words)
{
    *each = (size_t)hb_limbs_here(x->engine, a.all.ids, a.all.limbs) * x->engine->ring->n; /* of a polynomial */
    *words = malloc(a.all.count * *each * sizeof **words + 1);
    return *words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the words of a register");
}

/* Puts a register of the row blocks that are computed now, each in a section of its own. */
static hb_status put_register(hb_unit_evaluator *x, hb_checkpoint_file *file, uint32_t r)
{
    const hb_unit_progress *progress = &x->progress;
    const size_t count = (size_t)progress->count;
    const hb_ciphertexts a = hb_runner_register(x->runner, r, count);
    size_t each;
    uint64_t *words = NULL;
    hb_status st;
    HB_GOTO(new_words(x, a, &each, &words));
    HB_GOTO(hb_download(x->engine, words, a.all.data, a.all.count * each * sizeof *words));
    HB_GOTO(hb_finish(x->engine));
    for (size_t b = 0; b < count; b++) {
        HB_GOTO(hb_checkpoint_file_put(file, key_of(REGISTER, progress->first + b, r), NULL, a.size * each));
        uint64_t *section = file->words + file->count - a.size * each;
        for (uint32_t c = 0; c < a.size; c++) {
            memcpy(section + c * each, words + (c * count + b) * each, each * sizeof *words);
        }
    }
done:
    free(words);
    return st;
}

/* Fills a register of the row blocks that are computed now from the checkpoint. */
static hb_status restore_register(hb_unit_evaluator *x, uint32_t r)
{
    const hb_unit_progress *progress = &x->progress;
    const size_t count = (size_t)progress->count;
    const hb_ciphertexts a = hb_runner_register(x->runner, r, count);
    size_t each, length;
    uint64_t *words = NULL;
    hb_status st;
    HB_GOTO(new_words(x, a, &each, &words));
    for (size_t b = 0; b < count; b++) {
        const uint64_t *section =
            hb_checkpoint_file_find(&progress->checkpoint, key_of(REGISTER, progress->first + b, r), &length);
        HB_ASSERT(section != NULL && length == a.size * each); /* looked at when it was read */
        for (uint32_t c = 0; c < a.size; c++) {
            memcpy(words + (c * count + b) * each, section + c * each, each * sizeof *words);
        }
    }
    HB_GOTO(hb_upload(x->engine, a.all.data, words, a.all.count * each * sizeof *words));
    st = hb_finish(x->engine);
done:
    free(words);
    return st;
}

/* --- sums */

static hb_status put_sum(hb_unit_evaluator *x, hb_checkpoint_file *file, uint32_t r, hb_ciphertexts sum)
{
    size_t each;
    uint64_t *words = NULL;
    hb_status st;
    HB_GOTO(new_words(x, sum, &each, &words));
    HB_GOTO(hb_download(x->engine, words, sum.all.data, sum.all.count * each * sizeof *words));
    HB_GOTO(hb_finish(x->engine));
    st = hb_checkpoint_file_put(file, key_of(SUM, 0, r), words, sum.all.count * each);
done:
    free(words);
    return st;
}

static hb_status restore_sum(hb_unit_evaluator *x, const hb_checkpoint_file *file, uint32_t r, hb_ciphertexts sum)
{
    size_t length = 0;
    const uint64_t *words = hb_checkpoint_file_find(file, key_of(SUM, 0, r), &length);
    HB_TRY(hb_upload(x->engine, sum.all.data, words, length * sizeof *words));
    return hb_finish(x->engine);
}

/* Returns the sum of the pass that stays apart from this register; no components: none. */
static hb_ciphertexts sum_of(const hb_unit_evaluator *x, uint32_t r)
{
    return hb_pass_accumulates(pass_of(x), r) ? hb_runner_unsettled(x->runner, r) : (hb_ciphertexts){.size = 0};
}

/* --- a whole file */

/* Whether a row block is on its way: begun and not done. */
static bool is_begun(const hb_unit_evaluator *x, uint64_t block)
{
    return x->progress.done[block] > 0 && x->progress.done[block] < pass_of(x)->row_count;
}

static bool is_running(const hb_unit_progress *progress, uint64_t block)
{
    return block >= progress->first && block - progress->first < progress->count;
}

/* Puts the registers of a row block that waits to be gone on with, as its checkpoint has them. */
static hb_status put_waiting(hb_unit_evaluator *x, hb_checkpoint_file *file, uint64_t block)
{
    hb_live live;
    hb_status st =
        hb_live_find(&live, x->setting->program, x->setting->checkpoints->pass, (uint32_t)x->progress.done[block]);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        const uint64_t key = key_of(REGISTER, block, live.registers[i]);
        size_t length = 0;
        const uint64_t *words = hb_checkpoint_file_find(&x->progress.checkpoint, key, &length);
        st = hb_checkpoint_file_put(file, key, words, length);
    }
    hb_live_clear(&live);
    return st;
}

static hb_status put_running(hb_unit_evaluator *x, hb_checkpoint_file *file, uint32_t at)
{
    hb_live live;
    hb_status st = hb_live_find(&live, x->setting->program, x->setting->checkpoints->pass, at);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        st = put_register(x, file, live.registers[i]);
    }
    hb_live_clear(&live);
    return st;
}

static hb_status put_head(hb_unit_evaluator *x, hb_checkpoint_file *file, const hb_resume_point *point)
{
    const hb_checkpoints *checkpoints = x->setting->checkpoints;
    hb_checkpoint_head head = {.step = x->step,
                               .steps = checkpoints->steps,
                               .generation = x->progress.generation,
                               .iteration = point->iteration,
                               .iterations = point->iterations,
                               .instructions_left = pass_of(x)->row_count - point->at,
                               .instructions = pass_of(x)->row_count};
    limbs_here(x, head.limbs);
    HB_TRY(hb_checkpoint_file_begin(file, checkpoints->identity));
    HB_TRY(hb_checkpoint_file_put(file, HB_CHECKPOINT_HEAD, (const uint64_t *)&head, sizeof head / sizeof(uint64_t)));
    return hb_checkpoint_file_put(file, key_of(AT, 0, 0), x->progress.done, (size_t)x->count);
}

/* Puts everything into a file in memory. */
static hb_status compose(hb_unit_evaluator *x, hb_checkpoint_file *file, const hb_resume_point *point)
{
    const hb_program *program = x->setting->program;
    HB_TRY(put_head(x, file, point));
    HB_TRY(each_unit(x, file, put_rows));
    for (uint32_t r = 0; r < program->register_count; r++) {
        const hb_ciphertexts sum = sum_of(x, r);
        HB_TRY(sum.size > 0 ? put_sum(x, file, r, sum) : HB_OK);
    }
    HB_TRY(put_running(x, file, point->at));
    for (uint64_t b = 0; b < x->count; b++) {
        HB_TRY(is_begun(x, b) && !is_running(&x->progress, b) ? put_waiting(x, file, b) : HB_OK);
    }
    return HB_OK;
}

hb_status hb_unit_checkpoint_store(hb_unit_evaluator *x, const hb_resume_point *point)
{
    const hb_group *members = x->setting->session->grid.members;
    hb_unit_progress *progress = &x->progress;
    hb_checkpoint_file file = {.words = NULL};
    for (uint64_t b = progress->first; b < progress->first + progress->count; b++) {
        progress->done[b] = point->at;
    }
    progress->generation++;
    hb_status st = compose(x, &file, point);
    if (st == HB_OK) {
        st = hb_checkpoint_write(x->setting->checkpoints, &file, x->step, (uint32_t)members->rank,
                                 (uint32_t)members->size, progress->generation);
    }
    hb_checkpoint_file_clear(&file);
    return st;
}

/* --- from files of any members to one of the limbs that are here */

static hb_checkpoint_head head_of(const hb_checkpoint_file *file)
{
    hb_checkpoint_head head;
    size_t count = 0;
    const uint64_t *words = hb_checkpoint_file_find(file, HB_CHECKPOINT_HEAD, &count);
    HB_ASSERT(words != NULL && count == sizeof head / sizeof *words); /* looked at when it was read */
    memcpy(&head, words, sizeof head);
    return head;
}

/* Makes a section of limbs that are here from those of files. HB_EDATA where one lacks it. */
static hb_status join(const hb_unit_evaluator *x, const hb_checkpoint_file *files, uint32_t count,
                      const hb_section_layout *s, uint64_t key)
{
    hb_unit_progress *progress = (hb_unit_progress *)&x->progress;
    uint64_t here[HB_CHECKPOINT_LIMB_WORDS];
    limbs_here(x, here);
    const size_t own = hb_section_words(s, here);
    HB_TRY(hb_checkpoint_file_put(&progress->checkpoint, key, NULL, own));
    uint64_t *to = progress->checkpoint.words + progress->checkpoint.count - own;
    for (uint32_t i = 0; i < count; i++) {
        const hb_checkpoint_head head = head_of(&files[i]);
        size_t length = 0;
        const uint64_t *from = hb_checkpoint_file_find(&files[i], key, &length);
        if (from == NULL || length != hb_section_words(s, head.limbs)) {
            return HB_FAIL(HB_EDATA, "the checkpoint of step %" PRIu64 " is not what this program needs", x->step);
        }
        hb_section_copy(s, to, here, from, head.limbs);
    }
    return HB_OK;
}

/* How far row blocks are, alike in all files, at resume points of the pass. */
static hb_status restore_places(hb_unit_evaluator *x, const hb_checkpoint_file *files, uint32_t count)
{
    const hb_pass *pass = pass_of(x);
    size_t length = 0;
    const uint64_t *at = hb_checkpoint_file_find(&files[0], key_of(AT, 0, 0), &length);
    bool good = at != NULL && length == x->count;
    for (uint32_t i = 1; i < count && good; i++) {
        const uint64_t *other = hb_checkpoint_file_find(&files[i], key_of(AT, 0, 0), &length);
        good = other != NULL && length == x->count && memcmp(at, other, length * sizeof *at) == 0;
    }
    for (uint64_t b = 0; b < x->count && good; b++) {
        bool there = at[b] == 0 || at[b] == pass->row_count;
        for (uint32_t s = 0; s < pass->resume_point_count && !there; s++) {
            there = at[b] == pass->resume_points[s].at;
        }
        good = there;
    }
    if (!good) {
        return HB_FAIL(HB_EDATA, "the checkpoint of step %" PRIu64 " is not what this program needs", x->step);
    }
    memcpy(x->progress.done, at, (size_t)x->count * sizeof *at);
    return HB_OK;
}

static hb_status join_registers(hb_unit_evaluator *x, const hb_checkpoint_file *files, uint32_t count, uint64_t block)
{
    hb_live live;
    hb_status st =
        hb_live_find(&live, x->setting->program, x->setting->checkpoints->pass, (uint32_t)x->progress.done[block]);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        const hb_section_layout s = layout_of_register(x, live.registers[i]);
        st = join(x, files, count, &s, key_of(REGISTER, block, live.registers[i]));
    }
    hb_live_clear(&live);
    return st;
}

/* The files that a checkpoint is joined from, as the context of join_rows. */
typedef struct joined {
    const hb_checkpoint_file *files;
    uint32_t count;
} joined;

static hb_status join_rows(hb_unit_evaluator *x, void *context, uint32_t output, size_t k)
{
    const joined *from = context;
    held_rows held = {.stored = NULL};
    hb_status st = find_rows(x, output, k, &held);
    st = st == HB_OK ? join(x, from->files, from->count, &held.layout, key_of(ROWS, k, output)) : st;
    free(held.stored);
    return st;
}

/* Everything that will be needed, so that it is known to be there before anything is computed. */
static hb_status join_all(hb_unit_evaluator *x, const hb_checkpoint_file *files, uint32_t count)
{
    const hb_program *program = x->setting->program;
    HB_TRY(hb_checkpoint_file_begin(&x->progress.checkpoint, x->setting->checkpoints->identity));
    HB_TRY(restore_places(x, files, count));
    HB_TRY(each_unit(x, &(joined){files, count}, join_rows));
    for (uint32_t r = 0; r < program->register_count; r++) {
        if (sum_of(x, r).size > 0) {
            const hb_section_layout s = layout_of_register(x, r);
            HB_TRY(join(x, files, count, &s, key_of(SUM, 0, r)));
        }
    }
    for (uint64_t b = 0; b < x->count; b++) {
        HB_TRY(is_begun(x, b) ? join_registers(x, files, count, b) : HB_OK);
    }
    return HB_OK;
}

hb_status hb_unit_checkpoint_read(hb_unit_evaluator *x, bool *found)
{
    hb_checkpoint_file *files;
    uint64_t wanted[HB_CHECKPOINT_LIMB_WORDS];
    uint32_t count = 0;
    *found = false;
    limbs_wanted(x, wanted);
    hb_status st = hb_checkpoint_read(x->setting->checkpoints, x->step, wanted, &files, &count);
    if (st == HB_OK && count > 0) {
        x->progress.generation = head_of(&files[0]).generation;
        st = join_all(x, files, count);
        *found = st == HB_OK;
    }
    hb_checkpoint_files_clear(files, count);
    return st;
}

hb_status hb_unit_checkpoint_restore(hb_unit_evaluator *x)
{
    const hb_program *program = x->setting->program;
    HB_TRY(each_unit(x, &x->progress.checkpoint, restore_rows));
    for (uint32_t r = 0; r < program->register_count; r++) {
        const hb_ciphertexts sum = sum_of(x, r);
        HB_TRY(sum.size > 0 ? restore_sum(x, &x->progress.checkpoint, r, sum) : HB_OK);
    }
    return HB_OK;
}

hb_status hb_unit_checkpoint_restore_registers(hb_unit_evaluator *x)
{
    hb_live live;
    hb_status st = hb_live_find(&live, x->setting->program, x->pass, (uint32_t)x->progress.done[x->progress.first]);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        st = restore_register(x, live.registers[i]);
    }
    hb_live_clear(&live);
    return st;
}
