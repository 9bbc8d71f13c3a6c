/* How a job says to people where it is: its estimate, its commands, its end. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outward.h"
#include "cli/console.h"
#include "job.h"
#include "lang/functions/list.h"
#include "lang/text/place.h"
#include "lang/text/syntax.h"
#include "table/shell_line.h"

/* Bytes of a file, or of all files in a folder and in those of it, by the name in an open folder. */
static double bytes_at(int at, const char *name)
{
    struct stat info;
    double bytes = 0;
    const int fd = fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)
                       ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                       : -1;
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) ? (double)info.st_size : 0;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        bytes += self ? 0 : bytes_at(fd, entry->d_name);
    }
    closedir(folder);
    return bytes;
}

static double bytes_of(const char *path)
{
    return bytes_at(AT_FDCWD, path);
}

/* Says how long it takes on a machine that does nothing else. The search measured a transform on this machine. Files
 * are made and read at a rate that was measured, with 2 cores of a server: questions about 100 to 200000 rows took
 * between half of what is said and 1.5 times that, and 3 times that while other jobs ran. */
static void say_estimate(const hb_asked_job *job)
{
    const json_t *s = job->plan.suggested;
    const uint64_t rows = (uint64_t)json_integer_value(json_object_get(s, "rows"));
    const double rate = 150e6, start = 0.5; /* bytes a second, seconds */
    const double computing = json_number_value(json_object_get(s, "seconds")) / (double)job->options->ranks;
    const double bytes = job->bytes.keys * (job->keys_there ? 0.5 : 1.5) + 2 * job->bytes.tables;
    char keys[96] = "keys are there";
    if (!job->keys_there) {
        snprintf(keys, sizeof keys, "keys %s", hb_human_bytes(job->bytes.keys).text);
    }
    hb_console_log(job->group, job->common, "about %s for your %s, longer where other jobs run; %s, encrypted table %s",
                   hb_human_about(computing + bytes / rate + start).text, hb_human_things(rows, "row").text, keys,
                   hb_human_bytes(job->bytes.tables).text);
}

/* Writes the error of so many bits, rounded up to two digits, as people write it. */
static void put_error(char *out, size_t bytes, const json_t *bits, const char *none)
{
    enum { MOST_DIGITS = 9 };
    const double error = json_is_number(bits) ? hb_significant_up(exp2(-json_number_value(bits)), 2) : INFINITY;
    const int digits = error < 1 ? (int)ceil(-log10(error)) + 1 : error < 10 ? 1 : 0;
    if (!isfinite(error)) {
        snprintf(out, bytes, "%s", none);
    } else if (digits > MOST_DIGITS || error >= 1e15) {
        snprintf(out, bytes, "%.1e", error);
    } else {
        snprintf(out, bytes, "%.*f", digits, error);
    }
}

/* Whether an item, with all that it is made of, is computed on integers: linear forms of columns are exact there. */
static bool is_of_integers(const hb_item *item)
{
    bool of_integers = true;
    for (const hb_item *part = item - item->size + 1; part <= item; part++) {
        of_integers = of_integers && !(part->kind == HB_ITEM_CALL && part->call->reals != NULL) &&
                      part->kind != HB_ITEM_DIVIDE && !(part->kind == HB_ITEM_NUMBER && part->imaginary);
    }
    return of_integers;
}

/* Writes an item as the question has it. */
static void take_words(const hb_asked_job *job, const hb_item *item, char *to, size_t bytes)
{
    const uint32_t *origin = job->question.origin;
    hb_excerpt(to, bytes, job->options->question, origin[item->from], origin[item->to - 1] + 1);
}

/* Writes the exact form of a comparison of reals: without the sigmoid, or alone in a question of integers. */
static bool find_exact_form(const hb_asked_job *job, const hb_item *item, char *form, size_t bytes)
{
    const bool ordered = item->kind >= HB_ITEM_LESS && item->kind <= HB_ITEM_GREATER_EQUAL;
    const hb_item *left = ordered ? hb_item_operand(item, 0) : NULL, *right = ordered ? hb_item_operand(item, 1) : NULL;
    static const char *const signs[] = {
        [HB_ITEM_LESS] = "<", [HB_ITEM_GREATER] = ">", [HB_ITEM_LESS_EQUAL] = "<=", [HB_ITEM_GREATER_EQUAL] = ">="};
    if (!ordered) {
        return false;
    }
    if (is_of_integers(left) && is_of_integers(right)) {
        take_words(job, item, form, bytes);
        return true;
    }
    const bool half = right->kind == HB_ITEM_NUMBER && strtod(job->question.text + right->from, NULL) == 0.5;
    if (left->kind != HB_ITEM_CALL || strcmp(left->call->name, "sigmoid") != 0 || left->arguments != 1 || !half ||
        !is_of_integers(hb_item_operand(left, 0))) {
        return false;
    }
    const hb_item *of = hb_item_operand(left, 0);
    take_words(job, of, form, bytes - 8);
    snprintf(form + strlen(form), bytes - strlen(form), " %s 0", signs[item->kind]);
    return true;
}

