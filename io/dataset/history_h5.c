/* The history of a dataset in HDF5: group /history, of datasets that came under another key. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"

const char *const hb_history_words[HB_HISTORY_WHATS] = {
    [HB_HISTORY_REKEY] = "rekey", [HB_HISTORY_PARTS] = "parts", [HB_HISTORY_REFRESH] = "refresh"};

void hb_history_add(hb_header_past *past, hb_history_what what, const uint8_t key_id[HB_KEY_ID_BYTES],
                    const uint8_t data_sum[HB_DIGEST_BYTES])
{
    const uint32_t kept = past->steps < HB_HISTORY_MOST ? past->steps : HB_HISTORY_MOST - 1, gone = past->steps - kept;
    memmove(past->what, past->what + gone, kept * sizeof *past->what);
    memmove(past->key_id, past->key_id + gone, kept * sizeof *past->key_id);
    memmove(past->data_sum, past->data_sum + gone, kept * sizeof *past->data_sum);
    past->what[kept] = what;
    memcpy(past->key_id[kept], key_id, sizeof past->key_id[kept]);
    memcpy(past->data_sum[kept], data_sum, sizeof past->data_sum[kept]);
    past->steps = kept + 1;
}

hb_status hb_history_put(hid_t file, const hb_header_past *past)
{
    const char *words[HB_HISTORY_MOST];
    const uint32_t steps = past->steps;
    hid_t group;
    if (steps == 0) {
        return HB_OK;
    }
    for (uint32_t i = 0; i < steps; i++) {
        words[i] = hb_history_words[past->what[i]];
    }
    HB_TRY(hb_h5_create_group(file, "history", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_dataset(group, "key_id", hb_h5_matrix(H5T_STD_U8LE, steps, HB_KEY_ID_BYTES), past->key_id));
    HB_GOTO(hb_h5_put_dataset(group, "data_sum", hb_h5_matrix(H5T_STD_U8LE, steps, HB_DIGEST_BYTES), past->data_sum));
    st = hb_h5_put_texts(group, "what", words, steps);
done:
    hb_h5_close(group);
    return st;
}

static hb_status take_words(const hb_h5_names *names, const char *path, hb_header_past *past)
{
    for (uint32_t i = 0, what = 0; i < past->steps; i++, what = 0) {
        const char *word = names->text + i * names->bytes;
        while (what < HB_HISTORY_WHATS && (strlen(hb_history_words[what]) > names->bytes ||
                                           strncmp(word, hb_history_words[what], names->bytes) != 0)) {
            what++;
        }
        if (what == HB_HISTORY_WHATS) {
            return HB_FAIL(HB_EDATA, "%s: step %" PRIu32 " of its history is of an unknown kind", path, i + 1);
        }
        past->what[i] = (hb_history_what)what;
    }
    return HB_OK;
}

static hb_status get_steps(hid_t group, const char *path, uint64_t file_bytes, hb_header_past *past)
{
    hb_h5_names names = {.characters = H5T_CSET_UTF8};
    HB_TRY(hb_h5_extent(group, "what", path, file_bytes, &names.count, &names.bytes));
    if (names.count < 1 || names.count > HB_HISTORY_MOST) {
        return HB_FAIL(HB_EDATA, "%s: its history has %" PRIu64 " steps, which is outside 1 to %d", path, names.count,
                       HB_HISTORY_MOST);
    }
    past->steps = (uint32_t)names.count;
    HB_TRY(hb_h5_get_dataset(group, "key_id", path, hb_h5_matrix(H5T_STD_U8LE, past->steps, HB_KEY_ID_BYTES),
                             file_bytes, past->key_id));
    HB_TRY(hb_h5_get_dataset(group, "data_sum", path, hb_h5_matrix(H5T_STD_U8LE, past->steps, HB_DIGEST_BYTES),
                             file_bytes, past->data_sum));
    hb_status st = hb_h5_get_names(group, "what", path, file_bytes, &names);
    st = st == HB_OK ? take_words(&names, path, past) : st;
    free(names.text);
    return st;
}

hb_status hb_history_get(hid_t file, const char *path, uint64_t file_bytes, hb_header_past *past)
{
    hid_t group;
    HB_TRY(hb_h5_open_group_if_any(file, "history", path, &group));
    const hb_status st = group > 0 ? get_steps(group, path, file_bytes, past) : HB_OK;
    hb_h5_close(group);
    return st;
}
