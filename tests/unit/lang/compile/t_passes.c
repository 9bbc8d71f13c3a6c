/* The passes of the compiler: their order, the results kept between compilations, and that their checks find damage. */
#include "unit/lang/run/program_fixture.h"

#include <math.h>

#include "lang/compile/cache.h"
#include "lang/compile/verify.h"
#include "lang/functions/list.h"
#include "lang/ir/semantics.h"
#include "lang/text/syntax.h"
#include "unit/unit.h"

enum { MOST_PASSES = 64 };

static const char *names[MOST_PASSES];
static size_t name_count;

static void note(const char *pass, double begun, double ended)
{
    assert_true(begun <= ended && name_count < MOST_PASSES);
    names[name_count++] = pass;
}

static const char *const y[] = {"y"};

static hb_program_source source_of(const fixture *f, const char *text)
{
    return (hb_program_source){.text = text,
                               .params = f->params,
                               .operands = f->operand,
                               .operand_count = OPERANDS,
                               .outputs = y,
                               .output_count = 1,
                               .trust = HB_QUALITY_WORST};
}

static void the_observer_hears_of_each_pass(void **state)
{
    (void)state;
    static const char *const all[] = {"parse",         "types",       "lower",  "results",   "levels",
                                      "sizes",         "data passes", "errors", "precision", "levels of results",
                                      "result schema", "keys",        "notes",  "schedule",  "registers",
                                      "resume points"};
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    hb_program_source source = source_of(&f, "y = sum(b)*d");
    source.ran = note;
    name_count = 0;
    assert_int_equal(hb_program_compile(&f.program, &source), HB_OK);
    assert_int_equal(name_count, sizeof all / sizeof *all);
    for (size_t i = 0; i < name_count; i++) {
        assert_string_equal(names[i], all[i]);
    }
    close_fixture(&f);
}

/* The graph stands in the listing after each pass that changes it, and only where that is asked for. */
static void a_listing_shows_each_pass(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    hb_program_source source = source_of(&f, "y = b*d");
    source.listing = HB_LISTING_WITH_NUMBERS;
    assert_int_equal(hb_program_compile(&f.program, &source), HB_OK);
    assert_null(strstr(f.program.description.listing, "after "));
    hb_program_clear(&f.program);
    source.each_pass = true;
    assert_int_equal(hb_program_compile(&f.program, &source), HB_OK);
    const char *lowered = strstr(f.program.description.listing, "after lower:\nn0 = load");
    assert_non_null(lowered);
    assert_non_null(strstr(lowered, "after sizes:\n"));
    assert_non_null(strstr(lowered, "program: rows"));
    close_fixture(&f);
}

/* The same by itself and with a cache: the text form, or the refusal. */
static hb_status compile_both(fixture *f, hb_program_source source, hb_compile_cache *cache)
{
    hb_program again;
    source.listing = HB_LISTING_WITH_NUMBERS;
    const hb_status alone = hb_program_compile(&f->program, &source);
    const hb_error cause = *hb_last_error();
    source.cache = cache;
    assert_int_equal(hb_program_compile(&again, &source), alone);
    if (alone == HB_OK) {
        assert_string_equal(again.description.listing, f->program.description.listing);
    } else {
        assert_string_equal(hb_last_error()->text, cause.text);
    }
    hb_program_clear(&again);
    hb_program_clear(&f->program);
    return alone;
}

/* Another text in the place of the last one is parsed, and the first one again. */
static void a_cache_changes_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"y = b*d + 1", "y = b*d + 1", "y = b - d",
                                        "y = b*d + 1", "y = b*(",     "y = b - d"};
    fixture f;
    hb_compile_cache *cache;
    open_fixture(&f, "bfv-16384", 100000);
    assert_int_equal(hb_compile_cache_open(&cache), HB_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        compile_both(&f, source_of(&f, texts[i]), cache);
    }
    hb_compile_cache_close(cache);
    hb_compile_cache_close(NULL);
    close_fixture(&f);
}

