#include "unit_state.h"

#include <stdlib.h>
#include <string.h>

#include "expression/program/stops.h"
#include "strips.h"
#include "unit_private.h"

/* Sections of a file, behind its head: how far each row block is; of an output the rows of what is stored, packed; of a
 * row block the words of a register; of a total what was added up apart. */
enum { AT = 1, ROWS = 2, REGISTER = 3, SUM = 4, NUMBER_BITS = 20, BLOCK_BITS = 36 };

static uint64_t key_of(uint64_t kind, uint64_t block, uint64_t number)
{
    return kind << (BLOCK_BITS + NUMBER_BITS) | block << NUMBER_BITS | number;
}

/* --- what there is of a step */

static const hb_pass *pass_of(const hb_unit_evaluator *x)
{
    return &x->setting->program->passes[x->setting->keeper->pass];
}

static void limbs_here(const hb_unit_evaluator *x, uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS])
{
    memset(limbs, 0, HB_EVAL_STATE_LIMB_WORDS * sizeof *limbs);
    for (uint32_t id = 0; id < x->engine->ring->count; id++) {
        limbs[id / 64] |= (uint64_t)hb_limb_here(x->engine, (uint16_t)id) << id % 64;
    }
}

/* Every limb that ciphertexts have. */
static void limbs_wanted(const hb_unit_evaluator *x, uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS])
{
    const hb_params *params = x->setting->session->params;
    memset(limbs, 0, HB_EVAL_STATE_LIMB_WORDS * sizeof *limbs);
    for (uint32_t l = 0; l < params->data_limbs; l++) {
        limbs[params->ids[l] / 64] |= UINT64_C(1) << params->ids[l] % 64;
    }
}

/* Of one row block. */
static hb_strips strips_of_register(const hb_unit_evaluator *x, uint32_t r)
{
    const hb_register *reg = &x->setting->program->registers[r];
    const hb_params *params = x->setting->session->params;
    return (hb_strips){.outer = reg->size, .ids = params->ids, .limbs = reg->limbs, .n = params->ring.n};
}

/* The ciphertexts of an output: block by block, whether each has been stored where the row blocks are that far.
 * Returns how many have; `stored` has a byte for each. */
static size_t find_stored(const hb_unit_evaluator *x, uint32_t output, uint8_t *stored)
{
    const size_t across = (size_t)hb_unit_across(x, output);
    const hb_pass *pass = pass_of(x);
    size_t count = 0;
    memset(stored, 0, (size_t)x->count * across);
    for (uint32_t i = 0; i < pass->row_count; i++) {
        const hb_instruction *in = &pass->rows[i];
        for (uint64_t b = 0; in->op == HB_OP_STORE && in->operand == output && b < x->count; b++) {
            if (x->course.at[b] > i) {
                stored[b * across + in->column] = 1;
                count++;
            }
        }
    }
    return count;
}

/* --- rows of outputs, in the buffer of the step and in a section: of each component, each that is stored */

/* The rows of an output, in the buffer of the step, and which of its ciphertexts are stored. */
typedef struct held_rows {
    size_t count; /* ciphertexts of the step */
    uint8_t *stored;
    hb_strips strips; /* of those that are stored */
    hb_rows *rows;
} held_rows;

/* Moves rows between a section and the buffer, where the rows of a limb stand together. */
static void move_rows(const hb_unit_evaluator *x, const held_rows *held, uint64_t *section, bool to_buffer)
{
    const hb_strips *s = &held->strips;
    uint8_t *at = (uint8_t *)section;
    for (uint32_t c = 0; c < 2; c++) {
        uint8_t *all = c == 0 ? held->rows->c0 : held->rows->c1;
        for (size_t i = 0; i < held->count; i++) {
            size_t before = 0; /* rows of limbs that are here, of one ciphertext */
            for (uint32_t l = 0; l < s->limbs && held->stored[i] != 0; l++) {
                const size_t bytes = hb_strips_bytes(s, l);
                if (!hb_limb_here(x->engine, s->ids[l])) {
                    continue;
                }
                uint8_t *row = all + held->count * before + i * bytes;
                memcpy(to_buffer ? row : at, to_buffer ? at : row, bytes);
                at += bytes;
                before += bytes;
            }
        }
    }
}

