/* Cheaper ways to ask: conditions become columns of 0 and 1, and wide groups become bins, before encryption. Each one
 * that is told was tried: its parameters were found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "expensive_places.h"
#include "job.h"
#include "lang/functions/list.h"
#include "lang/text/place.h"
#include "lang/text/syntax.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a cheaper question")

/* The cost of a question: bytes of keys, and seconds of one core. */
typedef struct price {
    double keys, seconds;
} price;
static price price_of(const json_t *suggested)
{
    return (price){(double)json_integer_value(json_object_get(suggested, "key_bytes")),
                   json_number_value(json_object_get(suggested, "seconds"))};
}

typedef struct cheaper {
    hb_asked_places at;
    hb_asked_attempt *attempt;
    hb_words derive; /* NAME=RULE of each rule, once */
    char *question;  /* owned */
    price price;
} cheaper;

static void clear_offer(cheaper *c)
{
    hb_words_clear(&c->derive);
    free(c->question);
    c->question = NULL;
}

static void clear(cheaper *c)
{
    hb_asked_places_clear(&c->at);
    clear_offer(c);
}

/* --- the question that is asked then */

/* Writes the n-th name that no column, no table and no word of the question has. */
static void free_name(const hb_question *q, const char *stem, uint32_t n, char name[24])
{
    uint32_t found = 0;
    for (uint32_t i = 1; found <= n; i++) {
        snprintf(name, 24, i > 1 ? "%s%u" : "%s", stem, i);
        bool taken = strstr(q->text, name) != NULL;
        for (uint32_t t = 0; t < q->tables && !taken; t++) {
            taken = strcmp(q->table[t].name, name) == 0 || hb_survey_find(&q->table[t].survey, name) != NULL;
        }
        found += !taken;
    }
}

/* Finds the name of a rule's column; a new rule gets the next one. */
static hb_status name_rule(cheaper *c, const hb_question *q, const char *rule, char name[24])
{
    for (uint32_t i = 0; i < c->derive.count; i++) {
        const char *sign = strchr(c->derive.word[i], '=');
        if (strcmp(sign + 1, rule) == 0) {
            snprintf(name, 24, "%.*s", (int)(sign - c->derive.word[i]), c->derive.word[i]);
            return HB_OK;
        }
    }
    const char *stem = strncmp(rule, "bin(", 4) == 0 ? "bins" : strpbrk(rule, "<>=!") != NULL ? "holds" : "span";
    free_name(q, stem, (uint32_t)c->derive.count, name);
    return hb_words_addf(&c->derive, "%s=%s", name, rule);
}

/* Finds the name of a place's column, with the rule of the column that it is made of. */
static hb_status name_place(cheaper *c, const hb_question *q, const hb_asked_place_made *p, char name[24])
{
    char inner[24], *rule = NULL;
    if (p->inner == NULL) {
        return name_rule(c, q, p->rule, name);
    }
    HB_TRY(name_rule(c, q, p->inner, inner));
    if (strcmp(p->rule, HB_ASKED_HERE) == 0) {
        memcpy(name, inner, sizeof inner);
        return HB_OK;
    }
    const char *at = strstr(p->rule, HB_ASKED_HERE);
    if (asprintf(&rule, "%.*s%s%s", (int)(at - p->rule), p->rule, inner, at + 1) < 0) {
        return NO_MEMORY;
    }
    const hb_status st = name_rule(c, q, rule, name);
    free(rule);
    return st;
}

/* Writes the question as the user wrote it, with the columns that are made. */
static hb_status write_offer(cheaper *c, const hb_question *q, const char *said)
{
    size_t size;
    uint32_t written = 0;
    hb_status st = HB_OK;
    clear_offer(c);
    FILE *to = open_memstream(&c->question, &size);
    for (uint32_t i = 0; to != NULL && st == HB_OK && i < c->at.places; i++) {
        const hb_asked_place_made *p = &c->at.place[i];
        char name[24];
        const uint32_t from = q->origin[p->from];
        if (p->left || from < written) {
            continue;
        }
        st = name_place(c, q, p, name);
        fprintf(to, "%.*s%s%s%s", (int)(from - written), said + written, q->lone ? "" : p->table, q->lone ? "" : ".",
                name);
        written = q->origin[p->to];
    }
    if (to != NULL) {
        fputs(said + written, to);
    }
    return to != NULL && fclose(to) == 0 ? st : NO_MEMORY;
}

/* Finds what the offer takes. Returns false where it cannot be computed, or nothing is offered. */
static bool try_offer(const hb_asked_job *job, cheaper *c)
{
    hb_ask_options options = *job->options;
    hb_asked_job *other = calloc(1, sizeof *other); /* larger than a frame should be */
    char *suggested = NULL;
    hb_texts *derive = &options.table.derive;
    bool fits = other != NULL && write_offer(c, &job->question, job->options->question) == HB_OK &&
                c->derive.count > 0 && derive->count + c->derive.count <= HB_TEXTS_MOST;
    for (size_t i = 0; fits && i < c->derive.count; i++) {
        derive->text[derive->count++] = c->derive.word[i];
    }
    if (fits) {
        options.question = c->question;
        *other = (hb_asked_job){
            .group = job->group, .common = job->common, .options = &options, .phases = job->phases, .folder = -1};
        other->reading.said = options.table;
        fits = c->attempt(other, NULL, &suggested) == HB_OK;
        hb_asked_reading_clear(&other->reading);
        hb_question_clear(&other->question);
    }
    json_t *document = suggested != NULL ? json_loads(suggested, 0, NULL) : NULL;
    c->price = price_of(document);
    fits = fits && document != NULL;
    json_decref(document);
    free(suggested);
    free(other);
    hb_clear_error(); /* it is no failure of the question */
    return fits;
}

