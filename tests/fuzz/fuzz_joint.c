/* Files of joint keys made by someone who knows the format. The first byte chooses: by all but bit 0 a card, a
 * session, the commitment, first or second contributions of an owner, a party's secret, in the clear or sealed, the
 * state of an owner, a later round, or an owner's input, its seed or parts in a trial; by bit 0 whether the rest are
 * changes through HDF5 or of bytes (h5_changes.h). The file is then read whole, or refused. */
#include <string.h>

#include "base/prime.h"
#include "h5_changes.h"
#include "io/joint/message.h"
#include "io/joint/more_file.h"
#include "io/joint/party_file.h"
#include "io/joint/session_file.h"
#include "io/joint/state_file.h"
#include "scheme/params.h"

enum {
    OWNERS = 3,
    CARD = 0,
    SESSION,
    COMMIT,
    FIRST,
    SECOND,
    PARTY,
    SEALED,
    STATE,
    MORE,
    INPUT,
    PART,
    OPENED,
    KINDS,
    SHARE_BYTES = 3000
};

static const char *const groups[] = {"/", "/", "/params"};
static const char *const attributes[][FUZZ_ATTRIBUTES] = {
    {"format", "version", "tool", "kind", "session", "from", "body_digest", "signature", "threshold", "results",
     "relin", "nonce"},
    {"name", "card", "commitments", "inputs", "first", "second", "key_id", "parts", "checksum", "round", "id",
     "opened"},
    {"scheme", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"}};
static const char *const datasets[] = {
    "/sign",     "/box",      "/nonce",         "/commitment",   "/b",        "/relin/h0",     "/relin/h1",
    "/galois/3", "/relin",    "/galois",        "/shares",       "/relin/h2", "/inputs",       "/blinded",
    "/names",    "/elements", "/levels",        "/root",         "/sealed",   "/share",        "/shares/bob",
    "/params/n", "/params",   "/params/primes", "/shares/carol", "/nonces",   "/params/plain", "/c0",
    "/c1",       "/seed",     "/parts",         "/parts/0"};
static const fuzz_names names = {groups, attributes, datasets, sizeof groups / sizeof *groups,
                                 sizeof datasets / sizeof *datasets};

static char path[64];
static fuzz_file valid[KINDS];
static hb_params *params;
static const hb_seed root = {{1, 2, 3}}, with = {{4}};
static const hb_key_seal_how cheap = {.passes = 1, .memory = 8192, .salt = {1, 2, 3}};
static hb_owner_card cards[OWNERS];
static const hb_joint_rotation rotations[] = {{3, 1}};
static hb_joint_session session = {.cards = cards,
                                   .owners = OWNERS,
                                   .threshold = OWNERS - 1,
                                   .results = 1000,
                                   .relin_limbs = 1,
                                   .rotation_count = 1,
                                   .rotations = rotations};
static uint8_t id[HB_DIGEST_BYTES];
static const hb_trial_result results[] = {{.limbs = 1}};
static const hb_trial_shape trial = {.sets = 2, .limbs = 1, .result_count = 1, .result = results};
static hb_session_file begun; /* the session that a later round belongs to */

static void keep(int kind)
{
    valid[kind] = fuzz_slurp(path);
    unlink(path);
}

static hb_message_subject subject_of(int kind)
{
    return (hb_message_subject){.kind = (hb_message_kind)(kind == COMMIT   ? HB_MESSAGE_COMMIT
                                                          : kind == FIRST  ? HB_MESSAGE_FIRST
                                                          : kind == SECOND ? HB_MESSAGE_SECOND
                                                          : kind == INPUT  ? HB_MESSAGE_INPUT
                                                          : kind == OPENED ? HB_MESSAGE_OPENED
                                                                           : HB_MESSAGE_PART),
                                .session = &session,
                                .trial = kind == INPUT || kind == OPENED || kind == PART ? &trial : NULL,
                                .id = id,
                                .params = params,
                                .from = &cards[0]};
}

/* Rows of any bytes: nobody looks at residues before keys are loaded. */
static void make_message(int kind)
{
    const hb_message_subject subject = subject_of(kind);
    uint8_t body[HB_DIGEST_BYTES];
    hb_message_writer *writer;
    fuzz_must(hb_message_writer_open(path, &subject, &writer) == HB_OK);
    const hb_message_parts *parts = hb_message_writer_parts(writer);
    for (uint32_t p = 0; p < parts->count; p++) {
        uint8_t *row = malloc(parts->part[p].row_bytes);
        fuzz_must(row != NULL);
        memset(row, (int)p, parts->part[p].row_bytes);
        for (uint32_t r = 0; r < parts->part[p].rows; r++) {
            fuzz_must(hb_message_put(writer, p, r, row) == HB_OK);
        }
        free(row);
    }
    fuzz_must(hb_message_finish(writer, &root, body) == HB_OK);
    hb_message_writer_close(writer);
    keep(kind);
}

static void make_session(void)
{
    static const char *const owners[OWNERS] = {"alice", "bob", "carol"};
    static const uint32_t bits[] = {30, 31};
    hb_params_spec spec = {.n = 1024, .key_limbs = 2, .bfv.plain = 65537, .security = {.level = 128}, .insecure = true};
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_seed own = root;
        own.bytes[0] = (uint8_t)(own.bytes[0] + i);
        fuzz_must(hb_party_card(&cards[i], &own, owners[i]) == HB_OK);
    }
    fuzz_must(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes) == HB_OK);
    fuzz_must(hb_params_open(&spec, &params) == HB_OK);
    hb_joint_session_for(&session, params);
    fuzz_must(hb_joint_session_check(&session, params) == HB_OK);
    hb_joint_session_id(id, &session);
    spec.joint = (hb_joint_spec){.owners = OWNERS, .threshold = session.threshold, .results = session.results};
    memcpy(spec.joint.session, id, sizeof spec.joint.session);
    fuzz_must(hb_session_file_write(path, &spec, &session) == HB_OK && hb_session_file_read(path, &begun) == HB_OK);
    keep(SESSION);
}

