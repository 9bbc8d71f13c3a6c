/* Makes joint keys of owners who are all here, for scripts: joint_keys FOLDER RESULTS[:THRESHOLD] NAME... makes the
 * secret file FOLDER/NAME/party.h5 of each, what they exchange in FOLDER/joint, and the keys in FOLDER/keys, as owners
 * do who are apart. Insecure parameters of milliseconds: N = 1024, 4 primes of 55 bits for data. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/prime.h"
#include "cpu/engine.h"
#include "io/files/durable.h"
#include "io/keys/keyfile.h"
#include "owners/combine.h"
#include "owners/seat.h"
#include "scheme/params.h"

enum { MOST = 8, DEGREE = 1024, ROTATIONS = 10, PATH = 512 };

typedef struct world {
    const char *folder;
    uint32_t owners;
    hb_params *params;
    hb_engine *engine;
    hb_owner_card cards[MOST];
    hb_seed root[MOST];
    hb_joint_rotation rotations[ROTATIONS];
    hb_session_file file;
} world;

static void must(hb_status st)
{
    if (st != HB_OK) {
        fprintf(stderr, "joint_keys: %s\n", hb_last_error()->text);
        exit(1);
    }
}

static char *place(char path[PATH], const world *w, const char *name, const char *file)
{
    snprintf(path, PATH, "%s/%s%s", w->folder, name, file);
    return path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_element(const void *a, const void *b)
{
    const hb_joint_rotation *x = a, *y = b;
    return x->element < y->element ? -1 : x->element > y->element;
}

/* The secret of an owner is his name. */
static void make_owner(world *w, uint32_t i, const char *name)
{
    char path[PATH];
    hb_party_file party;
    hb_digest_state state;
    hb_digest_begin(&state, "test owner");
    hb_digest_add(&state, name, strlen(name));
    hb_digest_end(&state, w->root[i].bytes);
    must(hb_party_card(&w->cards[i], &w->root[i], name));
    (void)mkdir(place(path, w, name, ""), 0700);
    must(hb_party_file_init(&party, name, &w->root[i]));
    must(hb_party_file_write(place(path, w, name, "/" HB_PARTY_FILE), &party));
    hb_party_file_clear(&party);
}

static void open_params(world *w)
{
    static const uint32_t bits[] = {55, 55, 55, 55, 56};
    hb_params_spec spec = {.n = DEGREE,
                           .key_limbs = sizeof bits / sizeof *bits,
                           .bfv.plain = 65537, /* 2^16 + 1 */
                           .security = hb_security_default(),
                           .insecure = true,
                           .joint.owners = w->owners};
    must(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes));
    must(hb_params_open(&spec, &w->params));
    must(hb_cpu_engine_open(&w->params->ring, &w->engine));
}

/* Keys for products and for sums over slots. */
static void make_session(world *w, uint64_t results, uint32_t threshold)
{
    const uint32_t limbs = w->params->data_limbs;
    hb_joint_session session = {.cards = w->cards,
                                .owners = w->owners,
                                .threshold = threshold > 0 ? threshold : w->owners,
                                .results = results,
                                .relin_limbs = limbs,
                                .rotation_count = ROTATIONS,
                                .rotations = w->rotations,
                                .nonce = {1, 2, 3}};
    char path[PATH];
    uint32_t element = 3;
    for (uint32_t i = 0; i + 1 < ROTATIONS; i++) {
        w->rotations[i] = (hb_joint_rotation){element, limbs};
        element = element * element % (2 * DEGREE);
    }
    w->rotations[ROTATIONS - 1] = (hb_joint_rotation){2 * DEGREE - 1, limbs};
    qsort(w->rotations, ROTATIONS, sizeof *w->rotations, by_element);
    hb_joint_session_for(&session, w->params);
    must(hb_joint_session_check(&session, w->params));
    (void)mkdir(place(path, w, "joint", ""), 0755);
    must(hb_session_file_write(place(path, w, "joint", "/session.h5"), &w->params->spec, &session));
    must(hb_session_file_read(path, &w->file));
}

/* One step of an owner, or the check of the keys; returns whether he is done. */
static bool step(const world *w, uint32_t i, const char *keys)
{
    char folder[PATH], path[PATH], name[64];
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_party_file party;
    hb_seat seat;
    hb_seat_progress progress = {.done = true};
    snprintf(name, sizeof name, "/joint-%02x%02x%02x%02x.h5", w->file.id[0], w->file.id[1], w->file.id[2],
             w->file.id[3]);
    must(hb_party_file_init(&party, w->cards[i].name, &w->root[i]));
    must(hb_seat_open(&seat, w->engine, w->params, &w->file, place(folder, w, "joint", ""), &party));
    place(path, w, w->cards[i].name, name);
    must(keys == NULL ? hb_seat_step(&seat, path, &progress) : hb_seat_check(&seat, path, keys, key_id));
    hb_seat_close(&seat);
    hb_party_file_clear(&party);
    return progress.done;
}

/* The public key as if it had so many owners, with a checksum that holds. */
static void make_other(const world *w, const char *name, hb_joint_spec joint)
{
    char path[PATH];
    hb_keyfile key;
    must(hb_keyfile_read(place(path, w, "keys", "/public.h5"), &key));
    key.spec.joint = joint;
    must(hb_keyfile_write(place(path, w, name, ""), &key));
    hb_keyfile_clear(&key);
}

int main(int argc, char **argv)
{
    char path[PATH], keys[PATH];
    uint8_t key_id[HB_KEY_ID_BYTES];
    world *w = calloc(1, sizeof *w);
    if (argc < 5 || argc - 3 > MOST || w == NULL) {
        fprintf(stderr, "joint_keys FOLDER RESULTS[:THRESHOLD] NAME NAME...\n");
        return 1;
    }
    must(hb_seed_start());
    w->folder = argv[1];
    w->owners = (uint32_t)(argc - 3);
    (void)mkdir(w->folder, 0755);
    qsort(argv + 3, w->owners, sizeof *argv, by_name);
    for (uint32_t i = 0; i < w->owners; i++) {
        make_owner(w, i, argv[3 + i]);
    }
    open_params(w);
    char *end;
    const uint64_t results = strtoull(argv[2], &end, 10);
    make_session(w, results, *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0);
    uint32_t done = 0;
    while (done < w->owners) {
        done = 0;
        for (uint32_t i = 0; i < w->owners; i++) {
            done += step(w, i, NULL);
        }
    }
    (void)mkdir(place(keys, w, "keys", ""), 0755);
    const hb_joint_folders folders = {.session = place(path, w, "joint", ""), .keys = keys};
    must(hb_joint_combine(&folders, w->engine, w->params, &w->file, key_id));
    for (uint32_t i = 0; i < w->owners; i++) {
        (void)step(w, i, keys);
    }
    hb_joint_spec other = w->file.spec.joint;
    other.results = 1;
    make_other(w, "one-owner.h5", (hb_joint_spec){.owners = 0});
    make_other(w, "one-result.h5", other);
    hb_session_file_clear(&w->file);
    hb_engine_close(w->engine);
    hb_params_close(w->params);
    free(w);
    return 0;
}
