#include "encrypt.h"

hb_status hb_ckks_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                          const hb_seed *root, uint64_t first)
{
    HB_ASSERT(c0.count == plain.count && c0.limbs == plain.limbs);
    if (plain.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_encrypt_zero(encryptor, c0, c1, public_seeds, root, first));
    return hb_add(hb_encryptor_engine(encryptor), c0, c0, plain);
}
