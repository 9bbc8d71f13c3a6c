#include "unit_decrypt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "batch/pipeline/stage_times.h"
#include "scheme/codec.h"
#include "scheme/quality.h"
#include "scheme/spread.h"

const hb_quality_measured hb_quality_measured_none = {.least = UINT32_MAX};

void hb_quality_measured_add(hb_quality_measured *to, const hb_quality_measured *more)
{
    to->count += more->count;
    to->sum += more->sum;
    to->least = more->least < to->least ? more->least : to->least;
    hb_precision_add(&to->precision, &more->precision);
}

uint64_t hb_unit_decryptor_bytes(const hb_params *params, const hb_header *header, size_t batch)
{
    /* c0 and phase, c1 if there is one. */
    const uint64_t limbs =
        (header->seeded ? 2 : 3) * (uint64_t)hb_params_most_limbs(params, params->ids, header->limbs);
    const uint64_t each =
        hb_values_words(&params->spec) + hb_plaintext_words(params, header->limbs) + limbs * params->spec.n;
    return hb_unit_rows_bytes(params, header) + hb_codec_bytes(&params->spec, header->encoding) +
           (header->encoding == HB_ENCODE_REVERSED ? hb_unit_order_bytes(params, header->limbs) : 0) +
           hb_decryptor_bytes(params, header->limbs, batch) + batch * each * sizeof(uint64_t);
}

static hb_status init(hb_unit_decryptor *x, const hb_session *session, hb_engine *engine, const hb_header *header,
                      size_t batch, const hb_part_plan *plan)
{
    *x = (hb_unit_decryptor){.batch = batch, .measured = hb_quality_measured_none, .plan = plan};
    const hb_params *params = session->params;
    HB_TRY(hb_unit_rows_init(&x->rows, 1, engine, params, header));
    if (header->encoding == HB_ENCODE_REVERSED) {
        HB_TRY(hb_unit_order_open(&x->order, engine, params, header->limbs));
    }
    HB_TRY(hb_codec_open(engine, params, header->encoding, &x->codec));
    if (plan != NULL) {
        HB_TRY(hb_combiner_open(engine, params, header->limbs, batch, &x->decryptor));
    } else {
        HB_TRY(hb_decryptor_open(engine, &session->secret, header->limbs, batch, &x->decryptor));
    }
    HB_TRY(hb_batch_alloc(engine, &x->c0, batch, header->limbs, params->ids));
    HB_TRY(hb_batch_alloc(engine, &x->phase, batch, header->limbs, params->ids));
    HB_TRY(hb_plaintexts_alloc(&x->plain, engine, params, header->limbs, batch));
    HB_TRY(hb_values_alloc(&x->values, engine, params, batch));
    if (!header->seeded) {
        HB_TRY(hb_batch_alloc(engine, &x->c1, batch, header->limbs, params->ids));
    }
    x->bits = calloc(batch, sizeof *x->bits);
    return x->bits != NULL ? HB_OK
                           : HB_FAIL(HB_ENOMEM, "no memory for %zu %ss", batch, hb_quality_name(params->spec.scheme));
}

hb_status hb_unit_decryptor_init(hb_unit_decryptor *x, const hb_session *session, hb_engine *engine,
                                 const hb_header *header, size_t batch)
{
    return init(x, session, engine, header, batch, NULL);
}

hb_status hb_unit_combiner_init(hb_unit_decryptor *x, const hb_session *session, hb_engine *engine,
                                const hb_header *header, size_t batch, const hb_part_plan *plan)
{
    return init(x, session, engine, header, batch, plan);
}

hb_status hb_unit_decryptor_flood(hb_unit_decryptor *x, const hb_flood *flood, const hb_seed *root)
{
    x->flood = *flood;
    x->flood_root = root;
    return hb_flooder_open(x->rows.engine, x->codec->params, x->rows.header->limbs, flood, &x->flooder);
}