/* A graph of integers is lowered once for all lengths of a chain, and anew where more than levels is different. */
static void graphs_are_the_same_at_other_levels(void **state)
{
    (void)state;
    static const char *const texts[] = {"y = sum(b*d) + d", "z = modswitch(modswitch(b))*low; y = z + a.x",
                                        "y = v*b + (b == 3)"};
    static const uint32_t primes[] = {9, 5, 9, 3, 2, 4, 4, 7};
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    f.operand[B].ranged = true;
    f.operand[B].most = 20;
    hb_params_spec spec = f.params->spec;
    hb_params *const whole = f.params;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        hb_compile_cache *cache;
        uint32_t compiled = 0, refused = 0;
        assert_int_equal(hb_compile_cache_open(&cache), HB_OK);
        for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
            hb_params_spec shorter = spec;
            shorter.key_limbs = primes[i];
            shorter.bfv.plain = i == 6 ? 786433 : spec.bfv.plain; /* another t, = 1 mod 2^18 */
            assert_int_equal(hb_params_open(&shorter, &f.params), HB_OK);
            for (uint32_t o = 0; o < OPERANDS; o++) {
                f.operand[o].limbs = f.params->data_limbs - (o == L);
                f.operand[o].quality = hb_quality_fresh(f.params, true, HB_BINOMIAL);
            }
            f.operand[B].most = i == 7 ? 30 : 20;
            const hb_status st = compile_both(&f, source_of(&f, texts[t]), cache);
            assert_true(t > 0 || i >= 6 || cache->next == 1); /* one graph for all lengths */
            compiled += st == HB_OK;
            refused += st != HB_OK;
            hb_params_close(f.params);
        }
        assert_true(compiled >= 2 && refused >= 2);
        hb_compile_cache_close(cache);
    }
    f.params = whole;
    close_fixture(&f);
}

static void assert_finds(hb_status st, const char *part)
{
    assert_int_equal(st, HB_EINTERNAL);
    if (strstr(hb_last_error()->text, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, hb_last_error()->text);
    }
}

static void damage_to_syntax_is_found(void **state)
{
    (void)state;
    hb_syntax s;
    assert_int_equal(hb_syntax_parse(&s, "y = a + 2; z = -y", hb_lang_functions), HB_OK);
    const hb_compilation c = {.syntax = &s};
    assert_int_equal(hb_verify(&c, HB_IS_POSTFIX), HB_OK);
    const hb_item_kind kind = s.items[2].kind;
    s.items[2].kind = HB_ITEM_NEGATE;
    assert_finds(hb_verify(&c, HB_IS_POSTFIX), "takes 1 values of 2");
    s.items[2].kind = kind;
    s.count--;
    assert_finds(hb_verify(&c, HB_IS_POSTFIX), "1 values are left");
    hb_syntax_clear(&s);
}

/* Two loads, and their product, which is stored. */
typedef struct small {
    hb_node nodes[3];
    hb_node_size size[3];
    hb_node_error error[3];
    uint32_t pool[1];
    hb_symbol symbol;
    hb_symbol *outputs[1];
    hb_operand operands[2];
    hb_params_spec spec;
    hb_program_source source;
    hb_compilation c;
} small;

static void make(small *s)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < 3; i++) {
        s->nodes[i] = (hb_node){.op = i < 2 ? HB_OP_LOAD : HB_OP_MULTIPLY,
                                .a = i < 2 ? HB_NO_NODE : 0,
                                .b = i < 2 ? HB_NO_NODE : 1,
                                .shape.limbs = 3,
                                .form.fingerprint = 1};
        s->size[i] = (hb_node_size){.used = true, .stored = i == 2, .raw_size = i < 2 ? 2 : 3, .size = 2};
    }
    s->pool[0] = 2;
    s->symbol.value.columns = 1;
    s->outputs[0] = &s->symbol;
    s->source.output_count = 1;
    s->c = (hb_compilation){.source = &s->source, .outputs = s->outputs};
    s->c.lowering.pool = s->pool;
    s->operands[0].limbs = 3;
    s->operands[1].limbs = 2;
    s->spec.scheme = HB_BFV;
    s->c.lowering.graph = (hb_graph){.nodes = s->nodes,
                                     .count = 3,
                                     .spec = &s->spec,
                                     .operands = s->operands,
                                     .operand_count = 2,
                                     .semantics = hb_semantics_of(HB_BFV)};
    s->c.facts = (hb_facts){.graph = &s->c.lowering.graph, .count = 3, .size = s->size, .error = s->error, .passes = 1};
}