/* The caller frees `stored`, also after a failure. */
static hb_status find_rows(const hb_unit_evaluator *x, uint32_t output, held_rows *held)
{
    held->count = (size_t)x->count * hb_unit_across(x, output);
    held->stored = malloc(held->count + 1);
    if (held->stored == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %zu ciphertexts", held->count);
    }
    const hb_header *header = x->setting->shape.outputs[output];
    held->strips = (hb_strips){.outer = 2 * find_stored(x, output, held->stored),
                               .ids = x->setting->session->params->ids,
                               .limbs = header->limbs,
                               .rows = header};
    held->rows = &x->buffer->output[output].rows;
    return HB_OK;
}

/* Every output of which rows are stored in this pass. */
static hb_status put_rows(hb_unit_evaluator *x, hb_kept_file *file, uint32_t output,
                          const uint64_t here[HB_EVAL_STATE_LIMB_WORDS])
{
    held_rows held = {.stored = NULL};
    hb_status st;
    HB_GOTO(find_rows(x, output, &held));
    held.rows->count = held.count;
    HB_GOTO(hb_unit_rows_download(&x->output[output], held.rows));
    HB_GOTO(hb_finish(x->engine));
    const size_t words = hb_strips_words(&held.strips, here);
    HB_GOTO(hb_kept_file_put(file, key_of(ROWS, 0, output), NULL, words));
    move_rows(x, &held, file->words + file->count - words, false);
done:
    free(held.stored);
    return st;
}

