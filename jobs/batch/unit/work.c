#include "work.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lang/cost/op_cost.h"
#include "lang/cost/program_cost.h"
#include "lang/cost/rates.h"

/* The rank with most: shares differ by one item. */
static double share_of(uint64_t items, int ranks)
{
    return (double)(items / (uint64_t)ranks + (items % (uint64_t)ranks != 0));
}

/* Work on each ciphertext of the header, and what is read, written and moved of them. */
static hb_work over(const hb_params *params, const hb_header *header, int ranks, const hb_cost *each)
{
    hb_work work = {.params = params,
                    .residues = hb_spec_residues(&params->spec),
                    .units = share_of(hb_header_units(header), ranks),
                    .items = share_of(header->ciphertexts, ranks)};
    hb_cost_add(&work.loop, work.items, each);
    return work;
}

static double stored_bytes(const hb_header *header, const hb_work *work)
{
    return work->items * (double)hb_header_ciphertext_bytes(header);
}

static double cells_of(const hb_header *header, const hb_work *work)
{
    const double cells = (double)header->schema.rows * (double)header->schema.columns;
    return header->ciphertexts > 0 ? cells * work->items / (double)header->ciphertexts : 0;
}

/* --- the cost of a ciphertext, and of keys, by the rates */

/* A ciphertext as it is stored. seeded: it has one component and a seed. */
typedef struct ciphertext {
    double limbs;
    uint32_t stored; /* components */
    bool seeded;
} ciphertext;

static ciphertext ciphertext_of(const hb_header *header)
{
    return (ciphertext){header->limbs, hb_header_stored(header), header->seeded};
}

static bool in_ntt_form(const hb_params *params)
{
    return params->form == HB_NTT_FORM;
}

/* Adds transfers that bring so many limbs to a rank that shares limbs with others. */
static void add_exchange(const hb_params *params, double limbs, double transfers, hb_cost *cost)
{
    if (params->map.members > 1) {
        cost->of[HB_COST_GATHERED] += limbs;
        cost->of[HB_COST_TRANSFERS] += transfers;
    }
}

/* Returns the share of limbs that a rank gets from others. */
static double others_of(const hb_params *params)
{
    return 1 - 1.0 / params->map.members;
}

static hb_cost cost_of_encryption(const hb_params *params, bool seeded, double limbs)
{
    const double components = seeded ? 1 : 2;
    const bool ntt = in_ntt_form(params);
    const double draws = ntt ? HB_DRAWS_ENCRYPT_REALS : seeded ? HB_DRAWS_ENCRYPT_SECRET : HB_DRAWS_ENCRYPT_PUBLIC;
    hb_cost cost = {{[HB_COST_CORE] = (seeded ? HB_RATE_ENCRYPT_SECRET : HB_RATE_ENCRYPT_PUBLIC) * limbs,
                     [HB_COST_TRANSFORMS] = ((seeded ? 2 : 3) + (ntt ? 1 : 0)) * limbs,
                     [HB_COST_WORDS] = (seeded ? HB_WORDS_ENCRYPT_SECRET : HB_WORDS_ENCRYPT_PUBLIC) * limbs,
                     [HB_COST_CONVERSIONS] = ntt ? HB_CONVERSIONS_ENCODE_REALS : 0,
                     [HB_COST_DIGESTS] = components * limbs,
                     [HB_COST_DRAWS] = draws * limbs,
                     [HB_COST_LAUNCHES] = HB_LAUNCHES_CIPHERTEXT}};
    if (!seeded) { /* the special limbs of each component go to all ranks, by which they are divided */
        add_exchange(params, 2 * params->fresh_special * others_of(params), 2, &cost);
    }
    return cost;
}

