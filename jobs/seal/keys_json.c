#include "cli/report.h"
#include "keys.h"

json_t *hb_seal_keys_json(const hb_seal_keys *keys, const char *output)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, keys->key_id, HB_KEY_ID_BYTES);
    return json_pack("{s:s, s:o, s:s, s:b, s:b, s:b, s:i, s:b}", "kind", "keys", "output", hb_report_text(output),
                     "key_id", id, "secret", (int)keys->secret, "public", (int)keys->public_key, "relinearization",
                     (int)keys->relinearization, "galois", (int)keys->galois, "fresh_switching_keys", (int)keys->fresh);
}