/* Leaves conditions as they are that cost little. */
static bool try_fewest(const hb_asked_job *job, cheaper *c)
{
    if (!try_offer(job, c)) {
        return false;
    }
    const price all = c->price, little = {16 << 20, 5};
    bool stands = true; /* the offer that was tried last */
    for (uint32_t i = 0; i < c->at.places && c->at.places > 1; i++) {
        c->at.place[i].left = true;
        c->at.place[i].left = try_offer(job, c) && c->price.keys <= 1.1 * all.keys + little.keys &&
                              c->price.seconds <= 1.1 * all.seconds + little.seconds;
        stands = c->at.place[i].left;
    }
    return stands || try_offer(job, c);
}

/* Looks for a cheaper question: now NULL where the question cannot be computed as it is. */
static bool find_cheaper(const hb_asked_job *job, const price *now, cheaper *found)
{
    hb_syntax syntax = {0};
    bool tried = false;
    const hb_status st = hb_syntax_parse(&syntax, job->question.text, hb_lang_functions);
    for (int way = 0; way < HB_ASKED_WAYS && st == HB_OK && !tried; way++) {
        clear(found);
        *found = (cheaper){.attempt = found->attempt};
        tried = hb_asked_find_places(job, &syntax, (hb_asked_way)way, &found->at) == HB_OK && found->at.places > 0 &&
                try_fewest(job, found);
        tried = tried &&
                (now == NULL || found->price.keys <= 0.75 * now->keys || found->price.seconds <= 0.5 * now->seconds);
    }
    hb_syntax_clear(&syntax);
    hb_clear_error();
    return tried;
}

/* Writes the options and the question, as a shell takes them. NULL: no memory. */
static char *offer_text(const cheaper *c)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; to != NULL && i < c->derive.count; i++) {
        fputs(i > 0 ? " --derive " : "--derive ", to);
        hb_words_print(&(hb_words){(char *[]){c->derive.word[i], NULL}, 1}, to);
    }
    if (to != NULL) {
        fputs(", and ask ", to);
        hb_words_print(&(hb_words){(char *[]){c->question, NULL}, 1}, to);
    }
    if (to == NULL || fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Says which conditions or groups are expensive, and the cheaper question. */
static void say(const hb_asked_job *job, const cheaper *found, price all, const char *offer)
{
    const hb_question *q = &job->question;
    uint32_t i = 0, offered = 0;
    char shown[96];
    for (uint32_t p = found->at.places; p-- > 0;) {
        i = found->at.place[p].left ? i : p;
        offered += !found->at.place[p].left;
    }
    const bool bins = strncmp(found->at.place[i].rule, "bin(", 4) == 0,
               span = strcmp(found->at.place[i].rule, HB_ASKED_HERE) == 0;
    hb_excerpt(shown, sizeof shown, job->options->question, q->origin[found->at.place[i].from],
               q->origin[found->at.place[i].to]);
    hb_console_log(
        job->group, job->common,
        "expensive: %s%s%s %s of %s of keys, and %s of %s of computing; cheaper: before encryption make %s: %s",
        bins || span ? "the range of the groups " : "", shown, offered > 1 ? " and other conditions take" : " takes",
        hb_human_bytes(fmax(all.keys - found->price.keys, 0)).text, hb_human_bytes(all.keys).text,
        hb_human_about(fmax(all.seconds - found->price.seconds, 0)).text, hb_human_about(all.seconds).text,
        bins          ? "bins of it"
        : span        ? "a column of it"
        : offered > 1 ? "a column of 0 and 1 of each"
                      : "a column of 0 and 1 of it",
        offer);
}

/* Adds a question that can be computed to the reason why another one cannot. */
static hb_status refuse(const hb_asked_job *job, const char *offer, hb_status st)
{
    const hb_error cause = *hb_last_error();
    const int length = cause.advice == HB_ADVICE_FEWER ? (int)cause.reason : (int)strlen(cause.text);
    const int room = (int)sizeof cause.text - (int)strlen(offer) - 48;
    if (room < 160) { /* a part of a command helps nobody */
        hb_console_log(job->group, job->common, "this can be computed: %s", offer);
        return st;
    }
    return HB_FAIL(st, "%.*s; this can be computed: %s", length < room ? length : room, cause.text, offer);
}

hb_status hb_asked_offer(const hb_asked_job *job, hb_asked_attempt *attempt, hb_status st, bool *offered)
{
    const hb_error cause = *hb_last_error();
    const price all = price_of(job->plan.suggested), much = {64 << 20, 60};
    const bool refused = st != HB_OK, looks = refused || all.keys >= much.keys || all.seconds >= much.seconds;
    cheaper found = {.attempt = attempt};
    char *offer = looks && find_cheaper(job, refused ? NULL : &all, &found) ? offer_text(&found) : NULL;
    hb_set_error(&cause);
    *offered = offer != NULL;
    if (offer != NULL && refused) {
        st = refuse(job, offer, st);
    } else if (offer != NULL) {
        say(job, &found, all, offer);
    } else if (looks && !refused) {
        hb_console_log(job->group, job->common,
                       "expensive: %s of keys, and %s of computing; no cheaper question was found",
                       hb_human_bytes(all.keys).text, hb_human_about(all.seconds).text);
    }
    free(offer);
    clear(&found);
    return st;
}
