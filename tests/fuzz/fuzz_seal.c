/* Files of Microsoft SEAL made by someone who knows the format. The first byte chooses a valid small file, the
 * second how its changes are made: in the object, which is then compressed rightly or not at all, or in the bytes of
 * the file. The rest are changes: an offset, from the front of the file where the counts are or anywhere, and a byte
 * to put there; an end cut off or lengthened. The file is read, or refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz.h"
#include "io/seal/object.h"
#include "scheme/params.h"

/* REALS and REAL: parameters and a ciphertext of CKKS. */
enum { PARAMETERS, SECRET, PLAINTEXT, CIPHERTEXT, PUBLIC, SWITCH_KEYS, REALS, REAL, KINDS };
enum { HEADER = HB_SEAL_HEADER_BYTES, SCALE_BITS = 30 };

static char path[64];
static hb_params *params, *real_params;
static hb_seal_chain chain, real_chain;
static struct {
    uint8_t *data;
    size_t bytes;
} valid[KINDS];
static const size_t most = 1 << 18;

static void must(int condition)
{
    if (!condition) {
        fprintf(stderr, "fuzz_seal: cannot be set up, or a file was read that cannot be\n");
        abort();
    }
}

static void load_valid(int kind)
{
    FILE *file = fopen(path, "rb");
    valid[kind].data = malloc(most);
    must(file && valid[kind].data);
    valid[kind].bytes = fread(valid[kind].data, 1, most, file);
    must(valid[kind].bytes < most);
    fclose(file);
    unlink(path);
}

/* Two switching keys in the first of N slots: one part each. */
static void save_switch_keys(hb_seal_style style, const uint64_t *words)
{
    hb_seal_writer *writer;
    must(hb_seal_switch_keys_open(path, style, &chain, params->spec.n, 2, false, &writer) == HB_OK);
    for (size_t slot = 0; slot < params->spec.n; slot++) {
        must(hb_seal_write_u64(writer, slot < 2) == HB_OK);
        must(slot >= 2 || hb_seal_key_part_write(writer, &chain, words, NULL) == HB_OK);
    }
    must(hb_seal_writer_finish(writer) == HB_OK);
    hb_seal_writer_close(writer);
}

/* The same of CKKS: longer primes, words below them. */
static void save_reals(hb_seal_style style, const uint64_t *words)
{
    const hb_params_spec spec = {.scheme = HB_CKKS,
                                 .n = 1024,
                                 .key_limbs = 2,
                                 .primes = {1099511480321, 1099510890497},
                                 .ckks = {.scale_bits = SCALE_BITS, .like_seal = true},
                                 .security = {.level = 128},
                                 .insecure = true};
    const hb_seal_ciphertext head = {.size = 2, .limbs = 1, .ntt = true, .scale = 0x1p30};
    must(hb_params_open(&spec, &real_params) == HB_OK && real_params->data_limbs == 1);
    hb_seal_chain_init(&real_chain, real_params);
    must(hb_seal_parameters_save(path, style, &spec) == HB_OK);
    load_valid(REALS);
    must(hb_seal_ciphertext_save(path, style, &real_chain, &head, words) == HB_OK);
    load_valid(REAL);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const hb_params_spec spec = {.n = 1024,
                                 .key_limbs = 2,
                                 .primes = {12289, 40961},
                                 .bfv.plain = 257,
                                 .security = {.level = 128},
                                 .insecure = true};
    static uint64_t words[2 * 2 * 1024];
    const hb_seal_style style = {HB_SEAL_PLAIN, {4, 4}};
    const hb_seal_ciphertext head = {.size = 2, .limbs = 1};
    snprintf(path, sizeof path, "/dev/shm/fuzz-%d.seal", (int)getpid());
    must(hb_params_open(&spec, &params) == HB_OK && params->data_limbs == 1);
    hb_seal_chain_init(&chain, params);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        words[i] = i % 251;
    }
    must(hb_seal_parameters_save(path, style, &spec) == HB_OK);
    load_valid(PARAMETERS);
    must(hb_seal_secret_save(path, style, &chain, words) == HB_OK);
    load_valid(SECRET);
    must(hb_seal_plaintext_save(path, style, &chain, words) == HB_OK);
    load_valid(PLAINTEXT);
    must(hb_seal_ciphertext_save(path, style, &chain, &head, words) == HB_OK);
    load_valid(CIPHERTEXT);
    must(hb_seal_public_save(path, style, &chain, words) == HB_OK);
    load_valid(PUBLIC);
    save_switch_keys(style, words);
    load_valid(SWITCH_KEYS);
    save_reals(style, words);
    return 0;
}

static size_t change(uint8_t *file, size_t bytes, fuzz_input *in)
{
    while (in->size > 0) {
        const uint8_t way = fuzz_byte(in);
        size_t at = fuzz_byte(in);
        at = way & 1 ? at | (size_t)fuzz_byte(in) << 8 | (size_t)(way >> 4) << 16 : at;
        if (way & 2) {
            bytes = way & 4 ? at : bytes - at % bytes; /* a file that grows gets the bytes that were there before */
            bytes = bytes < HEADER ? HEADER : bytes < most ? bytes : most;
        } else {
            file[at % bytes] = fuzz_byte(in);
        }
    }
    return bytes;
}

