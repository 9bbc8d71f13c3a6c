/* A session of three owners in a folder of its own, whose steps a test takes one by one; its chain has three data
 * primes at N = 1024. */
#ifndef HB_TESTS_JOINT_TABLE_H
#define HB_TESTS_JOINT_TABLE_H

#include "unit/scratch.h"

#include "io/joint/state_file.h"
#include "owners/combine.h"
#include "owners/seat.h"
#include "reference/joint_shares.h"
#include "unit/unit.h"

static const joint_chain joint_table_chain = {1024, {40, 41, 42, 43}, 4, 65537};
enum { OWNERS = 3 };

/* A session in a folder of its own. */
typedef struct table {
    joint_world w;
    hb_session_file file;
    hb_seat seat[OWNERS];
    hb_seat_progress progress;
    char folder[128], keys[160], state[OWNERS][160];
    uint8_t key_id[HB_KEY_ID_BYTES];
} table;

static inline char *join_path(char *to, size_t size, const char *folder, const char *name)
{
    assert_true((size_t)snprintf(to, size, "%s/%s", folder, name) < size);
    return to;
}

/* The properties of a session, where they are other than usual. */
typedef struct table_way {
    const joint_chain *chain;
    bool no_relin;      /* it has no relinearization key */
    uint32_t threshold; /* 0: all */
    uint64_t results;   /* 0: many */
} table_way;

static inline void table_open_as(table *t, const char *name, table_way way)
{
    joint_world *w = &t->w;
    char path[160];
    memset(t, 0, sizeof *t);
    joint_world_open(w, way.chain != NULL ? way.chain : &joint_table_chain, OWNERS, 9);
    snprintf(t->folder, sizeof t->folder, "%s", in_scratch(name));
    assert_int_equal(mkdir(t->folder, 0755), 0);
    w->rotations[1].limbs = 2; /* of a lower level */
    w->session.relin_limbs = way.no_relin ? 0 : w->params->data_limbs;
    w->session.results = way.results > 0 ? way.results : w->session.results;
    joint_threshold(w, way.threshold > 0 ? way.threshold : OWNERS, 9);
    assert_ok(hb_joint_session_check(&w->session, w->params));
    assert_ok(
        hb_session_file_write(join_path(path, sizeof path, t->folder, "session.h5"), &w->params->spec, &w->session));
    assert_ok(hb_session_file_read(path, &t->file));
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_party_file party;
        char state[32];
        snprintf(state, sizeof state, "state-%u.h5", (unsigned)i);
        join_path(t->state[i], sizeof t->state[i], t->folder, state);
        assert_ok(hb_party_file_init(&party, w->cards[i].name, &w->owner[i].root));
        assert_ok(hb_seat_open(&t->seat[i], w->engine, w->params, &t->file, t->folder, &party));
        assert_int_equal(t->seat[i].owner, i);
        hb_party_file_clear(&party);
    }
}

static inline void table_open(table *t, const char *name)
{
    table_open_as(t, name, (table_way){.chain = NULL});
}

static inline void table_close(table *t)
{
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_seat_close(&t->seat[i]);
    }
    hb_session_file_clear(&t->file);
    joint_world_close(&t->w);
}

static inline hb_status step(table *t, uint32_t owner)
{
    return hb_seat_step(&t->seat[owner], t->state[owner], &t->progress);
}

static inline void expect(table *t, uint32_t owner, bool did, bool done, const char *waiting)
{
    assert_ok(step(t, owner));
    assert_int_equal(t->progress.did, did);
    assert_int_equal(t->progress.done, done);
    assert_string_equal(t->progress.waiting.text, waiting);
}

static inline hb_status combine(table *t, bool check)
{
    const hb_joint_folders folders = {.session = t->folder, .keys = t->keys, .check = check};
    return hb_joint_combine(&folders, t->w.engine, t->w.params, &t->file, t->key_id);
}

/* Brings all to the point where every commitment is there and nothing is opened. */
static inline void commit_all(table *t)
{
    char path[2][160];
    (void)step(t, 0);
    (void)step(t, 1);
    /* The last one would open at once: one commitment is put aside meanwhile. */
    join_path(path[0], sizeof path[0], t->folder, "commit-owner-00.h5");
    join_path(path[1], sizeof path[1], t->folder, "aside");
    assert_int_equal(rename(path[0], path[1]), 0);
    assert_ok(step(t, 2));
    assert_int_equal(rename(path[1], path[0]), 0);
}

static inline void move(table *t, const char *from, const char *to)
{
    char path[2][160];
    join_path(path[0], sizeof path[0], t->folder, from);
    join_path(path[1], sizeof path[1], t->folder, to);
    assert_int_equal(rename(path[0], path[1]), 0);
}

/* All steps of all owners. */
static inline void finish(table *t)
{
    commit_all(t);
    for (uint32_t i = 0; i < 3 * OWNERS; i++) {
        assert_ok(step(t, i % OWNERS));
    }
    assert_true(t->progress.done);
}

static inline void copy(const table *t, const char *from, const char *to)
{
    char path[160];
    size_t bytes;
    uint8_t *data = slurp(join_path(path, sizeof path, t->folder, from), &bytes);
    spit(join_path(path, sizeof path, t->folder, to), data, bytes);
    free(data);
}

#endif