void hb_unit_decryptor_clear(hb_unit_decryptor *x)
{
    hb_engine *engine = x->rows.engine;
    if (engine != NULL) {
        /* c1 holds c1 s afterwards: as secret as the phase. */
        hb_batch *secrets[] = {&x->c1, &x->phase, &x->plain, &x->values};
        for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
            hb_batch_wipe(engine, *secrets[i]);
            hb_batch_free(engine, secrets[i]);
        }
        hb_batch_free(engine, &x->c0);
    }
    free(x->bits);
    hb_flooder_close(x->flooder);
    hb_decryptor_close(x->decryptor);
    hb_codec_close(x->codec);
    hb_unit_order_close(&x->order);
    hb_unit_rows_clear(&x->rows, 1);
    memset(x, 0, sizeof *x);
}

/* Approximate values tell of their errors; exact ones do not, but their ciphertexts have bits left. */
static bool is_exact(const hb_unit_decryptor *x)
{
    return x->rows.header->cells == HB_CELL_INTEGER;
}

/* Whether all values of a ciphertext with these cells are real. */
static bool is_real(const hb_header *header, const hb_rectangle *cells)
{
    return hb_schema_words(&header->schema, cells->column, cells->columns) == cells->columns;
}

/* Slots of reals have parts that would be 0 but for errors; coefficients have none, and complex values none that are
 * known. first: number of the ciphertext that begins the values. */
static void take_precision(hb_unit_decryptor *x, uint64_t first, const uint64_t *values, size_t some)
{
    const hb_header *header = x->rows.header;
    const hb_packing packing = hb_header_packing(header);
    for (size_t i = 0; i < some && header->encoding == HB_ENCODE_SLOTS; i++) {
        const hb_rectangle cells = hb_packing_cells(&packing, first + i);
        const hb_filled_slots filled = {(size_t)cells.rows, (size_t)cells.columns, hb_packing_stride(&packing, &cells)};
        if (is_real(header, &cells)) {
            (void)hb_quality_of_values(&header->spec, values + i * hb_values_words(&header->spec), filled,
                                       &x->measured.precision);
        }
    }
}

/* first: number of the ciphertext whose quality is bits[0]. */
static hb_status take_bits(hb_unit_decryptor *x, uint64_t first, size_t some)
{
    for (size_t i = 0; i < some; i++) {
        if (x->bits[i] == 0) {
            return HB_FAIL(HB_EDATA,
                           "ciphertext %" PRIu64 " (from 0) has no %s left: what it decrypts to cannot be trusted",
                           first + i, hb_quality_name(x->rows.header->spec.scheme));
        }
        hb_quality_measured_add(&x->measured,
                                &(hb_quality_measured){.count = 1, .sum = x->bits[i], .least = x->bits[i]});
    }
    return HB_OK;
}

/* Drops the coefficients of which component 0 is not stored: they are no message, and tell of the key. */
static hb_status drop_behind(hb_unit_decryptor *x, hb_batch phase)
{
    hb_engine *engine = x->rows.engine;
    const hb_header *header = x->rows.header;
    const hb_batch rest = hb_unit_rows_behind(phase, engine->ring->n, header->kept);
    if (header->form == HB_COEFFICIENT_FORM) {
        return hb_clear(engine, rest);
    }
    HB_TRY(hb_intt(engine, phase));
    HB_TRY(hb_clear(engine, rest));
    return hb_ntt(engine, phase);
}

