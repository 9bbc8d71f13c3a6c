/* The commands of a job: what params suggest prints for a question, with the places of this job in it. */
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for the commands of a question")

/* Takes the words of a command. */
static hb_status take_words(hb_words *words, const json_t *said)
{
    size_t i;
    const json_t *word;
    json_array_foreach(said, i, word)
    {
        const char *text = json_string_value(word);
        if (text == NULL) {
            return HB_FAIL(HB_EINTERNAL, "params suggest: a word is no text");
        }
        HB_TRY(hb_words_add(words, text));
    }
    return HB_OK;
}

static bool is_command(const hb_words *words, const char *name)
{
    return words->count > 1 && strcmp(words->word[1], name) == 0;
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

/* Takes how exact a result will be, where it is approximate. */
static void take_precision(hb_asked_command *result, const json_t *outputs)
{
    size_t i;
    const json_t *output;
    json_array_foreach(outputs, i, output)
    {
        const char *name = json_string_value(json_object_get(output, "name"));
        if (name != NULL && strcmp(name, result->name) == 0) {
            result->precision = json_incref(json_object_get(output, "precision_bits"));
            result->parts = json_is_true(json_object_get(result->precision, "of_parts"));
            result->divisor = json_number_value(json_object_get(result->precision, "divided_by"));
            result->gap = json_number_value(json_object_get(output, "threshold_gap"));
        }
    }
}

/* NAME of a file NAME.heb. */
static hb_status name_of(const char *file, char **name)
{
    *name = strndup(file, strcspn(file, "."));
    return *name != NULL ? HB_OK : NO_MEMORY;
}

/* Takes a command over, unless it decrypts a result that is not shown. */
static hb_status take_command(hb_asked_plan *plan, hb_words *words, const hb_question *q)
{
    const bool encrypts = is_command(words, "encrypt"), decrypts = is_command(words, "decrypt");
    hb_asked_command *to = encrypts                    ? &plan->encrypt[plan->encrypts]
                           : is_command(words, "eval") ? &plan->eval
                           : decrypts                  ? &plan->decrypt[plan->decrypts]
                                                       : NULL;
    if (to == NULL || words->count <= HB_DECRYPT_TO || to->words.count > 0) {
        return HB_FAIL(HB_EINTERNAL, "params suggest says another command than was expected");
    }
    if (encrypts || decrypts) {
        HB_TRY(name_of(words->word[encrypts ? HB_ENCRYPT_OUT : HB_DECRYPT_FROM], &to->name));
    }
    if (decrypts && !is_shown(q, to->name)) {
        free(to->name);
        to->name = NULL;
        return HB_OK;
    }
    to->words = *words;
    *words = (hb_words){0};
    plan->encrypts += encrypts;
    plan->decrypts += decrypts;
    return HB_OK;
}

hb_status hb_asked_plan_make(hb_asked_plan *plan, const char *suggested, const hb_question *q)
{
    *plan = (hb_asked_plan){.suggested = json_loads(suggested, 0, NULL)};
    const json_t *commands = json_object_get(plan->suggested, "commands"), *command,
                 *keygen = json_object_get(plan->suggested, "keygen");
    size_t i;
    if (!json_is_array(keygen) || !json_is_array(commands)) {
        return HB_FAIL(HB_EINTERNAL, "params suggest says no commands");
    }
    plan->encrypt = calloc(json_array_size(commands) + 1, sizeof *plan->encrypt);
    plan->decrypt = calloc(json_array_size(commands) + 1, sizeof *plan->decrypt);
    if (plan->encrypt == NULL || plan->decrypt == NULL) {
        return NO_MEMORY;
    }
    HB_TRY(take_words(&plan->keygen.words, keygen));
    json_array_foreach(commands, i, command)
    {
        hb_words words = {0};
        hb_status st = take_words(&words, command);
        st = st == HB_OK ? take_command(plan, &words, q) : st;
        hb_words_clear(&words);
        HB_TRY(st);
    }
    if (plan->eval.words.count == 0 || plan->decrypts != q->result_count) {
        return HB_FAIL(HB_EINTERNAL, "params suggest says no commands for some results");
    }
    for (i = 0; i < plan->decrypts; i++) {
        take_precision(&plan->decrypt[i], json_object_get(plan->suggested, "outputs"));
    }
    drop_inner(&plan->eval.words, q, json_object_get(plan->suggested, "outputs"));
    return HB_OK;
}