static hb_cost cost_of_decryption(const hb_params *params, ciphertext c)
{
    const bool ntt = in_ntt_form(params);
    const double draws = c.seeded ? (ntt ? HB_DRAWS_DECRYPT_REALS : HB_DRAWS_DECRYPT) : 0;
    hb_cost cost = {{[HB_COST_CORE] = HB_RATE_DECRYPT * c.limbs,
                     [HB_COST_TRANSFORMS] = 2 * c.limbs,
                     [HB_COST_WORDS] = HB_WORDS_DECRYPT * c.limbs,
                     [HB_COST_CONVERSIONS] = ntt ? HB_CONVERSIONS_DECODE_REALS : HB_CONVERSIONS_DECRYPT * c.limbs,
                     [HB_COST_DIGESTS] = c.stored * c.limbs,
                     [HB_COST_DRAWS] = draws * c.limbs,
                     [HB_COST_LAUNCHES] = HB_LAUNCHES_CIPHERTEXT}};
    /* Reals are made of all limbs, integers of partial sums modulo t and gamma of every other rank. */
    add_exchange(params, ntt ? c.limbs * others_of(params) : 2 * (params->map.members - 1.0), 1, &cost);
    return cost;
}

static hb_cost cost_of_verification(ciphertext c)
{
    const double rows = c.stored * c.limbs;
    return (hb_cost){{[HB_COST_CORE] = HB_RATE_CHECKSUM * c.limbs,
                      [HB_COST_DIGESTS] = rows,
                      [HB_COST_WORDS] = 2 * rows,
                      [HB_COST_LAUNCHES] = HB_LAUNCHES_CIPHERTEXT}};
}

static hb_cost cost_of_sum(ciphertext c, double inputs)
{
    return (hb_cost){{[HB_COST_CORE] = HB_RATE_ADD_UP * inputs * c.limbs,
                      [HB_COST_DIGESTS] = 2 * c.limbs * (inputs + 1),
                      [HB_COST_WORDS] = 6 * c.limbs * inputs,
                      [HB_COST_LAUNCHES] = HB_LAUNCHES_CIPHERTEXT * (inputs + 1)}};
}

/* Limb polynomials: a key has a pair of polynomials for each digit, in all limbs and the special ones. */
static double key_polynomials(const hb_params *params, uint32_t keys)
{
    const double limbs = params->fresh_limbs;
    return 2 * keys * hb_op_cost_digits(params, limbs) * (limbs + hb_spec_special_limbs(&params->spec));
}

static hb_cost cost_of_keys(const hb_params *params, uint32_t keys)
{
    const double polynomials = key_polynomials(params, keys), limbs = params->fresh_limbs;
    return (hb_cost){{[HB_COST_CORE] = HB_RATE_ENCRYPT_PUBLIC * limbs + HB_RATE_KEY_MADE * polynomials,
                      [HB_COST_TRANSFORMS] = polynomials + 3 * limbs,
                      [HB_COST_WORDS] = 3 * polynomials + HB_WORDS_ENCRYPT_PUBLIC * limbs,
                      [HB_COST_DIGESTS] = polynomials / 2 + 2 * limbs,
                      [HB_COST_DRAWS] = polynomials / 2 + limbs,
                      [HB_COST_LAUNCHES] = HB_LAUNCHES_CIPHERTEXT * (double)keys}};
}

/* Keys over the integers are made of all limbs of each block, which ranks that share limbs gather. */
static hb_cost cost_of_preparing(const hb_params *params, uint32_t keys)
{
    const double polynomials = key_polynomials(params, keys), transfers = 4.0 * params->key_switch_integer.blocks;
    hb_cost cost = {{[HB_COST_CORE] = HB_RATE_KEY_PREPARED * polynomials,
                     [HB_COST_DRAWS] = HB_DRAWS_KEY_PREPARED * polynomials / 2,
                     [HB_COST_WORDS] = 4 * polynomials}};
    if (hb_params_switch_by_integers(params)) {
        add_exchange(params, polynomials * others_of(params), transfers * keys, &cost);
    }
    return cost;
}

static hb_cost cost_of_held(double limbs)
{
    return (hb_cost){{[HB_COST_CORE] = HB_RATE_HELD * limbs,
                      [HB_COST_TRANSFORMS] = limbs,
                      [HB_COST_WORDS] = 4 * limbs,
                      [HB_COST_CONVERSIONS] = limbs}};
}

/* --- tables */