static hb_status take_rows(hb_unit_evaluator *x, const hb_kept_file *file, uint32_t output)
{
    const size_t bytes = x->output[output].component_bytes;
    size_t words = 0;
    uint64_t *section = hb_kept_file_find(file, key_of(ROWS, 0, output), &words);
    held_rows held = {.stored = NULL};
    hb_status st;
    HB_GOTO(find_rows(x, output, &held));
    held.rows->count = held.count;
    memset(held.rows->c0, 0, held.count * bytes);
    memset(held.rows->c1, 0, held.count * bytes);
    move_rows(x, &held, section, true);
    HB_GOTO(hb_unit_rows_upload(&x->output[output], held.rows));
    st = hb_finish(x->engine);
done:
    free(held.stored);
    return st;
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
static hb_status put_register(hb_unit_evaluator *x, hb_kept_file *file, uint32_t r)
{
    const hb_unit_course *course = &x->course;
    const size_t count = (size_t)course->count;
    const hb_ciphertexts a = hb_runner_register(x->runner, r, count);
    size_t each;
    uint64_t *words = NULL;
    hb_status st;
    HB_GOTO(new_words(x, a, &each, &words));
    HB_GOTO(hb_download(x->engine, words, a.all.data, a.all.count * each * sizeof *words));
    HB_GOTO(hb_finish(x->engine));
    for (size_t b = 0; b < count; b++) {
        HB_GOTO(hb_kept_file_put(file, key_of(REGISTER, course->first + b, r), NULL, a.size * each));
        uint64_t *section = file->words + file->count - a.size * each;
        for (uint32_t c = 0; c < a.size; c++) {
            memcpy(section + c * each, words + (c * count + b) * each, each * sizeof *words);
        }
    }
done:
    free(words);
    return st;
}

/* Puts into registers what was kept of the row blocks that are computed now. */
static hb_status take_register(hb_unit_evaluator *x, uint32_t r)
{
    const hb_unit_course *course = &x->course;
    const size_t count = (size_t)course->count;
    const hb_ciphertexts a = hb_runner_register(x->runner, r, count);
    size_t each, length;
    uint64_t *words = NULL;
    hb_status st;
    HB_GOTO(new_words(x, a, &each, &words));
    for (size_t b = 0; b < count; b++) {
        const uint64_t *section = hb_kept_file_find(&course->kept, key_of(REGISTER, course->first + b, r), &length);
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

static hb_status put_sum(hb_unit_evaluator *x, hb_kept_file *file, uint32_t r, hb_ciphertexts sum)
{
    size_t each;
    uint64_t *words = NULL;
    hb_status st;
    HB_GOTO(new_words(x, sum, &each, &words));
    HB_GOTO(hb_download(x->engine, words, sum.all.data, sum.all.count * each * sizeof *words));
    HB_GOTO(hb_finish(x->engine));
    st = hb_kept_file_put(file, key_of(SUM, 0, r), words, sum.all.count * each);
done:
    free(words);
    return st;
}

static hb_status take_sum(hb_unit_evaluator *x, const hb_kept_file *file, uint32_t r, hb_ciphertexts sum)
{
    size_t length = 0;
    const uint64_t *words = hb_kept_file_find(file, key_of(SUM, 0, r), &length);
    HB_TRY(hb_upload(x->engine, sum.all.data, words, length * sizeof *words));
    return hb_finish(x->engine);
}

/* Returns what the pass adds up apart into this register; no components: nothing. */
static hb_ciphertexts sum_of(const hb_unit_evaluator *x, uint32_t r)
{
    return hb_pass_accumulates(pass_of(x), r) ? hb_runner_unsettled(x->runner, r) : (hb_ciphertexts){.size = 0};
}

/* --- a whole file */

/* Whether a row block is on its way: begun and not done. */
static bool is_begun(const hb_unit_evaluator *x, uint64_t block)
{
    return x->course.at[block] > 0 && x->course.at[block] < pass_of(x)->row_count;
}

static bool is_running(const hb_unit_course *course, uint64_t block)
{
    return block >= course->first && block - course->first < course->count;
}

/* Puts the registers of a row block that waits to be gone on with, as they were kept. */
static hb_status put_waiting(hb_unit_evaluator *x, hb_kept_file *file, uint64_t block)
{
    hb_live live;
    hb_status st = hb_live_find(&live, x->setting->program, x->setting->keeper->pass, (uint32_t)x->course.at[block]);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        const uint64_t key = key_of(REGISTER, block, live.registers[i]);
        size_t length = 0;
        const uint64_t *words = hb_kept_file_find(&x->course.kept, key, &length);
        st = hb_kept_file_put(file, key, words, length);
    }
    hb_live_clear(&live);
    return st;
}

static hb_status put_running(hb_unit_evaluator *x, hb_kept_file *file, uint32_t at)
{
    hb_live live;
    hb_status st = hb_live_find(&live, x->setting->program, x->setting->keeper->pass, at);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        st = put_register(x, file, live.registers[i]);
    }
    hb_live_clear(&live);
    return st;
}

static hb_status put_head(hb_unit_evaluator *x, hb_kept_file *file, const hb_stop *stop)
{
    const hb_eval_keeper *keeper = x->setting->keeper;
    hb_eval_state_head head = {.step = x->step,
                               .steps = keeper->steps,
                               .generation = x->course.generation,
                               .turn = stop->turn,
                               .turns = stop->turns,
                               .left = pass_of(x)->row_count - stop->at,
                               .instructions = pass_of(x)->row_count};
    limbs_here(x, head.limbs);
    HB_TRY(hb_kept_file_begin(file, keeper->identity));
    HB_TRY(hb_kept_file_put(file, HB_EVAL_STATE_HEAD, (const uint64_t *)&head, sizeof head / sizeof(uint64_t)));
    return hb_kept_file_put(file, key_of(AT, 0, 0), x->course.at, (size_t)x->count);
}

/* Puts everything into a file in memory. */
static hb_status compose(hb_unit_evaluator *x, hb_kept_file *file, const hb_stop *stop)
{
    const hb_program *program = x->setting->program;
    uint64_t here[HB_EVAL_STATE_LIMB_WORDS];
    limbs_here(x, here);
    HB_TRY(put_head(x, file, stop));
    for (uint32_t o = 0; o < program->output_count; o++) {
        HB_TRY(hb_pass_stores_rows(pass_of(x), o) ? put_rows(x, file, o, here) : HB_OK);
    }
    for (uint32_t r = 0; r < program->register_count; r++) {
        const hb_ciphertexts sum = sum_of(x, r);
        HB_TRY(sum.size > 0 ? put_sum(x, file, r, sum) : HB_OK);
    }
    HB_TRY(put_running(x, file, stop->at));
    for (uint64_t b = 0; b < x->count; b++) {
        HB_TRY(is_begun(x, b) && !is_running(&x->course, b) ? put_waiting(x, file, b) : HB_OK);
    }
    return HB_OK;
}

hb_status hb_unit_state_store(hb_unit_evaluator *x, const hb_stop *stop)
{
    const hb_group *members = x->setting->session->grid.members;
    hb_unit_course *course = &x->course;
    hb_kept_file file = {.words = NULL};
    for (uint64_t b = course->first; b < course->first + course->count; b++) {
        course->at[b] = stop->at;
    }
    course->generation++;
    hb_status st = compose(x, &file, stop);
    if (st == HB_OK) {
        st = hb_eval_state_write(x->setting->keeper, &file, x->step, (uint32_t)members->rank, (uint32_t)members->size,
                                 course->generation);
    }
    hb_kept_file_clear(&file);
    return st;
}

/* --- from files of any members to one of the limbs that are here */

static bool head_of(const hb_kept_file *file, hb_eval_state_head *head)
{
    size_t count = 0;
    const uint64_t *words = hb_kept_file_find(file, HB_EVAL_STATE_HEAD, &count);
    HB_ASSERT(words != NULL && count == sizeof *head / sizeof *words); /* looked at when it was read */
    memcpy(head, words, sizeof *head);
    return true;
}

/* Makes a section of limbs that are here from those of files. HB_EDATA where one lacks it. */
static hb_status join(const hb_unit_evaluator *x, const hb_kept_file *files, uint32_t count, const hb_strips *s,
                      uint64_t key)
{
    hb_unit_course *course = (hb_unit_course *)&x->course;
    uint64_t here[HB_EVAL_STATE_LIMB_WORDS];
    limbs_here(x, here);
    const size_t own = hb_strips_words(s, here);
    HB_TRY(hb_kept_file_put(&course->kept, key, NULL, own));
    uint64_t *to = course->kept.words + course->kept.count - own;
    for (uint32_t i = 0; i < count; i++) {
        hb_eval_state_head head;
        size_t length = 0;
        (void)head_of(&files[i], &head);
        const uint64_t *from = hb_kept_file_find(&files[i], key, &length);
        if (from == NULL || length != hb_strips_words(s, head.limbs)) {
            return HB_FAIL(HB_EDATA, "what was kept of step %llu is not what this program needs",
                           (unsigned long long)x->step);
        }
        hb_strips_copy(s, to, here, from, head.limbs);
    }
    return HB_OK;
}

/* How far row blocks are, alike in all files, at stops of the pass. */
static hb_status take_places(hb_unit_evaluator *x, const hb_kept_file *files, uint32_t count)
{
    const hb_pass *pass = pass_of(x);
    size_t length = 0;
    bool good = true;
    const uint64_t *at = hb_kept_file_find(&files[0], key_of(AT, 0, 0), &length);
    good = at != NULL && length == x->count;
    for (uint32_t i = 1; i < count && good; i++) {
        const uint64_t *other = hb_kept_file_find(&files[i], key_of(AT, 0, 0), &length);
        good = other != NULL && length == x->count && memcmp(at, other, length * sizeof *at) == 0;
    }
    for (uint64_t b = 0; b < x->count && good; b++) {
        bool stop = at[b] == 0 || at[b] == pass->row_count;
        for (uint32_t s = 0; s < pass->stop_count && !stop; s++) {
            stop = at[b] == pass->stops[s].at;
        }
        good = stop;
    }
    if (!good) {
        return HB_FAIL(HB_EDATA, "what was kept of step %llu is not what this program needs",
                       (unsigned long long)x->step);
    }
    memcpy(x->course.at, at, (size_t)x->count * sizeof *at);
    return HB_OK;
}

static hb_status join_registers(hb_unit_evaluator *x, const hb_kept_file *files, uint32_t count, uint64_t block)
{
    hb_live live;
    hb_status st = hb_live_find(&live, x->setting->program, x->setting->keeper->pass, (uint32_t)x->course.at[block]);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        const hb_strips s = strips_of_register(x, live.registers[i]);
        st = join(x, files, count, &s, key_of(REGISTER, block, live.registers[i]));
    }
    hb_live_clear(&live);
    return st;
}

