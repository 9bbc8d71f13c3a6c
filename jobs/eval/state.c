#include "state.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/base/durable.h"
#include "job_private.h"

/* --- names of files */

typedef struct name {
    uint32_t pass;
    uint64_t step;
    uint32_t member, turn;
} name;

/* Whether an entry of the folder is a state file, and which. */
static bool parse(const char *entry, name *out)
{
    int end = 0;
    const int found = sscanf(entry, HB_STATE_NAME "%" SCNu32 "-%" SCNu64 "-%" SCNu32 "-%" SCNu32 "%n", &out->pass,
                             &out->step, &out->member, &out->turn, &end);
    return found == 4 && end > 0 && entry[end] == '\0';
}

/* Returns the next state file of the folder; false: there is none. */
static bool next(DIR *folder, name *out)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (parse(entry->d_name, out)) {
            return true;
        }
    }
    return false;
}

/* The caller frees it. */
static hb_status path_of(const char *folder, const name *file, char **path)
{
    char text[128];
    snprintf(text, sizeof text, "/" HB_STATE_NAME "%" PRIu32 "-%" PRIu64 "-%" PRIu32 "-%" PRIu32, file->pass,
             file->step, file->member, file->turn);
    return hb_path_with(folder, text, path);
}

/* --- what files say of themselves */

enum { HEAD_WORDS = sizeof(hb_eval_state_head) / sizeof(uint64_t) };

static bool head_of(const hb_kept_file *file, hb_eval_state_head *head)
{
    size_t count = 0;
    const uint64_t *words = hb_kept_file_find(file, HB_EVAL_STATE_HEAD, &count);
    if (words == NULL || count != HEAD_WORDS) {
        return false;
    }
    memcpy(head, words, sizeof *head);
    return true;
}

/* Looks at the head alone, without a checksum: for people. */
static bool peek(const char *folder, const name *file, hb_eval_state_head *head)
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
    return there && words[sizeof words / sizeof *words - HEAD_WORDS - 1] == HEAD_WORDS;
}

void hb_eval_state_each(const char *folder, hb_eval_state_visitor each, void *context)
{
    DIR *entries = opendir(folder);
    name file;
    while (entries != NULL && next(entries, &file)) {
        hb_eval_state_head head;
        if (peek(folder, &file, &head)) {
            each(context, file.pass, &head);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

/* --- reading and writing */

static bool has_all(const uint64_t held[HB_EVAL_STATE_LIMB_WORDS], const uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS])
{
    bool all = true;
    for (uint32_t w = 0; w < HB_EVAL_STATE_LIMB_WORDS; w++) {
        all = all && (limbs[w] & ~held[w]) == 0;
    }
    return all;
}

/* Returns whether the files of a generation have all limbs together. */
static bool is_whole(const hb_kept_file *files, uint32_t count, uint64_t generation,
                     const uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS])
{
    uint64_t held[HB_EVAL_STATE_LIMB_WORDS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        hb_eval_state_head head;
        if (head_of(&files[i], &head) && head.generation == generation) {
            for (uint32_t w = 0; w < HB_EVAL_STATE_LIMB_WORDS; w++) {
                held[w] |= head.limbs[w];
            }
        }
    }
    return has_all(held, limbs);
}

/* Keeps the files of the latest generation that is whole. */
static void choose(hb_kept_file *files, uint32_t *count, const uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS])
{
    uint64_t best = 0; /* generations begin at 1 */
    uint32_t kept = 0;
    hb_eval_state_head head;
    for (uint32_t i = 0; i < *count; i++) {
        if (head_of(&files[i], &head) && head.generation > best && is_whole(files, *count, head.generation, limbs)) {
            best = head.generation;
        }
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (best > 0 && head_of(&files[i], &head) && head.generation == best) {
            const hb_kept_file file = files[i];
            files[i] = (hb_kept_file){.words = NULL};
            files[kept++] = file;
        } else {
            hb_kept_file_clear(&files[i]);
        }
    }
    *count = kept;
}

