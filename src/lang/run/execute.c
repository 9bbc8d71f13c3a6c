/* Instructions as calls of the evaluator. */
#include "runner_private.h"

#include "base/clock.h"
#include "scheme/slots.h"

/* The values of an instruction, of row blocks from `first` on. */
typedef struct operands {
    hb_ciphertexts to, a, b;
    uint64_t first;
} operands;

hb_ciphertexts hb_runner_value(const hb_runner *runner, uint32_t i, size_t count)
{
    if (i >= runner->program->register_count) {
        return (hb_ciphertexts){.size = 0}; /* an operand that the instruction does not have */
    }
    const hb_register *r = &runner->program->registers[i];
    const hb_ciphertexts all = runner->registers[i];
    if (r->total || all.size == 0) { /* or of rows, of which this program has none */
        return all;
    }
    if (r->plain) {
        return (hb_ciphertexts){hb_batch_slice(all.all, 0, count), 1, all.form};
    }
    return hb_ciphertexts_view(all, runner->engine, runner->params, r->size, hb_register_count(r, count), r->limbs);
}

static bool is_total(const hb_runner *runner, uint32_t i)
{
    return runner->program->registers[i].total;
}

/* One component of row blocks first .. first + count. */
static hb_ciphertexts some(hb_ciphertexts a, uint32_t component, size_t first, size_t count)
{
    return (hb_ciphertexts){hb_batch_slice(hb_ciphertexts_component(a, component), first, count), 1, a.form};
}

/* A total serves all row blocks as the second operand alone. */
static bool swaps(const hb_runner *runner, const hb_instruction *i)
{
    return is_total(runner, i->a) && !is_total(runner, i->b);
}

static hb_status add(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const bool swapped = swaps(runner, i);
    return hb_evaluator_add(runner->evaluator, v->to, swapped ? v->b : v->a, swapped ? v->a : v->b);
}

static hb_status multiply(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const bool swapped = swaps(runner, i);
    return hb_evaluator_multiply(runner->evaluator, v->to, swapped ? v->b : v->a, swapped ? v->a : v->b);
}

static hb_status negate(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_negate(runner->evaluator, v->to, v->a);
}

/* Swapped it is a - b = -b + a. */
static hb_status subtract(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    if (!swaps(runner, i)) {
        return hb_evaluator_sub(runner->evaluator, v->to, v->a, v->b);
    }
    HB_TRY(hb_evaluator_negate(runner->evaluator, v->to, v->b));
    return hb_evaluator_add(runner->evaluator, v->to, v->to, v->a);
}

static hb_status copy(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_copy(runner->evaluator, v->to, v->a);
}

static hb_status add_plain(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    HB_TRY(copy(runner, i, v));
    return hb_evaluator_add_plain(runner->evaluator, v->to, v->b.all, i->op == HB_OP_ADD_PLAIN ? HB_PLUS : HB_MINUS);
}

static hb_status multiply_plain(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_multiply_plain(runner->evaluator, v->to, v->a, v->b.all);
}

/* Whether every slot of a full row block has a value. */
static bool fills(const hb_runner *runner, const hb_instruction *i)
{
    return hb_program_block(runner->program) == 1 || i->column == runner->program->block;
}

/* Whether the last of `count` row blocks from `first` on is the partly filled one. */
static bool ends_partly_filled(const hb_runner *runner, uint64_t first, size_t count)
{
    const uint64_t partial = hb_runner_partial(runner);
    return partial >= first && partial - first < count;
}

/* Row blocks before the last, partly filled one take the plaintext of full ones. */
static hb_status add_constant(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const hb_batch plain = hb_runner_constant_of(runner, i)->plain;
    const size_t count = hb_ciphertexts_count(v->to);
    const bool last = !is_total(runner, i->to) && ends_partly_filled(runner, v->first, count);
    const size_t full = last ? count - 1 : count;
    HB_TRY(hb_evaluator_copy(runner->evaluator, v->to, v->a));
    const hb_ciphertexts most = some(v->to, 0, 0, full > 0 ? full : 1);
    const bool slots = runner->program->encoding == HB_ENCODE_SLOTS && fills(runner, i);
    if (full > 0 && i->op == HB_OP_ADD_NUMBER && slots) { /* every slot has it: it takes no plaintext */
        HB_TRY(hb_evaluator_add_number(runner->evaluator, most, most, i->real));
    } else if (full > 0) {
        HB_TRY(hb_evaluator_add_plain(runner->evaluator, most, hb_batch_slice(plain, 0, 1), HB_PLUS));
    }
    if (!last) {
        return HB_OK;
    }
    return hb_evaluator_add_plain(runner->evaluator, some(v->to, 0, full, 1), hb_batch_slice(plain, 1, 1), HB_PLUS);
}

