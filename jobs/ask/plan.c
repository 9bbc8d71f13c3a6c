/* The commands of a job: what params suggest prints for a question, with the places of this job in it. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for the commands of a question")

/* Appends the words of a line for a shell, which has no other quotes than hb_shell_word writes. */
static hb_status split(hb_words *words, const char *line)
{
    char *room = malloc(strlen(line) + 1);
    hb_status st = room != NULL ? HB_OK : NO_MEMORY;
    while (st == HB_OK && *line != '\0') {
        size_t length = 0;
        bool quoted = false;
        for (; *line != '\0' && (quoted || *line != ' '); line++) {
            if (*line == '\'') {
                quoted = !quoted;
            } else {
                line += *line == '\\' && !quoted && line[1] != '\0';
                room[length++] = *line;
            }
        }
        room[length] = '\0';
        st = hb_words_add(words, room);
        line += strspn(line, " ");
    }
    free(room);
    return st;
}

static bool is_command(const char *line, const char *name)
{
    static const char program[] = "hebatch ";
    const size_t length = strlen(name);
    return strncmp(line, program, sizeof program - 1) == 0 && strncmp(line + sizeof program - 1, name, length) == 0 &&
           line[sizeof program - 1 + length] == ' ';
}

/* Whether a name is among the results that are shown. */
static bool is_shown(const hb_question *q, const char *name)
{
    uint32_t i = 0;
    while (i < q->result_count && strcmp(q->results[i], name) != 0) {
        i++;
    }
    return i < q->result_count;
}

/* Results that others are made of are not stored: takes their words, NAME=NAME.heb, from eval. */
static void drop_inner(hb_words *eval, const hb_question *q, const json_t *outputs)
{
    size_t i;
    const json_t *output;
    json_array_foreach(outputs, i, output)
    {
        const char *name = json_string_value(json_object_get(output, "name"));
        const size_t length = name != NULL ? strlen(name) : 0;
        for (size_t w = HB_EVAL_FIRST; length > 0 && !is_shown(q, name) && w < eval->count; w++) {
            if (strncmp(eval->word[w], name, length) == 0 && eval->word[w][length] == '=') {
                free(eval->word[w]);
                memmove(eval->word + w, eval->word + w + 1, (eval->count - w) * sizeof *eval->word);
                eval->count--;
                break;
            }
        }
    }
}

static hb_status take_line(hb_asked_plan *plan, const char *line, const hb_question *q)
{
    hb_words words = {0};
    hb_asked_command *to = is_command(line, "encrypt")   ? &plan->encrypt[plan->encrypts]
                           : is_command(line, "eval")    ? &plan->eval
                           : is_command(line, "decrypt") ? &plan->decrypt[plan->decrypts]
                                                         : NULL;
    hb_status st = to != NULL ? split(&words, line)
                              : HB_FAIL(HB_EINTERNAL, "params suggest prints a command that is unknown: %.80s", line);
    if (st == HB_OK && words.count <= HB_DECRYPT_TO) {
        st = HB_FAIL(HB_EINTERNAL, "params suggest prints a command that is too short: %.80s", line);
    }
    const bool encrypts = is_command(line, "encrypt"), decrypts = is_command(line, "decrypt");
    char *name = NULL;
    if (st == HB_OK && (encrypts || decrypts)) { /* NAME.heb */
        const char *file = words.word[encrypts ? HB_ENCRYPT_OUT : HB_DECRYPT_FROM];
        name = strndup(file, strcspn(file, "."));
        st = name != NULL ? HB_OK : NO_MEMORY;
    }
    if (st == HB_OK && to->words.count > 0) {
        st = HB_FAIL(HB_EINTERNAL, "params suggest prints a second command to compute: %.80s", line);
    }
    if (st != HB_OK || (decrypts && !is_shown(q, name))) {
        hb_words_clear(&words);
        free(name);
        return st;
    }
    to->words = words;
    to->name = name;
    plan->encrypts += encrypts;
    plan->decrypts += decrypts;
    return HB_OK;
}

hb_status hb_asked_plan_make(hb_asked_plan *plan, const char *suggested, const hb_question *q)
{
    *plan = (hb_asked_plan){.suggested = json_loads(suggested, 0, NULL)};
    const json_t *lines = json_object_get(plan->suggested, "commands"), *line;
    const char *keygen = json_string_value(json_object_get(plan->suggested, "keygen"));
    size_t i;
    if (keygen == NULL || !json_is_array(lines)) {
        return HB_FAIL(HB_EINTERNAL, "params suggest says no commands");
    }
    plan->encrypt = calloc(json_array_size(lines) + 1, sizeof *plan->encrypt);
    plan->decrypt = calloc(json_array_size(lines) + 1, sizeof *plan->decrypt);
    if (plan->encrypt == NULL || plan->decrypt == NULL) {
        return NO_MEMORY;
    }
    HB_TRY(split(&plan->keygen.words, keygen));
    json_array_foreach(lines, i, line)
    {
        const char *text = json_string_value(line);
        if (text != NULL) {
            HB_TRY(take_line(plan, text, q));
        }
    }
    if (plan->eval.words.count == 0 || plan->decrypts != q->result_count) {
        return HB_FAIL(HB_EINTERNAL, "params suggest says no commands for some results");
    }
    drop_inner(&plan->eval.words, q, json_object_get(plan->suggested, "outputs"));
    return HB_OK;
}