/* Makes the phases of ciphertexts whose rows are there, in the order of their values. */
static hb_status find_phase(hb_unit_decryptor *x, const hb_unit_buffer *buffer, hb_batch phase,
                            hb_unit_rows_view places)
{
    const hb_batch c0 = hb_batch_slice(x->c0, 0, phase.count);
    const bool ordered = x->order.engine != NULL;
    HB_TRY(hb_unit_rows_unpack(&x->rows, 0, c0, places));
    if (ordered) {
        HB_TRY(hb_unit_order_to_ring(&x->order, c0));
    }
    if (x->plan != NULL) {
        HB_TRY(hb_add(x->rows.engine, phase, c0, hb_batch_slice(x->parts, places.at, phase.count)));
    } else if (x->rows.header->seeded) {
        HB_TRY(hb_phase_seeded(x->decryptor, phase, c0, buffer->rows.seeds + places.at));
    } else {
        const hb_batch c1 = hb_batch_slice(x->c1, 0, phase.count);
        HB_TRY(hb_unit_rows_unpack(&x->rows, 1, c1, places));
        HB_TRY(hb_phase(x->decryptor, phase, c0, c1));
    }
    if (ordered) {
        HB_TRY(hb_unit_order_to_file(&x->order, phase));
    }
    return x->rows.header->kept > 0 ? drop_behind(x, phase) : HB_OK;
}

/* Reads plaintexts of phases. Measures those of exact values: into x->bits. first: number of the first ciphertext. */
static hb_status read_phase(hb_unit_decryptor *x, hb_batch plain, hb_batch phase, uint64_t first)
{
    return x->plan != NULL ? hb_combiner_decrypt(x->decryptor, plain, phase, x->plan, first, x->bits)
                           : hb_decrypt(x->decryptor, plain, phase);
}

static hb_status decrypt_some(hb_unit_decryptor *x, hb_unit_buffer *buffer, size_t at, size_t some, size_t count,
                              uint64_t first)
{
    hb_engine *engine = x->rows.engine;
    const size_t stride = hb_values_words(&x->rows.header->spec);
    const hb_unit_rows_view places = {at, 1, count};
    const hb_batch phase = hb_batch_slice(x->phase, 0, some);
    const hb_batch plain = hb_batch_slice(x->plain, 0, some), values = hb_batch_slice(x->values, 0, some);
    HB_TRY(find_phase(x, buffer, phase, places));
    HB_TRY(read_phase(x, plain, phase, first + at));
    if (x->flooder != NULL) {
        HB_TRY(hb_flooder_add(x->flooder, plain, x->flood_root, first + at));
    }
    HB_TRY(hb_decode(x->codec, values, plain));
    if (is_exact(x) && x->plan == NULL) {
        HB_TRY(hb_decryptor_measure(x->decryptor, x->bits, phase));
    }
    HB_TRY(hb_stage_times_note_engine(engine, HB_TIME_COMPUTE));
    HB_TRY(hb_download(engine, buffer->values + at * stride, values.data, some * stride * sizeof(uint64_t)));
    HB_TRY(hb_finish(engine));
    hb_stage_times_note(HB_TIME_DOWNLOAD);
    if (x->rows.header->encoding == HB_ENCODE_SPREAD) {
        hb_spread_scale(&x->rows.header->spec, (int)hb_header_spread_steps(x->rows.header),
                        buffer->values + at * stride, some * stride);
    }
    if (is_exact(x)) {
        return take_bits(x, first + at, some);
    }
    if (x->flooder != NULL) { /* measured errors are secret now */
        hb_flood_round(&x->rows.header->spec, &x->flood, buffer->values + at * stride, some * stride);
    } else {
        take_precision(x, first + at, buffer->values + at * stride, some);
    }
    return HB_OK;
}

hb_status hb_unit_decrypt(hb_unit_decryptor *x, hb_unit_buffer *buffer, uint64_t u)
{
    uint64_t first, ciphertexts;
    hb_header_unit_range(x->rows.header, u, &first, &ciphertexts);
    const size_t count = (size_t)ciphertexts;
    for (hb_chunk c = hb_chunks(count, x->batch); hb_chunk_next(&c);) {
        HB_TRY(decrypt_some(x, buffer, c.first, c.count, count, first));
    }
    return HB_OK;
}
