/* Parts that are taken for a dataset, and every reason why they are not. */
#include "unit/scratch.h"

#include "base/seed.h"
#include "joint/party.h"
#include "reference/joint_dataset.h"
#include "tables/part_inputs.h"
#include "unit/unit.h"

/* A dataset of which there are parts, made by steps that a test changes. */
typedef struct world {
    joint_dataset d;
    hb_part_plan plan;
    hb_job job;
    hb_residues_so_far so_far;
} world;

/* A group of one. */
static hb_group *alone;

static void world_open(world *x, uint32_t threshold)
{
    memset(x, 0, sizeof *x);
    joint_dataset_open(&x->d, "d.heb", threshold);
    x->job = (hb_job){.group = alone, .options.so_far = &x->so_far, .session.params = x->d.w.params};
    assert_ok(hb_part_plan_for(x->d.w.params, &x->d.header, x->d.name, 0, &x->plan));
}

static void world_close(world *x)
{
    joint_dataset_close(&x->d);
}

/* --- parts */

/* A part: the owner whom it says to be from, who signs it, what it says, and the session beside it. */
typedef struct made {
    uint32_t from, signer;
    hb_header header;
    hb_part_facts facts;
    hb_joint_session session; /* no results: none is there */
    uint8_t other_sum;        /* not 0: another sum is signed */
} made;

static made part_of(const world *x, uint32_t owner)
{
    made part = {.from = owner, .signer = owner, .header = x->d.header, .session = x->d.w.session};
    part.facts = (hb_part_facts){.u = x->plan.flood.u, .w = x->plan.flood.w};
    memcpy(part.facts.part_of, x->d.sum, sizeof part.facts.part_of);
    return part;
}

typedef struct signing {
    const world *x;
    const made *part;
} signing;

static void sign(void *context, const uint8_t sum[HB_DIGEST_BYTES], uint8_t signature[HB_SIGNATURE_BYTES])
{
    const signing *s = context;
    const joint_world *w = &s->x->d.w;
    uint8_t signed_sum[HB_DIGEST_BYTES];
    memcpy(signed_sum, sum, sizeof signed_sum);
    signed_sum[0] ^= s->part->other_sum;
    const hb_signed_facts facts = hb_part_signed_facts(s->part->facts.from, w->id, signed_sum);
    hb_party_sign(signature, &w->owner[s->part->signer].root, &facts);
}

/* Writes it as NAME in the scratch folder. */
static void write_part(const world *x, const char *name, made part)
{
    char path[128];
    signing context = {x, &part};
    const hb_part_signer signer = {sign, &context};
    snprintf(part.facts.from, sizeof part.facts.from, "%s", x->d.w.cards[part.from].name);
    part.header.part = &part.facts;
    joint_write(&x->d.w, in_scratch(name), &part.header, NULL, &signer);
    snprintf(path, sizeof path, "%s/%s", name, HB_PART_SESSION_NAME);
    if (part.session.results > 0) {
        assert_ok(hb_session_file_write(in_scratch(path), &x->d.w.params->spec, &part.session));
    }
}

/* Opens the parts of these names; the caller closes. */
static hb_status open_parts(world *x, hb_part_inputs *inputs, const char *const *names, size_t count)
{
    char paths[JOINT_OWNERS][256], *list[JOINT_OWNERS];
    for (size_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s", in_scratch(names[i]));
        list[i] = paths[i];
    }
    memset(inputs, 0, sizeof *inputs);
    return hb_part_inputs_open(inputs, list, count, &x->job, x->d.dataset, "d.heb");
}

/* Whether they are refused with this status and these words. */
static void assert_parts_refused(world *x, const char *const *names, size_t count, hb_status code, const char *words)
{
    hb_part_inputs inputs;
    assert_refused(open_parts(x, &inputs, names, count), code, words);
    hb_part_inputs_close(&inputs);
}