static hb_status join_rows(hb_unit_evaluator *x, const hb_kept_file *files, uint32_t count, uint32_t output)
{
    held_rows held = {.stored = NULL};
    hb_status st = find_rows(x, output, &held);
    st = st == HB_OK ? join(x, files, count, &held.strips, key_of(ROWS, 0, output)) : st;
    free(held.stored);
    return st;
}

/* Everything that will be needed, so that it is known to be there before anything is computed. */
static hb_status join_all(hb_unit_evaluator *x, const hb_kept_file *files, uint32_t count)
{
    const hb_program *program = x->setting->program;
    HB_TRY(hb_kept_file_begin(&x->course.kept, x->setting->keeper->identity));
    HB_TRY(take_places(x, files, count));
    for (uint32_t o = 0; o < program->output_count; o++) {
        HB_TRY(hb_pass_stores_rows(pass_of(x), o) ? join_rows(x, files, count, o) : HB_OK);
    }
    for (uint32_t r = 0; r < program->register_count; r++) {
        if (sum_of(x, r).size > 0) {
            const hb_strips s = strips_of_register(x, r);
            HB_TRY(join(x, files, count, &s, key_of(SUM, 0, r)));
        }
    }
    for (uint64_t b = 0; b < x->count; b++) {
        HB_TRY(is_begun(x, b) ? join_registers(x, files, count, b) : HB_OK);
    }
    return HB_OK;
}