/* A round of other rotations. */
static void make_round(void)
{
    static const hb_joint_rotation more[] = {{5, 1}, {9, 1}};
    hb_joint_round round = {.number = 1, .session = begun.session};
    round.session.relin_limbs = 0;
    round.session.rotation_count = 2;
    round.session.rotations = more;
    hb_joint_round_id(round.id, begun.id, &round);
    fuzz_must(hb_more_file_write(path, &begun, &round) == HB_OK);
    keep(MORE);
}

static void make_secrets(void)
{
    hb_party_file party;
    hb_joint_state state = {.name = "alice", .parts = 3, .share_bytes = SHARE_BYTES};
    fuzz_must(hb_party_file_init(&party, "alice", &root) == HB_OK && hb_party_file_write(path, &party) == HB_OK);
    keep(PARTY);
    fuzz_must(hb_party_file_seal(&party, &cheap, &with) == HB_OK && hb_party_file_write(path, &party) == HB_OK);
    keep(SEALED);
    hb_party_file_clear(&party);
    memset(state.id, 1, sizeof state.id);
    memset(state.first, 2, sizeof state.first);
    state.share = calloc(1, SHARE_BYTES);
    fuzz_must(state.share != NULL && hb_joint_state_write(path, &state, true) == HB_OK);
    hb_joint_state_clear(&state);
    keep(STATE);
}

static bool read_message(int kind)
{
    const hb_message_subject subject = subject_of(kind);
    hb_message *message;
    if (hb_message_open(path, &subject, &message) != HB_OK) {
        return false;
    }
    const hb_message_parts *parts = hb_message_parts_in(message);
    for (uint32_t p = 0; p < parts->count; p++) {
        uint8_t *row = malloc(parts->part[p].row_bytes);
        fuzz_must(row != NULL);
        for (uint32_t r = 0; r < parts->part[p].rows; r++) {
            fuzz_must(hb_message_get(message, p, r, row) == HB_OK && row[0] == (uint8_t)p); /* all that is signed */
        }
        free(row);
    }
    hb_message_close(message);
    return true;
}

/* A session that is read is one, of those parameters. */
static bool read_session(void)
{
    hb_session_file file;
    hb_params *of;
    if (hb_session_file_read(path, &file) != HB_OK) {
        return false;
    }
    fuzz_must(hb_params_open(&file.spec, &of) == HB_OK && hb_joint_session_check(&file.session, of) == HB_OK);
    fuzz_must(file.session.owners <= HB_MOST_OWNERS && file.cards[file.session.owners - 1].name[0] != '\0');
    hb_params_close(of);
    hb_session_file_clear(&file);
    return true;
}

/* A round that is read is one of the session. */
static bool read_round(void)
{
    hb_more_file file;
    if (hb_more_file_read(path, 1, &begun, params, &file) != HB_OK) {
        return false;
    }
    fuzz_must(hb_joint_session_check(&file.round.session, params) == HB_OK);
    fuzz_must(file.round.session.rotation_count > 0 && file.rotations[0].element % 2 == 1);
    hb_more_file_clear(&file);
    return true;
}

static bool read_party(void)
{
    hb_party_file party;
    if (hb_party_file_read(path, &party) != HB_OK) {
        return false;
    }
    if (party.seal != NULL && hb_party_file_unseal(&party, path, &with) == HB_OK) {
        fuzz_must(memcmp(&party.root, &root, sizeof root) == 0);
    }
    hb_party_file_clear(&party);
    return true;
}

static bool read_state(void)
{
    hb_joint_state state = {.parts = 0};
    if (hb_joint_state_read(path, &state) != HB_OK) {
        return false;
    }
    fuzz_must(state.share == NULL || state.share[state.share_bytes - 1] == 0);
    hb_joint_state_clear(&state);
    return true;
}

static bool read_card(void)
{
    hb_owner_card card;
    if (hb_card_read(path, &card) != HB_OK) {
        return false;
    }
    fuzz_must(memcmp(&card, &cards[0], sizeof card) == 0);
    return true;
}

/* Returns whether the file is read. */
static bool read_kind(int kind)
{
    return kind == CARD                      ? read_card()
           : kind == SESSION                 ? read_session()
           : kind == PARTY || kind == SEALED ? read_party()
           : kind == STATE                   ? read_state()
           : kind == MORE                    ? read_round()
                                             : read_message(kind);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(path, sizeof path, "/dev/shm/fuzz-joint-%d.h5", (int)getpid());
    make_session();
    fuzz_must(hb_card_write(path, &cards[0], &root) == HB_OK);
    keep(CARD);
    make_message(COMMIT);
    make_message(FIRST);
    make_message(SECOND);
    make_message(INPUT);
    make_message(PART);
    make_message(OPENED);
    make_round();
    make_secrets();
    for (int kind = 0; kind < KINDS; kind++) {
        fuzz_put(path, &valid[kind]);
        fuzz_must(read_kind(kind));
        unlink(path);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const uint8_t choice = fuzz_byte(&in);
    const int kind = choice / 2 % KINDS;
    if (choice % 2 == 0) {
        fuzz_change_through_hdf5(path, &valid[kind], &names, &in);
    } else {
        fuzz_change_bytes(path, &valid[kind], &in);
    }
    (void)read_kind(kind);
    unlink(path);
    return 0;
}