static void parts_in_any_order_are_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"a.part", "b.part", "c.part"}, *const others[] = {"c.part", "a.part", "b.part"};
    world x;
    hb_part_inputs inputs, again;
    uint8_t one[HB_DIGEST_BYTES], other[HB_DIGEST_BYTES];
    world_open(&x, JOINT_OWNERS);
    for (uint32_t i = 0; i < JOINT_OWNERS; i++) {
        write_part(&x, names[i], part_of(&x, i));
    }
    assert_ok(open_parts(&x, &inputs, names, JOINT_OWNERS));
    assert_ok(open_parts(&x, &again, others, JOINT_OWNERS));
    assert_int_equal(inputs.count, JOINT_OWNERS);
    assert_true(inputs.plan.flood.u == x.plan.flood.u && inputs.plan.flood.w == x.plan.flood.w);
    for (uint32_t i = 0; i < JOINT_OWNERS; i++) {
        assert_string_equal(hb_dataset_header(again.part[i])->part->from, x.d.w.cards[i].name);
    }
    hb_part_inputs_digest(&inputs, one);
    hb_part_inputs_digest(&again, other);
    assert_memory_equal(one, other, sizeof one);
    assert_ok(hb_part_inputs_compare(&again, &x.job));
    hb_part_inputs_close(&inputs);
    hb_part_inputs_close(&again);
    world_close(&x);
}

/* --- refusals */

/* One of three parts has one of these, in the order of the checks. */
typedef enum fault {
    OF_ANOTHER_DATASET,
    OF_ANOTHER_TABLE,
    WITHOUT_SESSION,
    WITH_ANOTHER_SESSION,
    SIGNED_BY_ANOTHER,
    SIGNED_FOR_ANOTHER_SUM,
    WITH_OTHER_NOISE,
    OF_AN_OWNER_BEFORE,
    FOR_OTHER_CELLS,
    FOR_A_RECEIVER,
    FAULTS
} fault;

static const struct {
    hb_status code;
    const char *words;
} refusals[FAULTS] = {[OF_ANOTHER_DATASET] = {HB_EDATA, "b.part: is a part of another dataset than d.heb"},
                      [OF_ANOTHER_TABLE] = {HB_EDATA, "b.part: says other things of the dataset than the dataset"},
                      [WITHOUT_SESSION] = {HB_ENOINPUT, "b.part/" HB_PART_SESSION_NAME},
                      [WITH_ANOTHER_SESSION] = {HB_EDATA, "is another session than that of the keys of d.heb"},
                      [SIGNED_BY_ANOTHER] = {HB_EDATA, "b.part: is not signed by owner-01's card"},
                      [SIGNED_FOR_ANOTHER_SUM] = {HB_EDATA, "b.part: is not signed by owner-01's card"},
                      [WITH_OTHER_NOISE] = {HB_EDATA, "b.part: has noise of other widths than parts of d.heb have"},
                      [OF_AN_OWNER_BEFORE] = {HB_EDATA, "two parts of owner-00"},
                      [FOR_OTHER_CELLS] = {HB_EDATA, "b.part: is for other cells, or another receiver, than the part"},
                      [FOR_A_RECEIVER] = {HB_EDATA, "b.part: is for other cells, or another receiver, than the part"}};

static made faulty(const world *x, fault which, uint64_t *column)
{
    made part = part_of(x, 1);
    switch (which) {
    case OF_ANOTHER_DATASET:
        part.facts.part_of[3] ^= 1;
        break;
    case OF_ANOTHER_TABLE:
        part.header.key_id[3] ^= 1;
        break;
    case WITHOUT_SESSION:
        part.session.results = 0;
        break;
    case WITH_ANOTHER_SESSION:
        part.session.results++;
        break;
    case SIGNED_BY_ANOTHER:
        part.signer = 2;
        break;
    case SIGNED_FOR_ANOTHER_SUM:
        part.other_sum = 1;
        break;
    case WITH_OTHER_NOISE:
        part.facts.u++;
        break;
    case OF_AN_OWNER_BEFORE:
        part.from = part.signer = 0;
        break;
    case FOR_OTHER_CELLS:
        part.facts.some = true;
        part.facts.rows = 9;
        part.facts.columns = 1;
        part.facts.column = column;
        break;
    case FOR_A_RECEIVER:
        part.facts.receiver[0] = 1;
        break;
    case FAULTS:
        break;
    }
    return part;
}

static void parts_with_a_fault_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"a.part", "b.part", "c.part"};
    world x;
    uint64_t column = 0;
    world_open(&x, JOINT_OWNERS);
    write_part(&x, "a.part", part_of(&x, 0));
    write_part(&x, "c.part", part_of(&x, 2));
    for (fault which = 0; which < FAULTS; which++) {
        write_part(&x, "b.part", faulty(&x, which, &column));
        assert_parts_refused(&x, names, JOINT_OWNERS, refusals[which].code, refusals[which].words);
    }
    world_close(&x);
}

