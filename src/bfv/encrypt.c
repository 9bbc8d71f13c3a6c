#include "encrypt.h"

#include "level.h"

hb_status hb_bfv_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                         const hb_seed *root, uint64_t first)
{
    HB_ASSERT(c0.count == plain.count);
    if (plain.count == 0) {
        return HB_OK;
    }
    const hb_params *params = hb_encryptor_params(encryptor);
    HB_TRY(hb_encrypt_zero(encryptor, c0, c1, public_seeds, root, first));
    return hb_add_scaled_plain(hb_encryptor_engine(encryptor), c0, plain,
                               &hb_bfv_level_of(params, c0.limbs)->scale_plain, HB_PLUS);
}