/* Names the comparisons of a question of reals that integers decide exactly. */
static void say_exact_forms(const hb_asked_job *job)
{
    hb_syntax syntax = {0};
    char form[200];
    if (hb_syntax_parse(&syntax, job->question.text, hb_lang_functions) == HB_OK) {
        for (uint32_t i = 0; i < syntax.count; i++) {
            if (find_exact_form(job, &syntax.items[i], form, sizeof form)) {
                hb_console_log(job->group, job->common,
                               "exact: a question with %s, and without divisions and functions of reals, decides every "
                               "row",
                               form);
            }
        }
    }
    hb_syntax_clear(&syntax);
    hb_clear_error();
}

/* Says which results are approximate, and how exact they will be, or are. */
static void say_precision(const hb_asked_job *job)
{
    bool undecided_rows = false;
    for (uint32_t i = 0; i < job->plan.decrypts; i++) {
        const hb_asked_command *result = &job->plan.decrypt[i];
        char proven[48], expected[48], undecided[96] = "";
        if (result->precision == NULL) {
            continue;
        }
        if (result->gap > 0) {
            snprintf(undecided, sizeof undecided,
                     " but for rows whose value is within %.2g of a threshold, which are not decided",
                     hb_significant_up(result->gap, 2));
        }
        put_error(proven, sizeof proven, json_object_get(result->precision, "proven"), "nothing");
        put_error(expected, sizeof expected, json_object_get(result->precision, "expected"), "nothing");
        const bool alone = job->plan.decrypts == 1;
        hb_console_log(job->group, job->common, "%s is approximate: %sright to %s proven, %s expected%s",
                       alone ? "the answer" : result->name,
                       result->parts ? "the sums and counts of which it is made are " : "", proven, expected,
                       undecided);
        undecided_rows = undecided_rows || result->gap > 0;
    }
    if (undecided_rows) {
        say_exact_forms(job);
    }
}

/* Says of counts of columns of truth values which rows they count: of other columns they count the filled cells. */
static void say_counts(const hb_asked_job *job)
{
    hb_syntax syntax = {0};
    const hb_question *q = &job->question;
    if (hb_syntax_parse(&syntax, q->text, hb_lang_functions) != HB_OK) {
        hb_clear_error();
        hb_syntax_clear(&syntax);
        return;
    }
    for (const hb_item *item = syntax.items; item < syntax.items + syntax.count; item++) {
        const bool counts =
            item->kind == HB_ITEM_CALL && item->arguments == 1 && strcmp(item->call->name, "count") == 0;
        const hb_item *of = counts ? hb_item_operand(item, 0) : NULL;
        of = counts && of->kind == HB_ITEM_WHERE ? hb_item_operand(of, 0) : of;
        for (uint32_t i = 0; counts && of->kind == HB_ITEM_PICK && of->word_length > 0 && i < q->tables; i++) {
            const hb_survey *survey = &q->table[i].survey;
            for (uint64_t c = 0; c < survey->columns && hb_item_is(&syntax, of - 1, q->table[i].name); c++) {
                const char *name = survey->column[c].name;
                if (survey->column[c].kind == HB_SURVEY_TRUTHS && hb_item_is(&syntax, of, name)) {
                    hb_console_log(
                        job->group, job->common,
                        "count(%s) counts the rows where %s is yes, or true; count(%s is not missing) counts "
                        "the filled cells",
                        name, name, name);
                }
            }
        }
    }
    hb_syntax_clear(&syntax);
}

/* One line for a shell, or a remark that it passes over. */
static void print_line(const hb_asked_job *job, bool results, const hb_words *words, const char *remark)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return;
    }
    fputs(remark != NULL ? "# " : "", to);
    fputs(remark != NULL ? remark : "", to);
    if (words != NULL && job->options->ranks > 1 && strcmp(words->word[0], "hebatch") == 0) {
        fprintf(to, "mpirun -n %" PRIu64 " ", job->options->ranks);
    }
    if (words != NULL) {
        hb_words_print(words, to);
    }
    if (fclose(to) == 0 && results) {
        hb_console_copy(job->group, job->common, text);
    } else if (text != NULL) {
        hb_console_log(job->group, job->common, "  %s", text);
    }
    free(text);
}

