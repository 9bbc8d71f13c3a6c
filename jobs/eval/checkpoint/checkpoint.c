#include "checkpoint.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/dataset/dataset.h"
#include "io/files/durable.h"

/* --- names of files */

typedef struct name {
    uint32_t pass;
    uint64_t step;
    uint32_t member, parity;
} name;

/* Whether an entry of the folder is a checkpoint, and which. */
static bool parse(const char *entry, name *out)
{
    int end = 0;
    const int found = sscanf(entry, HB_CHECKPOINT_NAME "%" SCNu32 "-%" SCNu64 "-%" SCNu32 "-%" SCNu32 "%n", &out->pass,
                             &out->step, &out->member, &out->parity, &end);
    return found == 4 && end > 0 && entry[end] == '\0';
}

typedef hb_status (*file_visitor)(void *context, const char *folder, const name *file);

typedef struct visit {
    file_visitor each;
    void *context;
} visit;

static hb_status visit_entry(void *context, int folder, const char *path, const char *entry)
{
    const visit *v = context;
    name file;
    (void)folder;
    return parse(entry, &file) ? v->each(v->context, path, &file) : HB_OK;
}

/* Calls `each` with every checkpoint of the folder; a missing folder has none. HB_ECREATE, HB_EIO, and failures of
 * `each`. */
static hb_status each_file(const char *folder, file_visitor each, void *context)
{
    visit v = {each, context};
    return hb_folder_each_if_any(folder, visit_entry, &v);
}

/* The caller frees it. */
static hb_status path_of(const char *folder, const name *file, char **path)
{
    char text[128];
    snprintf(text, sizeof text, "/" HB_CHECKPOINT_NAME "%" PRIu32 "-%" PRIu64 "-%" PRIu32 "-%" PRIu32, file->pass,
             file->step, file->member, file->parity);
    return hb_path_with(folder, text, path);
}

/* --- heads of files */

enum { HEAD_WORDS = sizeof(hb_checkpoint_head) / sizeof(uint64_t) };

static bool head_of(const hb_checkpoint_file *file, hb_checkpoint_head *head)
{
    size_t count = 0;
    const uint64_t *words = hb_checkpoint_file_find(file, HB_CHECKPOINT_HEAD, &count);
    if (words == NULL || count != HEAD_WORDS) {
        return false;
    }
    memcpy(head, words, sizeof *head);
    return true;
}

/* Looks at the head alone, without a checksum: for people. */
static bool peek(const char *folder, const name *file, hb_checkpoint_head *head)
{
    uint64_t words[1 + HB_DIGEST_BYTES / sizeof(uint64_t) + 2 + HEAD_WORDS];
    char *path;
    if (path_of(folder, file, &path) != HB_OK) {
        return false;
    }
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool there = fd >= 0 && hb_read_at(fd, words, sizeof words, 0, path) == HB_OK;
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    memcpy(head, words + sizeof words / sizeof *words - HEAD_WORDS, sizeof *head);
    hb_clear_error();
    /* Another head does not belong to a file with this name. */
    return there && words[sizeof words / sizeof *words - HEAD_WORDS - 1] == HEAD_WORDS && head->step == file->step &&
           head->step < head->steps && head->steps <= INT64_MAX && head->iteration <= head->iterations &&
           head->iterations <= INT64_MAX;
}

typedef struct peeking {
    hb_checkpoint_visitor each;
    void *context;
} peeking;

static hb_status peek_one(void *context, const char *folder, const name *file)
{
    const peeking *x = context;
    hb_checkpoint_head head;
    if (peek(folder, file, &head)) {
        x->each(x->context, file->pass, &head);
    }
    return HB_OK;
}

hb_status hb_checkpoint_each(const char *folder, hb_checkpoint_visitor each, void *context)
{
    peeking x = {each, context};
    return each_file(folder, peek_one, &x);
}

/* --- reading and writing */

static bool has_all(const uint64_t held[HB_CHECKPOINT_LIMB_WORDS], const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS])
{
    bool all = true;
    for (uint32_t w = 0; w < HB_CHECKPOINT_LIMB_WORDS; w++) {
        all = all && (limbs[w] & ~held[w]) == 0;
    }
    return all;
}

/* Returns whether the files of a generation have all limbs together. */
static bool is_whole(const hb_checkpoint_file *files, uint32_t count, uint64_t generation,
                     const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS])
{
    uint64_t held[HB_CHECKPOINT_LIMB_WORDS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        hb_checkpoint_head head;
        if (head_of(&files[i], &head) && head.generation == generation) {
            for (uint32_t w = 0; w < HB_CHECKPOINT_LIMB_WORDS; w++) {
                held[w] |= head.limbs[w];
            }
        }
    }
    return has_all(held, limbs);
}

/* Keeps the files of the latest generation that is whole. */
static void choose(hb_checkpoint_file *files, uint32_t *count, const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS])
{
    uint64_t best = 0; /* generations begin at 1 */
    uint32_t kept = 0;
    hb_checkpoint_head head;
    for (uint32_t i = 0; i < *count; i++) {
        if (head_of(&files[i], &head) && head.generation > best && is_whole(files, *count, head.generation, limbs)) {
            best = head.generation;
        }
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (best > 0 && head_of(&files[i], &head) && head.generation == best) {
            const hb_checkpoint_file file = files[i];
            files[i] = (hb_checkpoint_file){.words = NULL};
            files[kept++] = file;
        } else {
            hb_checkpoint_file_clear(&files[i]);
        }
    }
    *count = kept;
}

