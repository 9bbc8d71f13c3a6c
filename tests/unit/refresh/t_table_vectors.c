/* Tables while bootstrapping against words of the model (vectors/integers/tables.json) at every stage, whole and with
 * limbs divided: a table of every entry drawn, of 2, 4, 7 and 8 bits, and a pass over what noise it leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bootstrapping/chain.h"
#include "reference/int_stages.h"
#include "unit/unit.h"

/* The streams of tables and of their noise, without the seed. */
enum { OF_TABLE = 201, OF_NOISE, NOISE_BITS = 16, MOST_ENTRIES = 1 << HB_TABLE_MOST_BITS };

typedef struct table_case {
    int_script x; /* its product: what the table makes of message 0 */
    uint64_t entries[MOST_ENTRIES];
    hb_bootstrap_table table;
} table_case;

static void table_case_open(table_case *t, const json_t *index, const char *name)
{
    t->x.c = int_case_of(index, name);
    const uint64_t p = t->x.c.spec.bfv.plain;
    assert_in_range(p, 4, MOST_ENTRIES);
    t->table = (hb_bootstrap_table){.bits = (uint32_t)__builtin_ctzll(p), .entries = t->entries};
    stream_uniform(t->entries, p, p, (const uint64_t[]){OF_TABLE}, 1);
    int_slots(t->x.message[0], p, 0);
    for (size_t i = 0; i < MODEL_N; i++) {
        t->x.product[i] = t->entries[t->x.message[0][i]];
    }
}

/* Adds noise: numbers below 2^15 in magnitude times Q / (t 2^(16 + spare)), so that it is 2^-(spare + 1) of a step. */
static hb_status add_noise(side *s, const table_case *t, hb_batch c0)
{
    uint64_t drawn[MODEL_N], factors[HB_MAX_LIMBS];
    int64_t numbers[MODEL_N];
    const hb_basis *users = &hb_params_fresh_level(s->params)->basis;
    hb_natural factor = users->product;
    (void)hb_natural_div(&factor, t->x.c.spec.bfv.plain << (NOISE_BITS + int_number(t->x.c.json, "spare")));
    hb_basis_decompose(users, &factor, factors);
    stream_uniform(drawn, MODEL_N, UINT64_C(1) << NOISE_BITS, (const uint64_t[]){OF_NOISE}, 1);
    for (size_t i = 0; i < MODEL_N; i++) {
        numbers[i] = (int64_t)drawn[i] - (1 << (NOISE_BITS - 1));
    }
    const hb_batch noise = model_take(s, 1, c0.limbs);
    HB_TRY(put_integers(s, noise, numbers));
    HB_TRY(hb_intt(s->engine, noise));
    HB_TRY(hb_scale(s->engine, noise, noise, factors));
    return hb_add(s->engine, c0, c0, noise);
}

static hb_status look_up(side *s, rig *x, const table_case *t)
{
    const int_case *c = &t->x.c;
    hb_ciphertexts a, r = room(s, 2, 1, s->params->fresh_limbs);
    watch w = {.s = s, .c = c};
    r.form = HB_COEFFICIENT_FORM;
    HB_TRY(int_encrypt(s, &a, t->x.message[0], 0));
    HB_TRY(add_noise(s, t, hb_ciphertexts_component(a, 0)));
    HB_TRY(int_expect(s, c, "operand", a.all));
    HB_TRY(int_expect_decrypted(s, &t->x, "operand", t->x.message[0], a));
    x->bootstrap->observer = (hb_bootstrap_observer){see, &w};
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_TABLE, 0, &r, &a, &x->keys));
    HB_TRY(expect_stages(&w));
    HB_TRY(int_expect(s, c, "result", r.all));
    HB_TRY(int_expect_decrypted(s, &t->x, "result", t->x.product, r));
    x->bootstrap->observer = (hb_bootstrap_observer){.see = NULL};
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_TABLE, 0, &a, &a, &x->keys)); /* in place */
    HB_TRY(int_expect(s, c, "result", a.all));
    const uint32_t k = (uint32_t)int_number(int_item(c, "second"), "k");
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_NOISE, k, &r, &r, &x->keys));
    HB_TRY(int_expect(s, c, "second", r.all));
    return int_expect_decrypted(s, &t->x, "second", t->x.product, r);
}

static hb_status play_table(side *s, const void *with)
{
    const table_case *t = with;
    rig x;
    hb_status st = rig_init(s, &x, &t->table);
    st = st == HB_OK ? look_up(s, &x, t) : st;
    rig_clear(&x);
    return st;
}

static void play(const char *name, uint32_t members)
{
    json_t *index = int_index_in(HB_TESTS_VECTORS "/integers/tables.json");
    table_case *t = calloc(1, sizeof *t);
    assert_non_null(t);
    table_case_open(t, index, name);
    expect_play(&t->x.c.spec, play_table, t, members);
    free(t);
    json_decref(index);
}

static void tables_of_eight_bits_are_the_models(void **state)
{
    (void)state;
    play("int-16-table-8", 3);
}

static void shorter_tables_are_the_models(void **state)
{
    static const char *const names[] = {"int-16-table-4", "two bits of int-16-table-4", "seven bits of int-16-table-8"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        play(names[i], 2);
    }
}

HB_UNIT(table_vectors)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shorter_tables_are_the_models),
        cmocka_unit_test(tables_of_eight_bits_are_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