static void print_folder(const hb_asked_job *job, bool results)
{
    hb_words words = {0};
    if (results && hb_words_add(&words, "mkdir") == HB_OK && hb_words_add(&words, "-p") == HB_OK &&
        hb_words_add(&words, "-m") == HB_OK && hb_words_add(&words, "700") == HB_OK &&
        hb_words_add(&words, job->options->dir) == HB_OK) {
        print_line(job, true, &words, NULL);
    }
    hb_words_clear(&words);
}

static void print_commands(const hb_asked_job *job, bool results)
{
    const hb_asked_plan *plan = &job->plan;
    print_line(job, results, NULL, "the owner of the table:");
    print_folder(job, results);
    if (!job->keys_there) {
        print_line(job, results, &plan->keygen.words, NULL);
    }
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        if (!results || !job->there[i]) {
            print_line(job, results, &plan->encrypt[i].words, NULL);
        }
    }
    print_line(job, results, NULL, "the server, which gets the encrypted table, and all keys but secret.h5:");
    print_line(job, results, &plan->eval.words, NULL);
    print_line(job, results, NULL, "the owner, who gets the encrypted answer:");
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        print_line(job, results, &plan->decrypt[i].words, NULL);
    }
}

static void say_place(const hb_asked_job *job, const char *path, const char *what)
{
    hb_console_log(job->group, job->common, "  %-28s %10s  %s", path, hb_human_bytes(bytes_of(path)).text, what);
}

/* Says how much disk the folder takes, and the command that removes it. */
static void say_folder(const hb_asked_job *job)
{
    const char *dir = job->options->dir;
    char *word = NULL;
    size_t size;
    FILE *to = open_memstream(&word, &size);
    if (to != NULL) {
        fputs(dir[0] == '-' ? "./" : "", to);
        hb_shell_word(dir, to);
        if (fclose(to) == 0) {
            hb_console_log(job->group, job->common,
                           "%s takes %s of disk with all questions so far%s; to remove it, with the %s in it: rm -r %s",
                           dir, hb_human_bytes(bytes_of(dir)).text,
                           job->options->keep == HB_ASKED_KEEP_ALL ? " (--keep tables leaves no answer there)" : "",
                           job->options->keys != NULL ? "tables and answers" : "keys, tables and answers", word);
        }
        free(word);
    }
}

/* What stays in the folder. */
static void say_places(const hb_asked_job *job)
{
    const hb_asked_plan *plan = &job->plan;
    const hb_asked_keep keep = job->options->keep;
    const bool all = keep == HB_ASKED_KEEP_ALL, none = keep == HB_ASKED_KEEP_NONE;
    hb_console_log(job->group, job->common, "%s",
                   none ? "nothing that this question made stays, but what it added to keys that were there"
                        : "these stay, for the next question too:");
    if (!none) {
        say_place(job, plan->keygen.output, "the keys; secret.h5 is yours alone: it opens everything");
    }
    for (uint32_t i = 0; i < plan->encrypts && !none; i++) {
        say_place(job, plan->encrypt[i].output, "the encrypted table");
    }
    for (uint32_t i = 0; i < plan->decrypts && all; i++) {
        say_place(job, plan->decrypt[i].output, "the answer, readable");
    }
}

static void say_end(const hb_asked_job *job)
{
    const hb_asked_times *t = &job->times;
    const double all = t->search + t->keys + t->encrypt + t->eval + t->decrypt;
    say_precision(job);
    hb_console_log(job->group, job->common, "took %s: search %s, keys %s, encrypting %s, computing %s, decrypting %s",
                   hb_human_seconds(all).text, hb_human_seconds(t->search).text, hb_human_seconds(t->keys).text,
                   hb_human_seconds(t->encrypt).text, hb_human_seconds(t->eval).text,
                   hb_human_seconds(t->decrypt).text);
    say_places(job);
    if (job->options->out != NULL) {
        say_place(job, job->options->out, "the answer, where --out says");
    }
    if (access(job->options->dir, F_OK) == 0) {
        say_folder(job);
    }
    hb_console_log(job->group, job->common, "the same in separate steps:");
    print_commands(job, false);
}

void hb_asked_say(const hb_asked_job *job, hb_asked_speech what)
{
    switch (what) {
    case HB_ASKED_COUNTS:
        say_counts(job);
        break;
    case HB_ASKED_PRECISION:
        say_precision(job);
        break;
    case HB_ASKED_ESTIMATE:
        say_estimate(job);
        break;
    case HB_ASKED_COMMANDS:
        print_commands(job, true);
        break;
    case HB_ASKED_END:
        say_end(job);
        break;
    }
}
