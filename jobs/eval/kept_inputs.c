#include "kept_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "batch/unit/buffers.h"

static bool in_several(const hb_kept_setting *setting, uint32_t i)
{
    const hb_eval_input *input = &setting->shape->inputs[i];
    uint32_t passes = 0;
    for (uint32_t p = 0; p < setting->program->pass_count && passes < 2; p++) {
        passes += hb_eval_input_in_pass(input, setting->program, p, i);
    }
    return input->dataset != NULL && passes > 1;
}

static uint64_t kept_step_bytes(const hb_kept_setting *setting)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < setting->shape->input_count; i++) {
        bytes += in_several(setting, i) ? hb_step_input_bytes(setting->params, &setting->shape->inputs[i]) : 0;
    }
    return bytes;
}

/* Returns how many steps are kept. */
static uint64_t kept_steps(const hb_kept_setting *setting)
{
    const uint64_t each = kept_step_bytes(setting), fit = each > 0 ? setting->bytes / each : 0;
    const uint64_t most = fit < setting->steps ? fit : setting->steps;
    return setting->all_or_none && most < setting->steps ? 0 : most;
}

uint64_t hb_kept_inputs_bytes(const hb_kept_setting *setting)
{
    return kept_steps(setting) * kept_step_bytes(setting);
}

hb_status hb_kept_inputs_init(hb_kept_inputs *kept, const hb_kept_setting *setting)
{
    const hb_eval_shape *shape = setting->shape;
    *kept = (hb_kept_inputs){.wanted = calloc((size_t)shape->input_count + 1, sizeof *kept->wanted)};
    if (kept->wanted == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u inputs", shape->input_count);
    }
    for (uint32_t i = 0; i < shape->input_count; i++) {
        kept->wanted[i] = in_several(setting, i);
    }
    const uint64_t most = kept_steps(setting);
    if (most == 0) {
        return HB_OK;
    }
    kept->set = calloc((size_t)most, sizeof *kept->set);
    kept->locks = kept->set != NULL && pthread_mutex_init(&kept->lock, NULL) == 0;
    if (!kept->locks) {
        return HB_FAIL(HB_ENOMEM, "no memory for the inputs of %zu steps", (size_t)most);
    }
    while (kept->count < most) {
        /* Counted before it is whole, so that it is cleared. */
        hb_step_inputs *next = &kept->set[kept->count++];
        const hb_status st = hb_step_inputs_init(next, setting->engine, setting->params, shape, kept->wanted);
        if (st == HB_ENOMEM && !setting->all_or_none) { /* others have taken memory meanwhile: fewer are kept */
            hb_step_inputs_clear(next, shape);
            kept->count--;
            hb_clear_error();
            break;
        }
        HB_TRY(st);
    }
    return HB_OK;
}

void hb_kept_inputs_clear(hb_kept_inputs *kept, const hb_eval_shape *shape)
{
    for (size_t i = 0; i < kept->count; i++) {
        hb_step_inputs_clear(&kept->set[i], shape);
    }
    if (kept->locks) {
        pthread_mutex_destroy(&kept->lock);
    }
    free(kept->set);
    free(kept->wanted);
    *kept = (hb_kept_inputs){.set = NULL};
}

/* Returns the first set of this step, or NULL. */
static hb_step_inputs *find(const hb_kept_inputs *kept, uint64_t step)
{
    size_t i = 0;
    while (i < kept->count && kept->set[i].step != step) {
        i++;
    }
    return i < kept->count ? &kept->set[i] : NULL;
}

hb_step_inputs *hb_kept_inputs_of(hb_kept_inputs *kept, uint64_t step)
{
    if (kept->count == 0) {
        return NULL;
    }
    pthread_mutex_lock(&kept->lock);
    hb_step_inputs *set = find(kept, step);
    if (set == NULL && (set = find(kept, HB_NO_STEP)) != NULL) {
        set->step = step;
    }
    pthread_mutex_unlock(&kept->lock);
    return set;
}

bool hb_kept_inputs_have(hb_kept_inputs *kept, uint64_t step, uint32_t i)
{
    if (kept->count == 0) {
        return false;
    }
    pthread_mutex_lock(&kept->lock);
    const hb_step_inputs *set = find(kept, step);
    const bool there = set != NULL && set->input[i].there;
    pthread_mutex_unlock(&kept->lock);
    return there;
}

/* --- datasets that stay for later jobs */

void hb_resident_inputs_begin(hb_residents *all, hb_eval_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        hb_eval_input *input = &inputs->input[i];
        if (input->dataset != NULL && !hb_dataset_origin(input->dataset, input->origin.digest)) {
            input->origin = (hb_resident_key){{0}}; /* reading it tells why */
        }
        hb_residents_use(all, &input->origin);
    }
}

/* Whether the pass reads rows of a dataset that is known by its origin; what was switched is no dataset's. */
static bool may_stay(const hb_resident_setting *x, uint32_t i)
{
    static const hb_resident_key none;
    const hb_eval_input *input = &x->shape->inputs[i];
    return input->dataset != NULL && input->switched == NULL && memcmp(&input->origin, &none, sizeof none) != 0 &&
           hb_eval_input_in_pass(input, x->program, x->pass, i);
}

