/* Passes over the noise of integers against words of the model (vectors/integers) at every stage, whole and with limbs
 * divided: a pass, a second one with another k, and a product of what is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/int_stages.h"
#include "refresh/refresh.h"
#include "unit/unit.h"

/* The keys of the sparse secret. */
static hb_status expect_sparse_keys(side *s, const hb_switch_keys *keys, const int_case *c)
{
    const json_t *digests = json_object_get(c->json, "keys");
    const hb_switch_key *to = hb_switch_keys_find_at(keys, HB_TO_SPARSE, 0, 1),
                        *from = hb_switch_keys_find_at(keys, HB_FROM_SPARSE, 0, s->params->data_limbs);
    HB_TRY(expect_digest(s, "the key to the sparse secret", to->parts, int_text(digests, "to_sparse")));
    return expect_digest(s, "the key from the sparse secret", from->parts, int_text(digests, "to_dense"));
}

/* a times the message of number 1, again. */
static hb_status expect_after(side *s, const rig *x, const int_script *cast, hb_ciphertexts a)
{
    hb_ciphertexts y, wide = room(s, 3, 1, a.all.limbs);
    wide.form = HB_COEFFICIENT_FORM;
    HB_TRY(int_encrypt(s, &y, cast->message[1], 1));
    HB_TRY(hb_evaluator_multiply(x->ev, wide, a, y));
    HB_TRY(hb_evaluator_relinearize(x->ev, a, wide, &x->products.key[0]));
    HB_TRY(int_expect(s, &cast->c, "after", a.all));
    return int_expect_decrypted(s, cast, "after", cast->again, a);
}

static hb_status passes(side *s, rig *x, const int_script *cast)
{
    const json_t *json = cast->c.json;
    hb_ciphertexts a, r = room(s, 2, 1, s->params->fresh_limbs);
    watch w = {.s = s, .c = &cast->c};
    r.form = HB_COEFFICIENT_FORM;
    HB_TRY(expect_sparse_keys(s, &x->keys, &cast->c));
    HB_TRY(int_multiply_all(s, x->ev, &x->products, cast, &a));
    x->bootstrap->observer = (hb_bootstrap_observer){see, &w};
    HB_TRY(
        hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_NOISE, (uint32_t)int_number(json, "k"), &r, &a, &x->keys));
    HB_TRY(expect_stages(&w));
    HB_TRY(int_expect(s, &cast->c, "result", r.all));
    HB_TRY(int_expect_decrypted(s, cast, "result", cast->product, r));
    x->bootstrap->observer = (hb_bootstrap_observer){.see = NULL};
    const uint32_t k = (uint32_t)int_number(int_item(&cast->c, "second"), "k");
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_NOISE, k, &r, &r, &x->keys)); /* in place */
    HB_TRY(int_expect(s, &cast->c, "second", r.all));
    HB_TRY(int_expect_decrypted(s, cast, "second", cast->product, r));
    return expect_after(s, x, cast, r);
}

static hb_status play_passes(side *s, const void *with)
{
    rig x;
    hb_status st = rig_init(s, &x, NULL);
    st = st == HB_OK ? passes(s, &x, with) : st;
    rig_clear(&x);
    return st;
}

static void play(const char *name, uint32_t members)
{
    json_t *index = int_index();
    int_script *x = calloc(1, sizeof *x);
    assert_non_null(x);
    int_script_open(x, index, name);
    expect_play(&x->c.spec, play_passes, x, members);
    free(x);
    json_decref(index);
}

static void passes_are_the_models(void **state)
{
    static const char *const names[] = {"int-15", "int-16 cubic", "int-16 sure", "int-16-sure"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        play(names[i], 2);
    }
}

static void words_of_int_16_are_the_models(void **state)
{
    (void)state;
    play("int-16", 3);
}

/* The constants of both passes, in hexadecimal, as the index has them. */
static void constants_are_the_models(void **state)
{
    static const char *const names[] = {"int-16", "int-15", "int-16 cubic", "int-16 sure", "int-16-sure"};
    (void)state;
    json_t *index = int_index();
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const int_case c = int_case_of(index, names[i / 2]);
        const json_t *in = i % 2 == 0 ? c.json : int_item(&c, "second");
        hb_params *params = NULL;
        hb_natural constant;
        char hex[16 * HB_NATURAL_WORDS + 3] = "0x";
        assert_int_equal(hb_params_open(&c.spec, &params), HB_OK);
        assert_int_equal(hb_refresh_constant(params, (uint32_t)int_number(in, "k"), &constant), HB_OK);
        for (uint32_t w = constant.words, at = 2; w-- > 0; at = (uint32_t)strlen(hex)) {
            snprintf(hex + at, sizeof hex - at, w + 1 == constant.words ? "%llx" : "%016llx",
                     (unsigned long long)constant.word[w]);
        }
        assert_string_equal(hex, int_text(in, "constant"));
        /* With 2^200 less there is nothing to gain. */
        assert_int_equal(hb_refresh_constant(params, (uint32_t)int_number(in, "k") + 200, &constant), HB_ECONFIG);
        assert_non_null(strstr(hb_last_error()->text, "gains nothing"));
        hb_params_close(params);
    }
    json_decref(index);
}

HB_UNIT(refresh_vectors)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_the_models),
        cmocka_unit_test(passes_are_the_models),
        cmocka_unit_test(words_of_int_16_are_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