/* The files of one step that were read, and why others were not. */
typedef struct reading {
    const hb_checkpoints *checkpoints;
    uint64_t step;
    hb_checkpoint_file *files; /* [count], of [room] */
    uint32_t count, room;
    hb_error bad;
} reading;

/* Makes room for one file more: two of each member, and there are as many members as share the limbs. */
static hb_status make_room(reading *r)
{
    if (r->count < r->room) {
        return HB_OK;
    }
    const uint32_t room = r->room == 0 ? 4 : 2 * r->room;
    hb_checkpoint_file *files = room > r->room ? reallocarray(r->files, room, sizeof *files) : NULL;
    if (files == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the files of a checkpoint");
    }
    r->files = files;
    r->room = room;
    return HB_OK;
}

/* Reads one file. A damaged file is passed over, and `bad` says why; short memory is a failure. */
static hb_status read_file(reading *r, const name *file, const char *path)
{
    HB_TRY(make_room(r));
    hb_checkpoint_file *out = &r->files[r->count];
    hb_checkpoint_head head;
    hb_status st = hb_checkpoint_file_read(out, path, r->checkpoints->identity);
    if (st == HB_OK && (!head_of(out, &head) || head.step != file->step)) {
        st = HB_FAIL(HB_EDATA, "%s is of another step", path);
    }
    if (st == HB_OK) {
        r->count++;
        return HB_OK;
    }
    hb_checkpoint_file_clear(out);
    if (st != HB_ENOINPUT) { /* else it was removed since it was listed */
        r->bad = *hb_last_error();
    }
    return st == HB_ENOMEM ? st : HB_OK;
}

static hb_status read_one(void *context, const char *folder, const name *file)
{
    reading *r = context;
    char *path;
    if (file->pass != r->checkpoints->pass || file->step != r->step) {
        return HB_OK;
    }
    HB_TRY(path_of(folder, file, &path));
    const hb_status st = read_file(r, file, path);
    free(path);
    return st;
}

hb_status hb_checkpoint_read(const hb_checkpoints *checkpoints, uint64_t step,
                             const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS], hb_checkpoint_file **files,
                             uint32_t *count)
{
    reading r = {.checkpoints = checkpoints, .step = step};
    const hb_status st = each_file(checkpoints->folder, read_one, &r);
    *files = r.files;
    *count = r.count;
    if (st == HB_ENOMEM) {
        return st;
    }
    if (st != HB_OK) { /* a complete generation counts, even if the listing failed */
        r.bad = *hb_last_error();
    }
    const bool some = *count > 0;
    choose(*files, count, limbs);
    if (*count == 0 && r.bad.text[0] != '\0') {
        hb_set_error(&r.bad);
        return HB_EDATA;
    }
    return *count == 0 && some ? HB_FAIL(HB_EDATA, "the checkpoint of step %" PRIu64 " has not all limbs", step)
                               : HB_OK;
}

void hb_checkpoint_files_clear(hb_checkpoint_file *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hb_checkpoint_file_clear(&files[i]);
    }
    free(files);
}

hb_status hb_checkpoint_write(hb_checkpoints *checkpoints, hb_checkpoint_file *file, uint64_t step, uint32_t member,
                              uint32_t members, uint64_t generation)
{
    char *path;
    /* One writer's file is replaced at once. */
    const name own = {checkpoints->pass, step, member, members > 1 ? (uint32_t)(generation % 2) : 0};
    HB_TRY(path_of(checkpoints->folder, &own, &path));
    const hb_status st = hb_checkpoint_file_write(file, path);
    free(path);
    if (st == HB_OK) {
        checkpoints->may_exist[step] = 1;
    }
    return st;
}

/* The files of one step that one member removes. */
typedef struct removing {
    const hb_checkpoints *checkpoints;
    uint64_t step;
    uint32_t member, members;
} removing;

static hb_status remove_one(void *context, const char *folder, const name *file)
{
    const removing *r = context;
    char *path;
    if (file->pass != r->checkpoints->pass || file->step != r->step || file->member % r->members != r->member) {
        return HB_OK;
    }
    HB_TRY(path_of(folder, file, &path));
    (void)unlink(path);
    free(path);
    return HB_OK;
}

/* A file that cannot be removed only takes space. */
void hb_checkpoint_remove(hb_checkpoints *checkpoints, uint64_t step, uint32_t member, uint32_t members)
{
    removing r = {checkpoints, step, member, members};
    if (checkpoints->folder == NULL || checkpoints->may_exist[step] == 0) {
        return;
    }
    checkpoints->may_exist[step] = 0;
    if (each_file(checkpoints->folder, remove_one, &r) != HB_OK) {
        hb_clear_error();
    }
}

void hb_checkpoints_clear(hb_checkpoints *checkpoints)
{
    free(checkpoints->folder);
    free(checkpoints->may_exist);
    checkpoints->folder = NULL;
    checkpoints->may_exist = NULL;
    atomic_store(&checkpoints->resumed, 0);
    atomic_store(&checkpoints->refused, 0);
    atomic_store(&checkpoints->stopped, 0);
    atomic_store(&checkpoints->unstored, 0);
    atomic_store(&checkpoints->iterations_left, 0);
    atomic_store(&checkpoints->iterations, 0);
    checkpoints->refusal.text[0] = checkpoints->failure.text[0] = '\0';
}