static void damage_to_a_graph_is_found(void **state)
{
    (void)state;
    small s;
    make(&s);
    assert_int_equal(hb_verify(&s.c, HB_HAS_FACTS), HB_OK);
    s.nodes[2].b = 2;
    assert_finds(hb_verify(&s.c, HB_IS_GRAPH), "is made of node 2");
    make(&s);
    s.nodes[2].form.fingerprint = 0;
    assert_finds(hb_verify(&s.c, HB_HAS_RESULTS), "nothing encrypted");
    make(&s);
    s.nodes[2].op = HB_OP_RELINEARIZE;
    assert_finds(hb_verify(&s.c, HB_IS_GRAPH), "node 2 is a relinearization");
    make(&s);
    s.nodes[2].op = HB_OP_RESCALE;
    s.c.lowering.graph.semantics = hb_semantics_of(HB_CKKS);
    assert_int_equal(hb_verify(&s.c, HB_IS_GRAPH), HB_OK);
    s.c.lowering.graph.unplaced = true;
    assert_finds(hb_verify(&s.c, HB_IS_GRAPH), "node 2 is a rescale");
    make(&s);
    s.nodes[2].shape.plain = true;
    assert_finds(hb_verify(&s.c, HB_HAS_RESULTS), "column 0 of a result");
    make(&s);
    s.size[2].size = 3;
    assert_finds(hb_verify(&s.c, HB_HAS_SIZES), "3 components");
    make(&s);
    s.size[0].used = false;
    assert_finds(hb_verify(&s.c, HB_HAS_SIZES), "unused");
    make(&s);
    s.nodes[1].shape.total = true;
    assert_finds(hb_verify(&s.c, HB_HAS_DATA_PASSES), "node 2 of pass 0 takes node 1 of pass 0");
    make(&s);
    s.error[1].quality.worst = NAN;
    assert_finds(hb_verify(&s.c, HB_HAS_FACTS), "has no bound");
}

/* After the pass that places levels, and after each one that follows. */
static void damage_to_levels_is_found(void **state)
{
    (void)state;
    static const hb_property after[] = {HB_HAS_LEVELS, HB_HAS_SIZES, HB_HAS_DATA_PASSES, HB_HAS_ERRORS, HB_HAS_FACTS};
    small s;
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        make(&s);
        assert_int_equal(hb_verify(&s.c, after[i]), HB_OK);
        s.nodes[1].operand = 1;
        s.nodes[1].shape.limbs = 2;
        assert_finds(hb_verify(&s.c, after[i]), "different levels");
        make(&s);
        s.nodes[0].shape.limbs = s.nodes[1].shape.limbs = s.nodes[2].shape.limbs = 4;
        assert_finds(hb_verify(&s.c, after[i]), "node 0, a load, has 4 limbs, and its operands lead to 3");
        make(&s);
        s.nodes[2].shape.limbs = 2;
        assert_finds(hb_verify(&s.c, after[i]), "node 2, a product, has 2 limbs, and its operands lead to 3");
        make(&s);
        s.c.lowering.graph.semantics = hb_semantics_of(HB_CKKS); /* whose products are scaled */
        assert_finds(hb_verify(&s.c, after[i]), "lead to 3 and a scaled one");
        s.nodes[2].shape.scaled = true;
        assert_finds(hb_verify(&s.c, after[i]), "column 0 of a result, is not at the level");
        make(&s);
        s.c.lowering.graph.unplaced = true;
        assert_finds(hb_verify(&s.c, after[i]), "no level is placed");
    }
}

/* A change stands in the listing from the pass on that places levels, and levels do. asked: the text asks for a lower
 * level, in these words. */
static void assert_placed(char *listing, const char *change, const char *words, bool asked)
{
    char *before = strstr(listing, "after results:\n"), *placed = strstr(listing, "after levels:\n");
    assert_true(before != NULL && placed > before);
    assert_non_null(strstr(placed, "limbs"));
    assert_non_null(strstr(placed, change));
    *placed = '\0';
    assert_null(strstr(before, "limbs"));
    assert_int_equal(strstr(before, words) != NULL, asked);
    assert_true(strcmp(change, words) == 0 || strstr(before, change) == NULL);
    *placed = 'a';
}

/* Operands of two levels meet where the pass brings them together, and so do columns of a result. */
static void modulus_switches_are_placed_by_their_pass(void **state)
{
    (void)state;
    static const char *const texts[] = {"y = b + low", "y = b*low", "y = cols(b, low)", "y = 3*b + 2*d - low",
                                        "y = modswitch(b) + d"};
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hb_program_source source = source_of(&f, texts[i]);
        source.listing = HB_LISTING_WITH_NUMBERS;
        source.each_pass = true;
        assert_int_equal(hb_program_compile(&f.program, &source), HB_OK);
        assert_placed(f.program.description.listing, "switch to a lower level", "switch to a lower level", i == 4);
        hb_program_clear(&f.program);
    }
    close_fixture(&f);
}