/* Marks the units of the input that the steps of this rank touch: wanted [units]. HB_ENOMEM. */
static hb_status mark(const hb_resident_setting *x, const hb_eval_input *input, bool *wanted)
{
    uint64_t *units = calloc(input->most_units + 1, sizeof *units);
    if (units == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the list of %zu units", input->most_units);
    }
    for (uint64_t s = 0; s < x->mine->mine.count; s++) {
        uint64_t first, count;
        hb_header_unit_range(x->steps, x->mine->list[s], &first, &count);
        const size_t found = hb_eval_step_units(input, first, count, units, input->most_units);
        for (size_t k = 0; k < found; k++) {
            wanted[units[k]] = true;
        }
    }
    free(units);
    return HB_OK;
}

/* Bytes of the units of an input that the steps of this rank read, and those of them that are there. */
typedef struct counted {
    uint64_t wanted, found;
} counted;

/* Finds room for one input on this rank. */
static hb_status take(const hb_resident_setting *x, hb_eval_input *input, counted *bytes_of)
{
    const hb_header *header = input->header;
    const uint64_t bytes = hb_unit_rows_packed_bytes(x->engine, header);
    hb_resident_need need = {.key = input->origin,
                             .units = hb_header_units(header),
                             .bytes = bytes > 0 ? bytes : 1, /* a member may have no limb of the dataset */
                             .seeds = header->seeded ? header->unit : 0,
                             .each = hb_rows_bytes(x->params, header)};
    bool *wanted = calloc((size_t)need.units + 1, sizeof *wanted);
    if (wanted == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of units");
    }
    const hb_status st = mark(x, input, wanted);
    if (st == HB_OK) {
        need.wanted = wanted;
        hb_resident_units *of = hb_residents_room(x->all, x->engine, &need);
        input->resident = of != NULL && !of->goes ? of : NULL;
        for (uint64_t u = 0; u < need.units; u++) {
            bytes_of->wanted += wanted[u] ? need.each : 0;
            bytes_of->found += wanted[u] && hb_resident_there(input->resident, u) != NULL ? need.each : 0;
        }
    }
    free(wanted);
    return st;
}

/* All inputs of the pass. bytes_of [input_count]: zeros at first. */
static hb_status take_all(const hb_resident_setting *x, counted *bytes_of)
{
    for (uint32_t i = 0; i < x->shape->input_count; i++) {
        x->shape->inputs[i].resident = NULL;
        if (may_stay(x, i)) {
            HB_TRY(take(x, &x->shape->inputs[i], &bytes_of[i]));
        }
    }
    return HB_OK;
}

/* The units that are there or have room, as a number; other numbers for other sets, but for chance. All units of the
 * dataset count: totals go by those of the first row block, whatever steps a rank has. */
static uint64_t number_of(const hb_resident_units *of)
{
    uint64_t hash = 0;
    for (uint64_t u = 0; of != NULL && u < of->units; u++) {
        const int state = atomic_load(&of->unit[u].state);
        hash = hb_hash_word(hash, 4 * u + (uint64_t)(state == HB_UNIT_FILLED ? HB_UNIT_ROOM : state));
    }
    return hash;
}

/* Members exchange as they check units: where one of them has other units of a dataset than the rest, all of them check
 * all of these, and none keeps it. It goes when the job ends, as inputs that an earlier pass kept may be in its memory.
 * numbers: memory for [2 input_count]. Collective. */
static hb_status level(const hb_resident_setting *x, uint64_t *numbers)
{
    const uint32_t count = x->shape->input_count;
    hb_eval_input *inputs = x->shape->inputs;
    if (x->members->size == 1) {
        return HB_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = number_of(inputs[i].resident);
        numbers[count + i] = ~numbers[i];
    }
    HB_TRY(hb_group_max(x->members, numbers, 2 * (size_t)count));
    for (uint32_t i = 0; i < count; i++) {
        if (numbers[i] != ~numbers[count + i] && inputs[i].resident != NULL) {
            inputs[i].resident->goes = true;
            inputs[i].resident = NULL;
        }
    }
    return HB_OK;
}

/* Once members agree. */
static void count_all(const hb_resident_setting *x, const counted *bytes_of)
{
    for (uint32_t i = 0; i < x->shape->input_count; i++) {
        const uint64_t found = x->shape->inputs[i].resident != NULL ? bytes_of[i].found : 0;
        x->all->found += found;
        x->all->missing += bytes_of[i].wanted - found;
    }
}

hb_status hb_resident_inputs_take(const hb_resident_setting *x)
{
    if (x->all == NULL) {
        return HB_OK;
    }
    const size_t count = x->shape->input_count;
    uint64_t *numbers = calloc(2 * count + 1, sizeof *numbers);
    counted *bytes_of = calloc(count + 1, sizeof *bytes_of);
    const bool room = numbers != NULL && bytes_of != NULL;
    hb_status st = room ? take_all(x, bytes_of) : HB_FAIL(HB_ENOMEM, "no memory for the inputs");
    st = hb_agree(x->group, st);
    st = st == HB_OK ? hb_agree(x->group, level(x, numbers)) : st;
    if (st == HB_OK) {
        count_all(x, bytes_of);
    }
    free(bytes_of);
    free(numbers);
    return st;
}
