/* Bootstrapped values of a program: maps, plans and workspace of bootstrapping, for all ranges that its values have. */
#include <stdlib.h>

#include "lang/program/bootstrap.h"
#include "runner_private.h"

enum { RANGES = HB_BOOTSTRAP_MOST_BITS + 1 };

/* The kinds of values that a program bootstraps. */
typedef struct uses {
    bool ranges[RANGES], twice; /* twice: all are, as one program has one way */
    bool others;                /* than two row blocks as one */
    bool lowest;                /* from the lowest level: all are, likewise */
    bool noise;                 /* of integers, which have no ranges of values */
    const hb_tables *tables;    /* of these, for look-ups */
    uint32_t list[RANGES], count;
} uses;

static void look_at(uses *u, const hb_instruction *instructions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (instructions[i].op == HB_OP_BOOTSTRAP) {
            u->ranges[hb_bootstrap_range_bits(instructions[i].number)] = true;
            u->twice = hb_bootstrap_is_twice(instructions[i].number);
            u->lowest = hb_bootstrap_kind_of(instructions[i].number) == HB_BOOTSTRAP_LOWEST;
            u->others = u->others || hb_bootstrap_kind_of(instructions[i].number) != HB_BOOTSTRAP_NEIGHBOURS;
        }
        u->noise = u->noise || instructions[i].op == HB_OP_REFRESH || instructions[i].op == HB_OP_LOOKUP;
    }
}

/* Lists the ranges of a program's values that are bootstrapped. */
static uses uses_of(const hb_program *program)
{
    uses u = {.tables = &program->constants.tables};
    for (uint32_t p = 0; p < program->pass_count; p++) {
        const hb_pass *pass = &program->passes[p];
        look_at(&u, pass->rows, pass->row_count);
        look_at(&u, pass->totals, pass->total_count);
    }
    for (uint32_t bits = 0; bits < RANGES; bits++) {
        if (u.ranges[bits]) {
            u.list[u.count++] = bits;
        }
    }
    return u;
}

static bool has_any(const uses *u)
{
    return u->count > 0 || u->noise;
}

static hb_bootstrap_spec spec_of(const uses *u, size_t count)
{
    const size_t at_a_time = u->others || u->noise ? count : (count + 1) / 2;
    return (hb_bootstrap_spec){.count = at_a_time,
                               .range_bits = u->list,
                               .ranges = u->count,
                               .tables = u->tables->table,
                               .table_count = u->tables->count,
                               .twice = u->twice,
                               .lowest = u->lowest};
}

bool hb_runner_bootstraps(const hb_program *program)
{
    const uses u = uses_of(program);
    return has_any(&u);
}

hb_bootstrap_memory hb_runner_bootstrap_memory(const hb_params *params, const hb_program *program, size_t count)
{
    const uses u = uses_of(program);
    const hb_bootstrap_spec spec = spec_of(&u, count);
    hb_bootstrap_memory memory = {0};
    if (has_any(&u) && hb_bootstrap_memory_of(params, &spec, &memory) != HB_OK) {
        memory.shared = UINT64_MAX / 4; /* more than any engine has */
    }
    return memory;
}

hb_status hb_runner_bootstrap_init(hb_runner *runner, const hb_runner *of)
{
    const uses u = uses_of(runner->program);
    hb_bootstrap_spec spec = spec_of(&u, runner->count);
    spec.of = of != NULL ? of->bootstrap : NULL;
    return has_any(&u) ? hb_bootstrap_open(runner->engine, runner->params, &spec, &runner->bootstrap) : HB_OK;
}

void hb_runner_bootstrap_clear(hb_runner *runner)
{
    hb_bootstrap_close(runner->bootstrap);
    runner->bootstrap = NULL;
}

hb_status hb_runner_bootstrap(hb_runner *runner, const hb_instruction *i, size_t count)
{
    const hb_bootstrap_kind kind = hb_bootstrap_kind_of(i->number);
    hb_ciphertexts to[2], a[2];
    for (uint32_t k = 0; k < hb_bootstrap_batches(kind); k++) {
        to[k] = hb_runner_value(runner, i[k].to, count);
        a[k] = hb_runner_value(runner, i[k].a, count);
    }
    return hb_bootstrap_apply(runner->evaluator, runner->bootstrap, kind, hb_bootstrap_range_bits(i->number), to, a,
                              runner->keys);
}