/* Multiplies slots with rows by 1 and all others by 0, so that all blocks have the scale of products. */
static hb_status mask_scaled(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const hb_batch plain = hb_runner_constant_of(runner, i)->plain;
    const size_t count = hb_ciphertexts_count(v->to);
    const hb_register *to = &runner->program->registers[i->to]; /* of coupled ones a block that is not full holds 0 */
    const bool last = !to->total && !to->coupled && ends_partly_filled(runner, v->first, count);
    const size_t full = last ? count - 1 : count;
    for (uint32_t c = 0; c < v->to.size; c++) {
        if (full > 0) {
            HB_TRY(hb_evaluator_multiply_plain(runner->evaluator, some(v->to, c, 0, full), some(v->a, c, 0, full),
                                               hb_batch_slice(plain, 0, 1)));
        }
        if (last) {
            HB_TRY(hb_evaluator_multiply_plain(runner->evaluator, some(v->to, c, full, 1), some(v->a, c, full, 1),
                                               hb_batch_slice(plain, 1, 1)));
        }
    }
    return HB_OK;
}

static hb_status mask(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const hb_batch plain = hb_batch_slice(hb_runner_constant_of(runner, i)->plain, 1, 1);
    const size_t count = hb_ciphertexts_count(v->to);
    HB_TRY(hb_evaluator_copy(runner->evaluator, v->to, v->a));
    for (uint32_t c = 0; c < v->to.size && ends_partly_filled(runner, v->first, count); c++) {
        const hb_ciphertexts last = some(v->to, c, count - 1, 1);
        HB_TRY(hb_evaluator_multiply_plain(runner->evaluator, last, last, plain));
    }
    return HB_OK;
}

static hb_status mask_row(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const hb_batch plain = hb_batch_slice(hb_runner_constant_of(runner, i)->plain, 0, 1);
    for (uint32_t c = 0; c < v->to.size; c++) {
        HB_TRY(hb_evaluator_multiply_plain(runner->evaluator, some(v->to, c, 0, 1), some(v->a, c, 0, 1), plain));
    }
    return HB_OK;
}

/* Both use the relinearization key; values with 2 components are rescaled without it. */
static hb_status relinearize(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    if (i->op == HB_OP_RESCALE && v->a.size < 3) {
        return hb_evaluator_mod_switch(runner->evaluator, v->to, v->a);
    }
    const hb_switch_key *key = hb_switch_keys_find(runner->keys, HB_RELINEARIZATION);
    if (key == NULL) {
        return HB_FAIL(HB_EDATA, "there is no relinearization key");
    }
    return i->op == HB_OP_RESCALE ? hb_evaluator_relinearize_rescale(runner->evaluator, v->to, v->a, key)
                                  : hb_evaluator_relinearize(runner->evaluator, v->to, v->a, key);
}

/* The sum of `terms` slots, `step` apart. */
static hb_status sum_window(hb_runner *runner, const operands *v, int64_t step, int64_t terms)
{
    HB_TRY(hb_evaluator_copy(runner->evaluator, v->to, v->a));
    return hb_evaluator_sum_window(runner->evaluator, v->to, step, (uint32_t)terms, runner->keys);
}