/* Compresses the bytes behind the header with zlib, as the header then says; where that fits. */
static size_t compress_file(uint8_t *file, size_t bytes)
{
    uLongf room = compressBound(bytes - HEADER);
    uint8_t *packed = malloc(room);
    must(packed && compress2(packed, &room, file + HEADER, bytes - HEADER, 1) == Z_OK);
    if (room > most - HEADER) { /* the added bytes may not get shorter by compression, and then have no room */
        free(packed);
        return bytes;
    }
    memcpy(file + HEADER, packed, room);
    free(packed);
    file[5] = HB_SEAL_ZLIB;
    return HEADER + room;
}

static size_t make_file(uint8_t *file, int kind, uint8_t way, fuzz_input *in)
{
    size_t bytes = valid[kind].bytes;
    memcpy(file, valid[kind].data, bytes);
    bytes = way & 1 ? change(file, bytes, in) : bytes;
    bytes = way & 2 ? compress_file(file, bytes) : bytes;
    if (!(way & 8)) { /* else a change may have set it */
        memcpy(file + 8, &(uint64_t){bytes}, sizeof(uint64_t));
    }
    return way & 1 ? bytes : change(file, bytes, in);
}

/* Words that were read are below their moduli; buffers are of the right size, for a sanitizer to see. */
static void must_be_below(const uint64_t *words, size_t polynomials, uint32_t limbs, const uint64_t *moduli)
{
    for (size_t i = 0; i < polynomials * limbs * params->spec.n; i++) {
        must(words[i] < moduli[i / params->spec.n % limbs]);
    }
}

static hb_status read_ciphertext(const hb_seal_chain *of, uint64_t **words)
{
    hb_seal_reader *reader;
    hb_seal_ciphertext head;
    HB_TRY(hb_seal_reader_open(path, &reader));
    hb_status st = hb_seal_ciphertext_begin(reader, of, &head);
    if (st == HB_OK) {
        must(head.scale > 0 && (of == &real_chain || head.scale == 1));
        must(head.size >= 2 && head.size <= HB_SEAL_MOST_SIZE && (head.limbs == 1 || head.limbs == 2));
        *words = malloc(head.size * head.limbs * params->spec.n * sizeof **words);
        must(*words != NULL);
        st = hb_seal_ciphertext_words(reader, of, &head, *words);
    }
    hb_seal_reader_close(reader);
    if (st == HB_OK) {
        must_be_below(*words, head.size, head.limbs, of->params->spec.primes);
    }
    return st;
}

static hb_status read_slots(hb_seal_reader *reader, uint64_t *words)
{
    uint64_t slots, end;
    uint32_t parts;
    HB_TRY(hb_seal_switch_keys_begin(reader, &chain, &slots, &end));
    for (uint64_t slot = 0; slot < slots; slot++) {
        HB_TRY(hb_seal_switch_keys_next(reader, &chain, &parts));
        must(parts <= 1);
        if (parts == 1) {
            HB_TRY(hb_seal_key_part_read(reader, &chain, words));
            must_be_below(words, 2, 2, params->spec.primes);
        }
    }
    return hb_seal_object_end(reader, end);
}

static hb_status read_file(int kind)
{
    hb_params_spec spec;
    uint64_t *words = NULL;
    hb_seal_reader *reader = NULL;
    const size_t room = (kind == PLAINTEXT ? 1 : kind == SECRET ? 2 : 4) * params->spec.n * sizeof *words;
    hb_status st = HB_OK;
    if (kind == PARAMETERS || kind == REALS) {
        st = hb_seal_parameters_load(path, kind == REALS ? SCALE_BITS : 0, &spec);
        return st == HB_EUSAGE ? HB_EDATA : st; /* of the other scheme, which asks for a scale or has none */
    }
    if (kind != CIPHERTEXT && kind != REAL) {
        words = malloc(room);
        must(words != NULL);
    }
    switch (kind) {
    case SECRET:
        st = hb_seal_secret_load(path, &chain, words);
        break;
    case PLAINTEXT:
        st = hb_seal_plaintext_load(path, &chain, words, &(uint32_t){0}, &(double){0});
        break;
    case CIPHERTEXT:
        st = read_ciphertext(&chain, &words);
        break;
    case REAL:
        st = read_ciphertext(&real_chain, &words);
        break;
    case PUBLIC:
        st = hb_seal_public_load(path, &chain, words);
        break;
    default:
        st = hb_seal_reader_open(path, &reader);
        st = st == HB_OK ? read_slots(reader, words) : st;
        hb_seal_reader_close(reader);
    }
    free(words);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const int kind = fuzz_byte(&in) % KINDS;
    const uint8_t way = fuzz_byte(&in);
    static uint8_t file[1 << 18];
    const size_t bytes = make_file(file, kind, way, &in);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0 && write(fd, file, bytes) == (ssize_t)bytes);
    close(fd);
    const hb_status st = read_file(kind);
    must(st == HB_OK || st == HB_EDATA);
    unlink(path);
    return 0;
}