/* Returns the bytes of a CSV; 0 for a table of HDF5, and for a pattern. */
static double text_bytes(const char *name)
{
    struct stat info;
    char *file = NULL, *dataset = NULL;
    const hb_error before = *hb_last_error();
    const bool text = hb_table_name_split(name, &file, &dataset) == HB_OK && dataset == NULL && stat(file, &info) == 0;
    hb_set_error(&before);
    free(file);
    free(dataset);
    return text ? (double)info.st_size : 0;
}

/* Adds what is read of the tables. A unit of some columns reads each line up to the last of them, on average half of
 * it. */
static void add_tables(hb_work *work, hb_table_list tables, const hb_header *header, int ranks)
{
    const hb_packing packing = hb_header_packing(header);
    const double across = (double)hb_packing_across(&packing), unit = (double)header->unit;
    double text = 0;
    for (size_t i = 0; i < tables.count; i++) {
        text += text_bytes(tables.name[i]);
    }
    const double times = unit > 0 && across > unit ? (1 + across / unit) / 2 : 1;
    work->text_bytes += times * text / ranks;
    work->file_bytes += text > 0 ? 0 : work->cells * header->schema.width;
}

/* Adds what is written of a table. */
static void add_output(hb_work *work, const char *name, bool real)
{
    char *file = NULL, *dataset = NULL;
    const hb_error before = *hb_last_error();
    const bool text = hb_table_name_split(name, &file, &dataset) != HB_OK || dataset == NULL;
    hb_set_error(&before);
    free(file);
    free(dataset);
    work->written_bytes += work->cells * sizeof(uint64_t);
    *(real ? &work->printed_reals : &work->printed_cells) += text ? work->cells : 0;
}

/* --- jobs without a program */

hb_work hb_work_encrypt(const hb_params *params, const hb_header *header, hb_table_list tables, int ranks)
{
    const hb_cost each = cost_of_encryption(params, header->seeded, header->limbs);
    hb_work work = over(params, header, ranks, &each);
    work.cells = cells_of(header, &work);
    work.upload_bytes = work.items * (double)params->spec.n * sizeof(uint64_t);
    work.written_bytes = work.download_bytes = stored_bytes(header, &work);
    work.limbs.written = true;
    add_tables(&work, tables, header, ranks);
    return work;
}

hb_work hb_work_decrypt(const hb_params *params, const hb_header *header, const char *output, int ranks)
{
    const hb_cost each = cost_of_decryption(params, ciphertext_of(header));
    hb_work work = over(params, header, ranks, &each);
    work.cells = cells_of(header, &work);
    work.file_bytes = work.upload_bytes = stored_bytes(header, &work);
    work.download_bytes = work.items * (double)params->spec.n * sizeof(uint64_t);
    work.arranges_last = work.limbs.read = true;
    if (output != NULL) {
        add_output(&work, output, header->cells == HB_CELL_REAL);
    }
    return work;
}

hb_work hb_work_verify(const hb_params *params, const hb_header *header, int ranks)
{
    const hb_cost each = cost_of_verification(ciphertext_of(header));
    hb_work work = over(params, header, ranks, &each);
    work.file_bytes = work.upload_bytes = stored_bytes(header, &work);
    work.limbs.read = true;
    return work;
}

hb_work hb_work_add(const hb_params *params, const hb_header *header, uint64_t inputs, int ranks)
{
    const double of = (double)inputs;
    const hb_cost each = cost_of_sum(ciphertext_of(header), of);
    hb_work work = over(params, header, ranks, &each);
    work.units *= of;
    work.queues_write = true;
    work.written_bytes = work.download_bytes = stored_bytes(header, &work);
    work.file_bytes = work.upload_bytes = of * work.written_bytes;
    return work;
}

/* --- keys and programs */