/* Sums up the columns of every row, or all rows, or copies a column into slots that are 0. */
static hb_status sum_slots(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const int64_t block = (int64_t)hb_program_block(runner->program);
    if (i->op == HB_OP_ROW_SUM) {
        return sum_window(runner, v, 1, i->number);
    }
    if (i->op == HB_OP_ROW_SPREAD) {
        return sum_window(runner, v, -1, hb_row_copies(i->number));
    }
    if (block > 1) {
        return sum_window(runner, v, block, (int64_t)hb_slots_shape(&runner->params->spec).columns / block);
    }
    HB_TRY(hb_evaluator_copy(runner->evaluator, v->to, v->a));
    return hb_evaluator_sum_slots(runner->evaluator, v->to, runner->keys);
}

static hb_status load(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return runner->io.load(runner->io.context, i->operand, i->column, v->first, v->to);
}

static hb_status load_plain(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return runner->io.load_plain(runner->io.context, i->operand, i->column, v->first, v->to.all);
}

static hb_status store(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return runner->io.store(runner->io.context, i->operand, i->column, v->first, v->a);
}

static hb_status multiply_number(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return hb_evaluator_multiply_number(runner->evaluator, v->to, v->a, i->real);
}

static hb_status multiply_integer(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return hb_evaluator_multiply_integer(runner->evaluator, v->to, v->a, i->number);
}

static hb_status times_i(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_multiply_i(runner->evaluator, v->to, v->a, HB_PLUS);
}

static hb_status matrix(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return hb_runner_matrix_apply(runner, i, v->to, (const hb_ciphertexts[2]){v->a, v->b});
}

static hb_status polynomial(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return hb_runner_polynomial_apply(runner, i, v->to, v->a);
}

static hb_status adjust(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_adjust(runner->evaluator, v->to, v->a);
}

static hb_status mod_switch(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_mod_switch(runner->evaluator, v->to, v->a);
}

static hb_status rotate(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return hb_evaluator_rotate(runner->evaluator, v->to, v->a, i->number, runner->keys);
}

static hb_status swap(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_swap(runner->evaluator, v->to, v->a, runner->keys);
}

static hb_status conjugate(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_conjugate(runner->evaluator, v->to, v->a, runner->keys);
}

/* Every second ciphertext, from `first` on, of an even number. */
static hb_ciphertexts every_second(hb_ciphertexts a, size_t first)
{
    a.all = hb_batch_of_groups(a.all, 2, first);
    return a;
}

/* One of them: its components are as far apart as those of all. */
static hb_ciphertexts one_of(hb_ciphertexts a, size_t which)
{
    const size_t count = hb_ciphertexts_count(a);
    a.all = hb_batch_slice(hb_batch_of_groups(a.all, count, which), 0, a.size);
    return a;
}

static hb_status couple_two(hb_evaluator *ev, hb_ciphertexts to, hb_ciphertexts real, hb_ciphertexts imaginary)
{
    HB_TRY(hb_evaluator_multiply_i(ev, to, imaginary, HB_PLUS));
    return hb_evaluator_add(ev, to, real, to);
}

/* a + conj a is twice the real part, and (a - conj a)/i twice the imaginary one. */
static hb_status uncouple_two(hb_runner *runner, hb_ciphertexts real, hb_ciphertexts imaginary, hb_ciphertexts a)
{
    hb_evaluator *ev = runner->evaluator;
    HB_TRY(hb_evaluator_conjugate(ev, imaginary, a, runner->keys));
    HB_TRY(hb_evaluator_add(ev, real, a, imaginary));
    HB_TRY(hb_evaluator_sub(ev, imaginary, a, imaginary));
    return hb_evaluator_multiply_i(ev, imaginary, imaginary, HB_MINUS);
}

/* Views of every second one need an even number of them; an odd number, as at the end of a table, goes one by one. */
static hb_status couple(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const hb_ciphertexts to = v->to, a = v->a;
    const size_t count = hb_ciphertexts_count(a);
    hb_evaluator *ev = runner->evaluator;
    (void)i;
    if (count % 2 == 0) {
        return couple_two(ev, to, every_second(a, 0), every_second(a, 1));
    }
    for (size_t k = 0; k + 1 < count; k += 2) {
        HB_TRY(couple_two(ev, one_of(to, k / 2), one_of(a, k), one_of(a, k + 1)));
    }
    return hb_evaluator_copy(ev, one_of(to, count / 2), one_of(a, count - 1));
}