hb_status hb_unit_state_read(hb_unit_evaluator *x, bool *found)
{
    hb_kept_file *files = calloc(HB_EVAL_STATE_MOST, sizeof *files);
    uint64_t wanted[HB_EVAL_STATE_LIMB_WORDS];
    uint32_t count = 0;
    hb_eval_state_head head;
    *found = false;
    if (files == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of files");
    }
    limbs_wanted(x, wanted);
    hb_status st = hb_eval_state_read(x->setting->keeper, x->step, wanted, files, &count);
    if (st == HB_OK && count > 0) {
        (void)head_of(&files[0], &head);
        x->course.generation = head.generation;
        st = join_all(x, files, count);
        *found = st == HB_OK;
    }
    for (uint32_t i = 0; i < HB_EVAL_STATE_MOST; i++) {
        hb_kept_file_clear(&files[i]);
    }
    free(files);
    return st;
}

hb_status hb_unit_state_take(hb_unit_evaluator *x)
{
    const hb_program *program = x->setting->program;
    for (uint32_t o = 0; o < program->output_count; o++) {
        HB_TRY(hb_pass_stores_rows(pass_of(x), o) ? take_rows(x, &x->course.kept, o) : HB_OK);
    }
    for (uint32_t r = 0; r < program->register_count; r++) {
        const hb_ciphertexts sum = sum_of(x, r);
        HB_TRY(sum.size > 0 ? take_sum(x, &x->course.kept, r, sum) : HB_OK);
    }
    return HB_OK;
}

hb_status hb_unit_state_take_registers(hb_unit_evaluator *x)
{
    hb_live live;
    hb_status st = hb_live_find(&live, x->setting->program, x->pass, (uint32_t)x->course.at[x->course.first]);
    for (uint32_t i = 0; st == HB_OK && i < live.register_count; i++) {
        st = take_register(x, live.registers[i]);
    }
    hb_live_clear(&live);
    return st;
}
