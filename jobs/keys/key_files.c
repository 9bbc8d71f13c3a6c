#include "key_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "machine/machine.h"
#include "scheme/params.h"

void hb_key_files_close(hb_key_files *files)
{
    if (files == NULL) {
        return;
    }
    hb_key_reader_end(&files->reader);
    for (uint32_t i = 0; i < files->choices.count; i++) {
        if (files->source != NULL) {
            hb_switch_key_source_close(&files->source[i]);
        }
        free(files->path != NULL ? files->path[i] : NULL);
    }
    free(files->source);
    free(files->path);
    free(files->choices.key);
    free(files);
}

static hb_status make(hb_key_files **out, hb_key_choices choices)
{
    hb_key_files *files = calloc(1, sizeof *files);
    *out = files;
    if (files != NULL) {
        files->choices.key = calloc((size_t)choices.count + 1, sizeof *files->choices.key);
        files->path = calloc((size_t)choices.count + 1, sizeof *files->path);
        files->source = calloc((size_t)choices.count + 1, sizeof *files->source);
    }
    if (files == NULL || files->choices.key == NULL || files->path == NULL || files->source == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    for (uint32_t i = 0; i < choices.count; i++) {
        files->choices.key[i] = choices.key[i];
        files->source[i].fd = -1;
    }
    files->choices.count = choices.count;
    return HB_OK;
}

/* Returns how many files may stay open: the rest of the program needs some, too. The others are opened again. */
static uint32_t most_open(void)
{
    const rlim_t usual = 1024;
    struct rlimit limit;
    const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < usual;
    return (uint32_t)(known ? limit.rlim_cur : usual) / 2;
}

/* Whether the file is of the pair and of the parameters, and is the key that its name says. */
static hb_status check_label(const char *path, const hb_switch_key_label *file, const hb_params *params,
                             const uint8_t key_id[HB_KEY_ID_BYTES], hb_key_name name)
{
    if (memcmp(file->key_id, key_id, HB_KEY_ID_BYTES) != 0) {
        char own[2 * HB_KEY_ID_BYTES + 1], wanted[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(own, file->key_id, HB_KEY_ID_BYTES);
        hb_hex(wanted, key_id, HB_KEY_ID_BYTES);
        return HB_FAIL(HB_EDATA, "%s belongs to key %s, but the data was encrypted with key %s", path, own, wanted);
    }
    if (!hb_keys_same(file->key_id, &file->spec, key_id, &params->spec)) {
        return HB_FAIL(HB_EDATA, "%s has other parameters or owners than the data", path);
    }
    if (hb_key_name_same(file->name, name)) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s holds the %s: it has another file's name", path,
                   hb_key_text_of(&params->spec, file->name).text);
}

static hb_status open_file(hb_key_files *files, uint32_t i, const char *directory, const hb_params *params,
                           const uint8_t key_id[HB_KEY_ID_BYTES], hb_known_keys *known)
{
    const hb_key_name name = files->choices.key[i].file;
    hb_switch_key_source *source = &files->source[i];
    HB_TRY(hb_switch_key_path(directory, name, &files->path[i]));
    HB_TRY(hb_switch_key_source_open_known(files->path[i], known, source));
    HB_TRY(check_label(files->path[i], &source->label, params, key_id, name));
    if (i >= most_open()) {
        hb_switch_key_source_close(source);
    }
    return HB_OK;
}

hb_status hb_key_files_open_known(hb_key_files **out, const char *directory, const hb_params *params,
                                  const uint8_t key_id[HB_KEY_ID_BYTES], hb_key_choices choices, hb_known_keys *known,
                                  uint64_t *bytes)
{
    hb_status st = make(out, choices);
    *bytes = 0;
    for (uint32_t i = 0; i < choices.count && st == HB_OK; i++) {
        st = open_file(*out, i, directory, params, key_id, known);
        *bytes += (*out)->source[i].label.file_bytes;
    }
    if (st != HB_OK) {
        hb_key_files_close(*out);
        *out = NULL;
    }
    return st;
}

uint32_t hb_key_files_threads(const hb_group *group)
{
    const uint32_t threads = hb_machine_processors_each((uint32_t)group->node_size);
    return threads > 2 ? threads : 2;
}

uint64_t hb_key_files_passing_bytes(const hb_group *group)
{
    const uint64_t most = (uint64_t)1 << 30, share = hb_machine_memory_each((uint32_t)group->node_size) / 16;
    return share < most ? share : most;
}