static void other_files_are_no_parts(void **state)
{
    (void)state;
    static const char *const dataset[] = {"d.heb"}, *const none[] = {"none.part"},
                             *const shard[] = {"a.part/part-00000.h5"};
    world x;
    world_open(&x, JOINT_OWNERS);
    write_part(&x, "a.part", part_of(&x, 0));
    assert_parts_refused(&x, dataset, 1, HB_EDATA, "is a dataset, and no part");
    assert_parts_refused(&x, none, 1, HB_ENOINPUT, "none.part");
    assert_parts_refused(&x, shard, 1, HB_EDATA, "is one shard, with 1 of 2 units: give the folder");
    world_close(&x);
}

static void missing_owners_are_named(void **state)
{
    (void)state;
    static const char *const names[] = {"c.part", "a.part"};
    char *paths[HB_MOST_OWNERS + 1];
    world x;
    hb_part_inputs inputs = {.count = 0};
    world_open(&x, JOINT_OWNERS);
    write_part(&x, "a.part", part_of(&x, 0));
    write_part(&x, "c.part", part_of(&x, 2));
    assert_parts_refused(&x, names, 2, HB_ENOINPUT, "no part of owner-01");
    assert_parts_refused(&x, names, 1, HB_ENOINPUT, "no part of owner-00, owner-01");
    for (size_t i = 0; i <= HB_MOST_OWNERS; i++) {
        paths[i] = NULL;
    }
    assert_refused(hb_part_inputs_open(&inputs, paths, 0, &x.job, x.d.dataset, "d.heb"), HB_EDATA, "0 parts of d.heb");
    assert_refused(hb_part_inputs_open(&inputs, paths, HB_MOST_OWNERS + 1, &x.job, x.d.dataset, "d.heb"), HB_EDATA,
                   "65 parts of d.heb, whose keys have 3 owners");
    world_close(&x);
}

/* Two of three owners decrypt. */
static void owners_who_decrypt_are_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"a.part", "b.part"}, *const first[] = {"b.part"};
    world x;
    hb_part_inputs inputs;
    world_open(&x, 2);
    made a = part_of(&x, 0), b = part_of(&x, 1);
    a.facts.owners = b.facts.owners = 3;
    write_part(&x, "a.part", a);
    write_part(&x, "b.part", b);
    assert_ok(open_parts(&x, &inputs, names, 2));
    hb_part_inputs_close(&inputs);
    assert_parts_refused(&x, first, 1, HB_ENOINPUT, "no part of owner-00");
    b.facts.owners = 6;
    write_part(&x, "b.part", b);
    assert_parts_refused(&x, names, 2, HB_EDATA,
                         "b.part: is for a decryption by other owners than the part of owner-00");
    b = part_of(&x, 2);
    b.facts.owners = 3;
    write_part(&x, "b.part", b);
    assert_parts_refused(&x, names, 2, HB_EDATA, "b.part: is for a decryption by owners that owner-02 is none of");
    world_close(&x);
}

static void datasets_without_parts_are_refused(void **state)
{
    (void)state;
    world x;
    hb_part_plan plan;
    world_open(&x, JOINT_OWNERS);
    hb_header h = x.d.header; /* a view */
    h.noise_assumed = true;
    assert_refused(hb_part_plan_for(x.d.w.params, &h, "d.heb", 0, &plan), HB_EDATA, "is assumed and not proven");
    h.spec.joint = (hb_joint_spec){.owners = 0};
    assert_refused(hb_part_dataset_check(&h, "d.heb"), HB_EUSAGE, "d.heb: is under the key of one owner");
    world_close(&x);
}

HB_UNIT(part_inputs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_in_any_order_are_the_same), cmocka_unit_test(parts_with_a_fault_are_refused),
        cmocka_unit_test(other_files_are_no_parts),        cmocka_unit_test(missing_owners_are_named),
        cmocka_unit_test(owners_who_decrypt_are_the_same), cmocka_unit_test(datasets_without_parts_are_refused),
    };
    if (hb_seed_start() != HB_OK || hb_group_open_alone(&alone) != HB_OK) {
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, scratch_make, scratch_remove);
    hb_group_close(alone);
    return failed;
}
