/* Rows of operations on reals: a plaintext's way from slots to residues, and back. */
#include "check_private.h"

/* Returns the tables of a row: with: an operand, and which tables. */
static const hb_slot_tables *tables_of(const hb_check *k, int side, int with)
{
    return &k->slot_tables[side][HB_CHECK_SECOND_OF(with)];
}

/* Returns the coefficients of tables. */
static hb_batch coefficients_of(const hb_check *k, int side, int with)
{
    return hb_check_view(k, side, tables_of(k, side, with)->wide ? HB_CHECK_WIDE : HB_CHECK_COEFFICIENTS);
}

/* Transforms slots into coefficients. */
static hb_status to_coefficients(hb_check *k, int side, int with)
{
    return hb_slots_to_coefficients(hb_check_engine(k, side), coefficients_of(k, side, with),
                                    hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), tables_of(k, side, with));
}

/* Transforms coefficients into slots. They are used as workspace: the slots take their place, that of high parts where
 * they are wide. */
static hb_status to_slots(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch coefficients = hb_check_view(k, side, HB_CHECK_FIRST_OF(with)),
                   slots = hb_check_view(k, side, HB_CHECK_SLOTS);
    HB_TRY(hb_coefficients_to_slots(e, slots, coefficients, tables_of(k, side, with)));
    for (size_t first = 0; first < coefficients.count; first += slots.count) {
        HB_TRY(hb_copy(e, hb_batch_slice(coefficients, first, slots.count), slots));
    }
    return HB_OK;
}

static const hb_real_scale scale = {{HB_CHECK_SCALE, 0}, {0, 0}, false}, one = {{1, 0}, {0, 0}, false},
                           wide_scale = {{0x1.0123456789abcp+85, 0x1.23456789abcdep+30},
                                         {0x1.fdbac097c8dcap-86, 0x1.3579bdf02468ap-141},
                                         true},
                           wide_one = {{1, 0}, {1, 0}, true};

/* Rounds reals; the next row compares the refused ones. */
static hb_status round_with(hb_check *k, int side, int with, const hb_real_scale *by)
{
    static const uint64_t nothing = UINT64_MAX;
    hb_engine *e = hb_check_engine(k, side);
    uint64_t *refused = k->area[HB_CHECK_REFUSED].memory[side];
    const hb_rounding rounding = {*by, refused, 1};
    HB_TRY(hb_upload(e, refused, &nothing, sizeof nothing));
    return hb_round_reals(e, hb_check_result(k, side), hb_check_view(k, side, with), &rounding);
}

static hb_status round_scaled(hb_check *k, int side, int with)
{
    return round_with(k, side, with, with == HB_CHECK_WIDE ? &wide_scale : &scale);
}

static hb_status round_as_they_are(hb_check *k, int side, int with)
{
    return round_with(k, side, with, with == HB_CHECK_WIDE_BORDERS ? &wide_one : &one);
}

/* Composes the first limbs of an operand. */
static hb_status compose_with(hb_check *k, int side, int with, const hb_real_scale *by)
{
    hb_engine *e = hb_check_engine(k, side);
    return hb_compose_reals(e, hb_check_view(k, side, by->wide ? HB_CHECK_WIDE : HB_CHECK_COEFFICIENTS),
                            hb_batch_limbs(e, hb_check_view(k, side, with), 0, k->composition.limbs), &k->composition,
                            by);
}

static hb_status compose(hb_check *k, int side, int with)
{
    return compose_with(k, side, with, &scale);
}

static hb_status compose_wide(hb_check *k, int side, int with)
{
    return compose_with(k, side, with, &wide_scale);
}

/* Rows run in this order, each on the results of the earlier ones. */
const hb_check_row hb_check_reals[] = {
    {"coefficients of slots", to_coefficients, HB_CHECK_BOTH(HB_CHECK_SLOTS, HB_CHECK_FIVES), HB_CHECK_COEFFICIENTS,
     NULL},
    {"residues of coefficients", round_scaled, HB_CHECK_COEFFICIENTS, HB_CHECK_R, NULL},
    {"first coefficient that is refused", NULL, 0, HB_CHECK_REFUSED, NULL},
    {"residues of reals at borders", round_as_they_are, HB_CHECK_BORDERS, HB_CHECK_R, NULL},
    {"first real that is refused", NULL, 0, HB_CHECK_REFUSED, NULL},
    {"reals of residues", compose, HB_CHECK_A, HB_CHECK_COEFFICIENTS, NULL},
    {"slots of coefficients", to_slots, HB_CHECK_BOTH(HB_CHECK_COEFFICIENTS, HB_CHECK_FIVES), HB_CHECK_SLOTS, NULL},
    {"coefficients of slots in powers of 3", to_coefficients, HB_CHECK_BOTH(HB_CHECK_SLOTS, HB_CHECK_THREES),
     HB_CHECK_COEFFICIENTS, NULL},
    {"slots in powers of 3 of coefficients", to_slots, HB_CHECK_BOTH(HB_CHECK_COEFFICIENTS, HB_CHECK_THREES),
     HB_CHECK_SLOTS, NULL},
    {"wide coefficients of slots", to_coefficients, HB_CHECK_BOTH(HB_CHECK_SLOTS, HB_CHECK_WIDE_FIVES), HB_CHECK_WIDE,
     NULL},
    {"residues of wide coefficients", round_scaled, HB_CHECK_WIDE, HB_CHECK_R, NULL},
    {"first wide coefficient that is refused", NULL, 0, HB_CHECK_REFUSED, NULL},
    {"residues of wide reals at borders", round_as_they_are, HB_CHECK_WIDE_BORDERS, HB_CHECK_R, NULL},
    {"first wide real that is refused", NULL, 0, HB_CHECK_REFUSED, NULL},
    {"wide coefficients of slots in powers of 3", to_coefficients, HB_CHECK_BOTH(HB_CHECK_SLOTS, HB_CHECK_WIDE_THREES),
     HB_CHECK_WIDE, NULL},
    {"slots in powers of 3 of wide coefficients", to_slots, HB_CHECK_BOTH(HB_CHECK_WIDE, HB_CHECK_WIDE_THREES),
     HB_CHECK_SLOTS, NULL},
    {"wide reals of residues", compose_wide, HB_CHECK_A, HB_CHECK_WIDE, NULL},
    {"slots of wide coefficients", to_slots, HB_CHECK_BOTH(HB_CHECK_WIDE, HB_CHECK_WIDE_FIVES), HB_CHECK_SLOTS, NULL},
    {NULL, NULL, 0, 0, NULL},
};
