/* Rows of operations on reals: a plaintext's way from slots to residues, and back. */
#include "check_private.h"

/* Returns the tables of a row: with: an operand, and 1 for slots in powers of 3. */
static const hb_slot_tables *tables_of(const hb_check *k, int side, int with)
{
    return HB_CHECK_SECOND_OF(with) != 0 ? &k->powers_of_3[side] : &k->slot_tables[side];
}

/* Transforms slots into coefficients. */
static hb_status to_coefficients(hb_check *k, int side, int with)
{
    return hb_slots_to_coefficients(hb_check_engine(k, side), hb_check_view(k, side, HB_CHECK_COEFFICIENTS),
                                    hb_check_view(k, side, HB_CHECK_FIRST_OF(with)), tables_of(k, side, with));
}

/* Transforms coefficients into slots. They are used as workspace: the slots take their place. */
static hb_status to_slots(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    const hb_batch coefficients = hb_check_view(k, side, HB_CHECK_FIRST_OF(with)),
                   slots = hb_check_view(k, side, HB_CHECK_SLOTS);
    HB_TRY(hb_coefficients_to_slots(e, slots, coefficients, tables_of(k, side, with)));
    return hb_copy(e, coefficients, slots);
}

/* Rounds reals; what is refused is compared by the next row. */
static hb_status round_with(hb_check *k, int side, int with, double scale)
{
    static const uint64_t nothing = UINT64_MAX;
    hb_engine *e = hb_check_engine(k, side);
    uint64_t *refused = k->area[HB_CHECK_REFUSED].memory[side];
    const hb_rounding rounding = {scale, refused, 1};
    HB_TRY(hb_upload(e, refused, &nothing, sizeof nothing));
    return hb_round_reals(e, hb_check_result(k, side), hb_check_view(k, side, with), &rounding);
}

static hb_status round_scaled(hb_check *k, int side, int with)
{
    return round_with(k, side, with, HB_CHECK_SCALE);
}

static hb_status round_as_they_are(hb_check *k, int side, int with)
{
    return round_with(k, side, with, 1);
}

/* Composes the first limbs of an operand. */
static hb_status compose(hb_check *k, int side, int with)
{
    hb_engine *e = hb_check_engine(k, side);
    return hb_compose_reals(e, hb_check_view(k, side, HB_CHECK_COEFFICIENTS),
                            hb_batch_limbs(e, hb_check_view(k, side, with), 0, k->composition.limbs), &k->composition,
                            HB_CHECK_SCALE);
}

/* Rows run in this order, each on what the ones before have left. */
const hb_check_row hb_check_reals[] = {
    {"coefficients of slots", to_coefficients, HB_CHECK_BOTH(HB_CHECK_SLOTS, 0), HB_CHECK_COEFFICIENTS, NULL},
    {"residues of coefficients", round_scaled, HB_CHECK_COEFFICIENTS, HB_CHECK_R, NULL},
    {"first coefficient that is refused", NULL, 0, HB_CHECK_REFUSED, NULL},
    {"residues of reals at borders", round_as_they_are, HB_CHECK_BORDERS, HB_CHECK_R, NULL},
    {"first real that is refused", NULL, 0, HB_CHECK_REFUSED, NULL},
    {"reals of residues", compose, HB_CHECK_A, HB_CHECK_COEFFICIENTS, NULL},
    {"slots of coefficients", to_slots, HB_CHECK_BOTH(HB_CHECK_COEFFICIENTS, 0), HB_CHECK_SLOTS, NULL},
    {"coefficients of slots in powers of 3", to_coefficients, HB_CHECK_BOTH(HB_CHECK_SLOTS, 1), HB_CHECK_COEFFICIENTS,
     NULL},
    {"slots in powers of 3 of coefficients", to_slots, HB_CHECK_BOTH(HB_CHECK_COEFFICIENTS, 1), HB_CHECK_SLOTS, NULL},
    {NULL, NULL, 0, 0, NULL},
};