/* Lowering makes no change of a scale, and no level: the pass does. */
static void levels_are_placed_by_their_pass(void **state)
{
    (void)state;
    static const char *const texts[] = {"y = 0.3*r*r + 0.5*r", "y = modswitch(r) + r*r", "y = sum(r*r) - 0.25*sum(r)"};
    hb_params_spec spec;
    hb_params *params;
    hb_column column = {.name = (char *)"", .cells = HB_CELL_REAL};
    const hb_schema schema = {.rows = 1000, .columns = 1, .rank = 2, .width = 8, .column = &column};
    assert_int_equal(hb_params_preset("ckks-14", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    const hb_operand r = {.name = "r",
                          .schema = &schema,
                          .encrypted = true,
                          .limbs = params->fresh_limbs,
                          .quality = hb_quality_fresh(params, true, HB_BINOMIAL),
                          .ranged = true,
                          .values = hb_interval_of_reals(-1, 1)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hb_program program;
        const hb_program_source source = {.text = texts[i],
                                          .params = params,
                                          .operands = &r,
                                          .operand_count = 1,
                                          .outputs = y,
                                          .output_count = 1,
                                          .trust = HB_QUALITY_WORST,
                                          .listing = HB_LISTING_WITH_NUMBERS,
                                          .each_pass = true};
        assert_int_equal(hb_program_compile(&program, &source), HB_OK);
        assert_placed(program.description.listing, "rescale", "adjustment to a lower level", i == 1);
        hb_program_clear(&program);
    }
    hb_params_close(params);
}

static void damage_to_a_program_is_found(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "bfv-16384", 100000);
    assert_compiles(&f, "y = v*b + d*d");
    hb_pass *pass = &f.program.passes[0];
    const hb_compilation c = {.program = &f.program};
    assert_int_equal(hb_verify(&c, HB_IS_PROGRAM), HB_OK);
    for (uint32_t i = 0; i < pass->row_count; i++) {
        const hb_instruction kept = pass->rows[i];
        if (hb_operations[kept.op].loads) { /* the register that it would have written is empty */
            pass->rows[i].to = (uint16_t)(f.program.register_count - 1);
            assert_int_equal(hb_verify(&c, HB_IS_PROGRAM), HB_EINTERNAL);
        }
        if (kept.op == HB_OP_MULTIPLY_PLAIN) {
            pass->rows[i].b = kept.a;
            assert_finds(hb_verify(&c, HB_IS_PROGRAM), "takes a ciphertext for a plaintext");
        }
        if (kept.op == HB_OP_RELINEARIZE) { /* its result is stored with 3 components */
            f.program.registers[kept.to].size = 3;
            assert_finds(hb_verify(&c, HB_IS_PROGRAM), "stores what is no result");
            f.program.registers[kept.to].size = 2;
        }
        pass->rows[i] = kept;
    }
    assert_int_equal(hb_verify(&c, HB_IS_PROGRAM), HB_OK);
    hb_resume_point points[] = {{.at = 1}, {.at = 1}}, *const found = pass->resume_points;
    const uint32_t found_count = pass->resume_point_count;
    pass->resume_points = points;
    pass->resume_point_count = 2;
    assert_finds(hb_verify(&c, HB_IS_PROGRAM), "resumed at instruction 1, after 1");
    pass->resume_point_count = 1;
    assert_int_equal(hb_verify(&c, HB_IS_PROGRAM), HB_OK);
    pass->resume_points = found;
    pass->resume_point_count = found_count;
    close_fixture(&f);
}

/* Neither a store nor a sum over rows knows of two row blocks as one. */
static void damage_to_coupled_registers_is_found(void **state)
{
    (void)state;
    fixture f;
    uint32_t found = 0;
    open_fixture(&f, "bfv-16384", 100000);
    assert_compiles(&f, "y = b - sum(b)");
    const hb_compilation c = {.program = &f.program};
    for (uint32_t p = 0; p < f.program.pass_count; p++) {
        for (uint32_t i = 0; i < f.program.passes[p].row_count; i++) {
            const hb_instruction *in = &f.program.passes[p].rows[i];
            if (in->op == HB_OP_STORE || in->op == HB_OP_ACCUMULATE) {
                assert_int_equal(hb_verify(&c, HB_IS_PROGRAM), HB_OK);
                f.program.registers[in->a].coupled = true;
                assert_finds(hb_verify(&c, HB_IS_PROGRAM), "takes two row blocks as one");
                f.program.registers[in->a].coupled = false;
                found |= in->op == HB_OP_STORE ? 1 : 2;
            }
        }
    }
    assert_int_equal(found, 3);
    close_fixture(&f);
}

HB_UNIT(passes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_observer_hears_of_each_pass),
        cmocka_unit_test(a_listing_shows_each_pass),
        cmocka_unit_test(a_cache_changes_nothing),
        cmocka_unit_test(graphs_are_the_same_at_other_levels),
        cmocka_unit_test(damage_to_syntax_is_found),
        cmocka_unit_test(damage_to_a_graph_is_found),
        cmocka_unit_test(damage_to_levels_is_found),
        cmocka_unit_test(levels_are_placed_by_their_pass),
        cmocka_unit_test(modulus_switches_are_placed_by_their_pass),
        cmocka_unit_test(damage_to_a_program_is_found),
        cmocka_unit_test(damage_to_coupled_registers_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