static hb_status uncouple(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    const hb_ciphertexts to = v->to, a = v->a;
    const size_t count = hb_ciphertexts_count(to);
    (void)i;
    if (count % 2 == 0) {
        return uncouple_two(runner, every_second(to, 0), every_second(to, 1), a);
    }
    for (size_t k = 0; k + 1 < count; k += 2) {
        HB_TRY(uncouple_two(runner, one_of(to, k), one_of(to, k + 1), one_of(a, k / 2)));
    }
    const hb_ciphertexts last = one_of(to, count - 1), from = one_of(a, count / 2);
    HB_TRY(hb_evaluator_conjugate(runner->evaluator, last, from, runner->keys));
    return hb_evaluator_add(runner->evaluator, last, from, last);
}

static hb_status refresh(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    hb_ciphertexts to = v->to, a = v->a;
    return hb_bootstrap_apply(runner->evaluator, runner->bootstrap, HB_BOOTSTRAP_NOISE, (uint32_t)i->number, &to, &a,
                              runner->keys);
}

static hb_status look_up(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    hb_ciphertexts to = v->to, a = v->a;
    return hb_bootstrap_apply(runner->evaluator, runner->bootstrap, HB_BOOTSTRAP_TABLE, (uint32_t)i->number, &to, &a,
                              runner->keys);
}

static hb_status extend(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)i;
    return hb_evaluator_extend(runner->evaluator, v->to, v->a);
}

static hb_status accumulate(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    return hb_evaluator_sum(runner->evaluator, *hb_runner_sum_of(runner, i->to), v->a, false);
}

/* Instructions that are done together with others (execute_some), and nodes of graphs, of which no instruction is made,
 * do not come to the table. */
static hb_status misplaced(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    (void)runner;
    (void)v;
    return HB_FAIL(HB_EINTERNAL, "a program has no instruction %d", (int)i->op);
}

/* Every operation, and the name of its row. */
/* clang-format off */
#define ROWS(X) \
    X(LOAD, load) X(LOAD_PLAIN, load_plain) X(KNOWN, misplaced) X(STORE, store) X(ADD, add) X(SUBTRACT, subtract) \
    X(NEGATE, negate) X(ADD_PLAIN, add_plain) X(SUBTRACT_PLAIN, add_plain) X(MULTIPLY_PLAIN, multiply_plain) \
    X(ADD_CONSTANT, add_constant) X(ADD_NUMBER, add_constant) X(MULTIPLY_INTEGER, multiply_integer) \
    X(MULTIPLY_NUMBER, multiply_number) X(COMBINE, misplaced) X(ADD_ROW, add_constant) X(MATRIX, matrix) \
    X(MATRIX_PAIR, matrix) X(ROW_SUM, sum_slots) X(ROW_SPREAD, sum_slots) X(COUPLE, couple) X(UNCOUPLE, uncouple) \
    X(MULTIPLY, multiply) X(POLYNOMIAL, polynomial) X(BOOTSTRAP, misplaced) X(REFRESH, refresh) \
    X(LOOKUP, look_up) X(RELINEARIZE, relinearize) X(RESCALE, relinearize) X(MOD_SWITCH, mod_switch) \
    X(EXTEND, extend) X(ADJUST, adjust) X(ROTATE, rotate) X(SWAP, swap) \
    X(CONJUGATE, conjugate) X(TIMES_I, times_i) X(BROADCAST, copy) X(MASK, mask) X(MASK_SCALED, mask_scaled) \
    X(ACCUMULATE, accumulate) X(MASK_ROW, mask_row) X(FILL_ROWS, sum_slots) X(SPREAD, misplaced) \
    X(SUM_SLOTS, sum_slots)
/* clang-format on */

#define ONE(op, row) +1
_Static_assert(0 ROWS(ONE) == HB_OPCODES, "an operation without a row could not be executed");
#define POINTER(op, row) [HB_OP_##op] = (row),

static hb_status execute(hb_runner *runner, const hb_instruction *i, const operands *v)
{
    static hb_status (*const rows[HB_OPCODES])(hb_runner *, const hb_instruction *, const operands *) = {ROWS(POINTER)};
    HB_ASSERT(rows[i->op] != NULL);
    return rows[i->op](runner, i, v);
}