hb_work hb_work_change(const hb_params *params, const hb_header *header, const hb_header *from, hb_work_changing how,
                       int ranks)
{
    const double limbs = how.op == HB_OP_REFRESH ? header->limbs : from->limbs;
    const hb_op_cost change = {.op = how.op, .limbs = limbs, .to_limbs = limbs};
    hb_cost each = cost_of_verification(ciphertext_of(from));
    const hb_cost stored = cost_of_verification(ciphertext_of(header)); /* digests of what is written */
    hb_cost_add(&each, 1, &stored);
    for (uint32_t i = 0; i < how.times; i++) {
        hb_op_cost_add(params, &change, &each);
    }
    hb_work work = over(params, header, ranks, &each);
    work.file_bytes = work.upload_bytes = stored_bytes(from, &work);
    work.written_bytes = work.download_bytes = stored_bytes(header, &work);
    work.keys = cost_of_preparing(params, how.keys);
    work.bootstraps = how.op == HB_OP_REFRESH;
    work.limbs = (hb_work_limbs){true, true};
    return work;
}

/* An encryption is made on fewer limbs than a fresh one has. */
void hb_work_add_sanitizing(hb_work *work, const hb_header *header, const hb_sanitize_plan *plan, int ranks)
{
    const double limbs = plan->limbs;
    const hb_cost noise = {{[HB_COST_CORE] = HB_RATE_SANITIZE * limbs, [HB_COST_WORDS] = 4 * limbs}};
    const hb_work fresh = hb_work_encrypt(work->params, header, (hb_table_list){.count = 0}, ranks);
    hb_cost_add(&work->loop, limbs / work->params->fresh_limbs, &fresh.loop);
    hb_cost_add(&work->loop, work->items, &noise);
    work->written_bytes = work->download_bytes = fresh.written_bytes;
    work->limbs.written = true;
}

hb_work hb_work_keygen(const hb_params *params, uint32_t keys)
{
    const double polynomials = key_polynomials(params, keys);
    hb_work work = {.params = params, .items = keys, .residues = 1, .loop = cost_of_keys(params, keys)};
    work.written_bytes = work.download_bytes = polynomials / 2 * (double)params->spec.n * sizeof(uint64_t);
    return work;
}

double hb_work_layer(const hb_params *params, const hb_packing *packing)
{
    const bool possible = packing->order == HB_PACK_COLUMNS || packing->block > 0;
    const double each = hb_layer_cost(params, packing->columns, packing->block);
    return possible ? (double)hb_packing_ciphertexts(packing) * each : INFINITY;
}

/* Returns the part of all totals, `undivided` transforms of a core, that the worker with most computes. */
static double share_of_totals(const hb_params *params, const hb_program *program, double undivided,
                              hb_totals_lanes lanes)
{
    if (lanes.ranks * lanes.workers <= 1 || undivided <= 0) {
        return 1;
    }
    const double most = (double)hb_totals_divided_work(params, program, lanes) / HB_WORK_PARTS;
    return most < undivided ? most / undivided : 1;
}

hb_work hb_work_program(const hb_params *params, const hb_program *program, uint64_t blocks, uint32_t keys,
                        uint64_t held, hb_totals_lanes lanes)
{
    const hb_program_cost cost = hb_program_cost_of(params, program);
    /* Work is of all limbs: that of a rank which shares them is a part of it (device/prediction.h). */
    const double limbs = (double)held / ((double)params->ring.n * sizeof(uint64_t)) / hb_work_limb_share(params);
    const uint32_t passes = program->pass_count > 0 ? program->pass_count : 1;
    hb_work work = {.params = params,
                    .residues = hb_spec_residues(&params->spec),
                    .items = share_of(blocks, (int)lanes.ranks),
                    .bootstraps = program->description.bootstrap_count > 0};
    hb_cost_add(&work.loop, work.items, &cost.rows);
    /* Each pass begins its own batches, of as many instructions as it has. */
    work.units = work.items * passes;
    hb_cost_add(&work.totals, share_of_totals(params, program, cost.totals.of[HB_COST_CORE], lanes), &cost.totals);
    /* Keys and diagonals are not divided over ranks with different ciphertexts: each prepares all of them. */
    work.keys = cost_of_preparing(params, keys);
    work.diagonals = cost_of_held(limbs);
    work.limbs = (hb_work_limbs){true, true};
    return work;
}
