/* The commands of owner and server that do what a job does, said to people or printed for a shell. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "job.h"

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

void hb_asked_say_commands(const hb_asked_job *job, bool results)
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