static uint32_t element_of(const hb_runner *runner, const hb_instruction *i)
{
    const hb_params_spec *spec = &runner->params->spec;
    return i->op == HB_OP_ROTATE ? hb_slots_rotation(spec, i->number) : hb_slots_swap(spec);
}

/* The keys of those at the beginning of a group that have keys of their own. Returns how many; 0: fewer than two. */
static uint32_t keys_of(const hb_runner *runner, const hb_instruction *i, uint32_t group,
                        const hb_switch_key *keys[HB_MOST_TOGETHER])
{
    uint32_t count = 0;
    while (count < group) {
        keys[count] = hb_switch_keys_find(runner->keys, element_of(runner, &i[count]));
        if (keys[count] == NULL) {
            break;
        }
        count++;
    }
    return count > 1 ? count : 0;
}

/* Runs rotations i .. i + *done of one value together; 0: none. */
static hb_status hoist(hb_runner *runner, const hb_instruction *i, uint32_t group, size_t count, uint32_t *done)
{
    const hb_switch_key *keys[HB_MOST_TOGETHER];
    hb_ciphertexts to[HB_MOST_TOGETHER];
    *done = keys_of(runner, i, group, keys);
    for (uint32_t k = 0; k < *done; k++) {
        to[k] = hb_runner_value(runner, i[k].to, count);
    }
    if (*done == 0) {
        return HB_OK;
    }
    return hb_evaluator_galois_hoisted(runner->evaluator, to, hb_runner_value(runner, i->a, count), keys, *done);
}

hb_status hb_runner_prepare(hb_runner *runner, const hb_instruction *instructions, uint32_t instruction_count)
{
    for (uint32_t at = 0; at < instruction_count;) {
        const hb_instruction *i = &instructions[at];
        const hb_switch_key *keys[HB_MOST_TOGETHER];
        const uint32_t done = keys_of(runner, i, hb_together_moved(i, instruction_count - at), keys);
        if (done > 0) {
            HB_TRY(
                hb_evaluator_prepare_hoisting(runner->evaluator, runner->program->registers[i->a].limbs, keys, done));
        }
        at += done > 0 ? done : 1;
    }
    return HB_OK;
}

/* Executes the first of the instructions together with those of its group. *done: how many. */
static hb_status execute_some(hb_runner *runner, const hb_instruction *i, uint32_t left, uint64_t first, size_t count,
                              uint32_t *done)
{
    *done = hb_together_combined(runner->program, i, left);
    if (*done > 0) {
        return hb_runner_combine(runner, i, *done, count);
    }
    *done = hb_together_bootstrapped(i, left);
    if (*done > 0) {
        return hb_runner_bootstrap(runner, i, count);
    }
    *done = hb_together_spread(i, left);
    if (*done > 0) {
        return hb_runner_spread(runner, i, *done);
    }
    HB_TRY(hoist(runner, i, hb_together_moved(i, left), count, done));
    if (*done > 0) {
        return HB_OK;
    }
    const operands v = {hb_runner_value(runner, i->to, count), hb_runner_value(runner, i->a, count),
                        hb_runner_value(runner, i->b, count), first};
    *done = 1;
    return execute(runner, i, &v);
}

hb_status hb_runner_execute(hb_runner *runner, const hb_instruction *instructions, uint32_t instruction_count,
                            uint64_t first, size_t count)
{
    for (uint32_t at = 0, done; at < instruction_count; at += done) {
        const hb_instruction *i = &instructions[at];
        const double begun = runner->executed != NULL ? hb_now() : 0;
        const uint32_t pair = hb_together_bootstrapped(i, instruction_count - at);
        runner->under_way = (hb_runner_under_way){i, pair > 0 ? pair : 1, count, 0};
        HB_TRY(execute_some(runner, i, instruction_count - at, first, count, &done));
        if (runner->executed != NULL) {
            runner->executed(i->op, begun, hb_now());
        }
        HB_TRY(hb_runner_count_work(runner, i, done, count));
    }
    return HB_OK;
}