/* Reads one file. What is damaged is passed over, and *bad set to why; short memory is a failure. */
static hb_status read_one(const hb_eval_keeper *keeper, const name *file, hb_kept_file *out, uint32_t *count,
                          hb_error *bad)
{
    char *path;
    HB_TRY(path_of(keeper->folder, file, &path));
    const hb_status st = hb_kept_file_read(out, path, keeper->identity);
    free(path);
    if (st == HB_OK) {
        ++*count;
        return HB_OK;
    }
    hb_kept_file_clear(out);
    if (st != HB_ENOINPUT) { /* else it was removed since it was listed */
        *bad = *hb_last_error();
    }
    return st == HB_ENOMEM ? st : HB_OK;
}

hb_status hb_eval_state_read(const hb_eval_keeper *keeper, uint64_t step,
                             const uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS], hb_kept_file files[HB_EVAL_STATE_MOST],
                             uint32_t *count)
{
    hb_error bad = {.text = ""};
    hb_status st = HB_OK;
    name file;
    *count = 0;
    DIR *entries = opendir(keeper->folder);
    while (entries != NULL && st == HB_OK && *count < HB_EVAL_STATE_MOST && next(entries, &file)) {
        if (file.pass == keeper->pass && file.step == step) {
            st = read_one(keeper, &file, &files[*count], count, &bad);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    if (st != HB_OK) {
        return st;
    }
    const bool some = *count > 0;
    choose(files, count, limbs);
    if (*count == 0 && bad.text[0] != '\0') {
        hb_set_error(&bad);
        return HB_EDATA;
    }
    return *count == 0 && some ? HB_FAIL(HB_EDATA, "state of step %" PRIu64 " is not there of all limbs", step) : HB_OK;
}

hb_status hb_eval_state_write(hb_eval_keeper *keeper, hb_kept_file *file, uint64_t step, uint32_t member,
                              uint32_t members, uint64_t generation)
{
    char *path;
    /* One writer's file is replaced at once. */
    const name own = {keeper->pass, step, member, members > 1 ? (uint32_t)(generation % 2) : 0};
    HB_TRY(path_of(keeper->folder, &own, &path));
    const hb_status st = hb_kept_file_write(file, path);
    free(path);
    if (st == HB_OK) {
        keeper->there[step] = 1;
    }
    return st;
}

/* What cannot be removed only takes space. */
void hb_eval_state_remove(hb_eval_keeper *keeper, uint64_t step, uint32_t member, uint32_t members)
{
    name file;
    if (keeper->folder == NULL || keeper->there[step] == 0) {
        return;
    }
    keeper->there[step] = 0;
    DIR *entries = opendir(keeper->folder);
    while (entries != NULL && next(entries, &file)) {
        char *path;
        if (file.pass == keeper->pass && file.step == step && file.member % members == member &&
            path_of(keeper->folder, &file, &path) == HB_OK) {
            (void)unlink(path);
            free(path);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

/* Also what was being written when a job was killed. */
void hb_eval_state_remove_all(const hb_eval_job *job)
{
    DIR *entries = opendir(job->outputs.output[0].path);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        if (strncmp(entry->d_name, HB_STATE_NAME, strlen(HB_STATE_NAME)) == 0) {
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

/* --- a pass */

/* Computes what states follow from; the places of stops are the compiler's as well. */
static void identify(const hb_eval_job *job, uint8_t identity[HB_DIGEST_BYTES])
{
    const hb_pass *pass = &job->program.passes[job->pass];
    hb_digest_state state;
    hb_eval_job_digest_pass(&state, "hebatch state", job);
    hb_digest_add_u64(&state, pass->row_count);
    for (uint32_t s = 0; s < pass->stop_count; s++) {
        hb_digest_add_u64(&state, pass->stops[s].at);
    }
    hb_digest_end(&state, identity);
}

/* How far what is there is. */
typedef struct found {
    hb_eval_keeper *keeper;
    uint64_t count, turn, turns;
} found;

static void note_found(void *context, uint32_t pass, const hb_eval_state_head *head)
{
    found *f = context;
    if (pass != f->keeper->pass || head->step >= f->keeper->steps) {
        return;
    }
    f->count += f->keeper->there[head->step] == 0;
    f->keeper->there[head->step] = 1;
    if (f->turn == 0 || head->turn < f->turn) {
        f->turn = head->turn;
        f->turns = head->turns;
    }
}

static hb_status begin(hb_eval_job *job)
{
    hb_eval_keeper *keeper = &job->keeper;
    keeper->pass = job->pass;
    keeper->steps = job->base.plan.units;
    keeper->interval = job->options.keep;
    identify(job, keeper->identity);
    keeper->there = calloc((size_t)keeper->steps + 1, 1);
    if (keeper->there == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " steps", keeper->steps);
    }
    return hb_path_with(job->outputs.output[0].path, ".partial", &keeper->folder);
}

hb_status hb_eval_keeper_begin(hb_eval_job *job)
{
    hb_eval_keeper *keeper = &job->keeper;
    found f = {.keeper = keeper};
    hb_eval_keeper_clear(keeper);
    if (job->program.passes[job->pass].stop_count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_agree(job->base.group, begin(job)));
    hb_eval_state_each(keeper->folder, note_found, &f);
    if (f.count > 0 && f.turns > 0) {
        hb_console_log(job->base.group, job->base.common,
                       "state        of %s is there, in iteration %" PRIu64 " of %" PRIu64 " and later",
                       hb_human_things(f.count, "step").text, f.turn, f.turns);
    } else if (f.count > 0) {
        hb_console_log(job->base.group, job->base.common, "state        of %s is there",
                       hb_human_things(f.count, "step").text);
    }
    return HB_OK;
}

hb_status hb_eval_keeper_report(hb_eval_job *job)
{
    hb_eval_keeper *keeper = &job->keeper;
    hb_group *group = job->base.group;
    if (keeper->folder == NULL) {
        return HB_OK;
    }
    const hb_error reason = *hb_last_error();
    uint64_t sums[] = {atomic_load(&keeper->resumed), atomic_load(&keeper->refused), atomic_load(&keeper->left),
                       atomic_load(&keeper->full)};
    uint64_t loop[] = {atomic_load(&keeper->behind), atomic_load(&keeper->turns)};
    HB_TRY(hb_agree(group, hb_group_sum(job->base.session.grid.peers, sums, sizeof sums / sizeof *sums)));
    HB_TRY(hb_agree(group, hb_group_max(group, loop, 2)));
    if (sums[0] > 0) {
        hb_console_log(group, job->base.common, "state        %s went on from it",
                       hb_human_things(sums[0], "step").text);
    }
    if (sums[1] > 0) {
        hb_console_warn(group, "state        %s began anew%s%s", hb_human_things(sums[1], "step").text,
                        keeper->refusal.text[0] != '\0' ? ": " : "", keeper->refusal.text);
    }
    if (sums[3] > 0) {
        hb_console_warn(group, "state        of %s could not be stored%s%s", hb_human_things(sums[3], "step").text,
                        keeper->failure.text[0] != '\0' ? ": " : "", keeper->failure.text);
    }
    if (sums[2] > 0 && loop[0] > 0) {
        hb_console_log(group, job->base.common,
                       "state        of %s is stored, in iteration %" PRIu64 " of %" PRIu64 " and later",
                       hb_human_things(sums[2], "step").text, loop[1] - loop[0] + 1, loop[1]);
    } else if (sums[2] > 0) {
        hb_console_log(group, job->base.common, "state        of %s is stored", hb_human_things(sums[2], "step").text);
    }
    hb_set_error(&reason);
    return HB_OK;
}

void hb_eval_keeper_clear(hb_eval_keeper *keeper)
{
    free(keeper->folder);
    free(keeper->there);
    keeper->folder = NULL;
    keeper->there = NULL;
    atomic_store(&keeper->resumed, 0);
    atomic_store(&keeper->refused, 0);
    atomic_store(&keeper->left, 0);
    atomic_store(&keeper->full, 0);
    atomic_store(&keeper->behind, 0);
    atomic_store(&keeper->turns, 0);
    keeper->refusal.text[0] = keeper->failure.text[0] = '\0';
}
