#include "headline.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "cells.h"
#include "cli/console.h"

enum { MOST_NAMED = 4, WORD = 80 };

static const char *text_of(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text != NULL ? text : "";
}

static double number_of(const json_t *object, const char *member)
{
    const double number = json_number_value(json_object_get(object, member));
    return isfinite(number) && number > 0 && number < 1e18 ? number : 0;
}

/* 4.2 s, 7 min 23 s, 2 h 5 min. */
static void put_duration(FILE *to, double seconds)
{
    if (seconds < 59.95) {
        fprintf(to, "%.1f&nbsp;s", seconds);
        return;
    }
    const double whole = floor(seconds + 0.5), minutes = floor(whole / 60), hours = floor(minutes / 60);
    if (hours < 1) {
        fprintf(to, "%.0f&nbsp;min %.0f&nbsp;s", minutes, whole - 60 * minutes);
    } else {
        fprintf(to, "%.0f&nbsp;h %.0f&nbsp;min", hours, minutes - 60 * hours);
    }
}

/* Takes a name such as a.age or age off a text; *word receives the part behind the point. */
static bool take_name(const char **text, char word[WORD])
{
    size_t length = 0;
    const char *at = *text + strspn(*text, " ");
    for (; isalnum((unsigned char)*at) || *at == '_' || *at == '.'; at++) {
        length = *at == '.' ? 0 : length;
        if (*at != '.' && length + 1 < WORD) {
            word[length++] = *at;
        }
    }
    word[length] = '\0';
    *text = at;
    return length > 0;
}

static bool take(const char **text, const char *word)
{
    const char *at = *text + strspn(*text, " ");
    const size_t length = strlen(word);
    if (strncmp(at, word, length) != 0) {
        return false;
    }
    *text = at + length;
    return true;
}

static bool at_end(const char *text)
{
    return text[strspn(text, " ;\n")] == '\0';
}

/* A function of one column, in words. */
static const struct {
    const char *call, *one, *each;
} functions[] = {{"sum(", "the sum of", "sums of"},
                 {"mean(", "the mean of", "means of"},
                 {"var(", "the variance of", "variances of"}};

/* Describes count() or a function of one column, if `to` is not NULL; returns false for any other call. */
static bool put_call(FILE *to, const char **text, bool each)
{
    char of[WORD];
    if (take(text, "count()")) {
        if (to != NULL) {
            fputs(each ? "counts" : "the count of rows", to);
        }
        return true;
    }
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        if (take(text, functions[f].call)) {
            if (!take_name(text, of) || !take(text, ")")) {
                return false;
            }
            if (to != NULL) {
                fprintf(to, "%s %s", each ? functions[f].each : functions[f].one, of);
            }
            return true;
        }
    }
    return false;
}

/* Describes the calls of a group, or the one of a statement, up to its end. */
static bool put_calls(FILE *to, const char *text, bool grouped)
{
    bool first = true;
    do {
        const char *at = text;
        const bool last = put_call(NULL, &at, grouped) && !take(&at, ",");
        if (to != NULL && !first) {
            fputs(last ? " and " : ", ", to);
        }
        first = false;
        if (!put_call(to, &text, grouped)) {
            return false;
        }
    } while (grouped && take(&text, ","));
    return (!grouped || take(&text, ")")) && at_end(text);
}

/* Describes a statement NAME = groupby(T.X, count(), sum(T.Y)), sum(T.Y) or alike; returns false, and writes nothing,
 * for any other statement. */
static bool put_statement(FILE *to, const char *text)
{
    char name[WORD], by[WORD] = "";
    if (!take_name(&text, name) || !take(&text, "=")) {
        return false;
    }
    const bool grouped = take(&text, "groupby(");
    if ((grouped && (!take_name(&text, by) || !take(&text, ","))) || !put_calls(NULL, text, grouped)) {
        return false;
    }
    (void)put_calls(to, text, grouped);
    fprintf(to, grouped ? " by %s" : "%s", by);
    return true;
}

/* The statement that makes an output, as the list of bits has it; NULL: none. */
static const char *statement_of(const json_t *bits, const char *name)
{
    size_t i;
    json_t *one;
    const size_t length = strlen(name);
    json_array_foreach(bits, i, one)
    {
        const char *node = text_of(one, "node");
        node += strspn(node, " ");
        if (length > 0 && strncmp(node, name, length) == 0 && node[length + strspn(node + length, " ")] == '=') {
            return node;
        }
    }
    return NULL;
}

static const json_t *bits_of(const json_t *report)
{
    const json_t *bits = json_object_get(report, "noise_budget_bits");
    return bits != NULL ? bits : json_object_get(report, "precision_bits");
}

/* The results by their description, or by their names. */
static void put_results(FILE *to, const json_t *report)
{
    const json_t *outputs = json_object_get(report, "outputs");
    const size_t count = json_array_size(outputs);
    for (size_t o = 0; o < count && o < MOST_NAMED; o++) {
        const json_t *output = json_array_get(outputs, o);
        const char *name = text_of(output, "name"), *statement = statement_of(bits_of(report), name);
        fputs(o == 0 ? "" : o + 1 == count ? " and " : ", ", to);
        if (statement == NULL || !put_statement(to, statement)) {
            fputs("<code>", to);
            hb_page_text(to, name);
            fputs("</code>", to);
        }
    }
    if (count > MOST_NAMED) {
        fprintf(to, " and %zu more", count - MOST_NAMED);
    }
}

/* Rows of all inputs that are encrypted; of a table, of the plan. */
static double rows_of(const json_t *report)
{
    double most = 0;
    size_t i;
    json_t *input;
    json_array_foreach(json_object_get(report, "inputs"), i, input)
    {
        const double rows = json_is_true(json_object_get(input, "encrypted")) ? number_of(input, "rows") : 0;
        most = rows > most ? rows : most;
    }
    return most > 0 ? most : number_of(json_object_get(report, "plan"), "rows");
}

/* Bytes of results: of an encrypted table, or of all outputs. */
static double bytes_of(const json_t *report)
{
    double sum = 0;
    size_t o;
    json_t *output;
    json_array_foreach(json_object_get(report, "outputs"), o, output)
    {
        sum += number_of(output, "stored_bytes");
    }
    const json_t *plan = json_object_get(report, "plan");
    const bool plain = strcmp(text_of(report, "command"), "decrypt") == 0;
    return sum > 0 ? sum : number_of(plan, plain ? "output_bytes" : "stored_bytes");
}

/* The least of the bits, and how certain the least certain of them are; false: nothing says how many there are. */
static bool least_bits(const json_t *report, double *least, const char **kind)
{
    const json_t *list = bits_of(report);
    bool any = false;
    size_t count = json_is_object(list) ? 1 : json_array_size(list);
    size_t least_certain = 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_is_object(list) ? list : json_array_get(list, i);
        const size_t certainty = hb_page_certainty(one);
        const json_t *value = json_object_get(one, hb_page_certainties[certainty]);
        if (json_is_number(value) && fabs(json_number_value(value)) < 1e6) {
            const double bits = json_number_value(value);
            least_certain = certainty > least_certain ? certainty : least_certain;
            *least = any && *least < bits ? *least : bits;
            any = true;
        }
    }
    *kind = hb_page_certainties[least_certain];
    return any;
}

static bool may_wrap(const json_t *report)
{
    bool any = json_is_true(json_object_get(report, "may_wrap"));
    size_t o;
    json_t *output;
    json_array_foreach(json_object_get(report, "outputs"), o, output)
    {
        any |= json_is_true(json_object_get(output, "may_wrap"));
    }
    return any;
}

/* Whether values are exact, and how that is known. */
static void put_exactness(FILE *to, const json_t *report)
{
    double least;
    const char *kind;
    if (!least_bits(report, &least, &kind)) {
        return;
    }
    if (json_object_get(report, "precision_bits") != NULL) {
        const bool gap = json_number_value(json_object_get(report, "threshold_gap")) > 0;
        fprintf(to, least > 0 ? "; approximate, %s %s at least%s" : "; approximate, %s %s%s",
                hb_human_bits(least, true, "bits", "no bit of it").text, kind,
                gap ? " but for rows at a threshold" : "");
    } else if (may_wrap(report)) {
        fputs("; exact unless values have wrapped around", to);
    } else if (least > 0 && strcmp(kind, "proven") == 0) {
        fputs("; exact", to);
    } else {
        fprintf(to, "; exact as far as is expected, with %s %s", hb_human_bits(least, false, "bits", "no bits").text,
                kind);
    }
}

static void put_machine(FILE *to, const json_t *report)
{
    const json_t *loop = json_object_get(json_object_get(report, "times"), "loop");
    const double ranks = number_of(report, "ranks"), queues = number_of(loop, "queues");
    if (strcmp(text_of(json_object_get(report, "device"), "kind"), "gpu") == 0) {
        fprintf(to, ranks > 1 ? " on GPUs of %.0f ranks" : " on a GPU", ranks);
    } else if (ranks == 1 && queues <= 1) {
        fputs(" on one core", to);
    } else if (ranks > 0 && ranks < 1e6 && queues < 1e6) {
        fprintf(to, " on %.0f cores", ranks * (queues > 1 ? queues : 1));
    }
}

static void put_sentence(FILE *to, const json_t *report)
{
    const char *command = text_of(report, "command");
    const bool failed = json_integer_value(json_object_get(report, "exit_code")) != 0;
    const double rows = rows_of(report), bytes = bytes_of(report);
    const size_t results = json_array_size(json_object_get(report, "outputs"));
    if (failed) {
        hb_page_text(to, command[0] != '\0' ? command : "a command");
        fputs(" ended without a result after ", to);
    } else if (strcmp(command, "eval") == 0) {
        put_results(to, report);
        fprintf(to, " from %.0f row%s, computed without the secret key in ", rows, rows == 1 ? "" : "s");
    } else {
        const bool encrypts = strcmp(command, "encrypt") == 0, decrypts = strcmp(command, "decrypt") == 0;
        fprintf(to, "%.0f row%s ", rows, rows == 1 ? "" : "s");
        hb_page_text(to, encrypts ? "encrypted" : decrypts ? "decrypted" : command);
        fputs(" in ", to);
    }
    put_duration(to, number_of(report, "seconds"));
    put_machine(to, report);
    if (!failed) {
        put_exactness(to, report);
        if (bytes > 0) {
            fputs("; ", to);
            if (results > 0) {
                fprintf(to, "%zu result%s of ", results, results == 1 ? "" : "s");
            }
            fputs(hb_human_bytes(bytes).text, to);
        }
    }
    fputs(".", to);
}

/* Writes a number and its title. */
static void begin_tile(FILE *to, const char *title)
{
    fprintf(to, "<div class=\"tile\"><i>%s</i><b>", title);
}

static void put_tiles(FILE *to, const json_t *report)
{
    const double seconds = number_of(report, "seconds"), memory = number_of(report, "peak_host_bytes"),
                 bytes = bytes_of(report);
    double least;
    const char *kind;
    fputs("<div class=\"tiles\">\n", to);
    begin_tile(to, "time");
    put_duration(to, seconds);
    fputs("</b></div>\n", to);
    begin_tile(to, "memory of the largest rank");
    fprintf(to, "%s</b></div>\n", memory > 0 ? hb_human_bytes(memory).text : "-");
    begin_tile(to, "size of the results");
    fprintf(to, "%s</b></div>\n", bytes > 0 ? hb_human_bytes(bytes).text : "-");
    const bool known = least_bits(report, &least, &kind), real = json_object_get(report, "precision_bits") != NULL;
    begin_tile(to, real ? "least precision" : "least noise budget");
    if (known) {
        fprintf(to, "%s</b> %s</div>\n", hb_human_bits(least, real, "bits", "no bits").text, kind);
    } else {
        fputs("-</b></div>\n", to);
    }
    fputs("</div>\n", to);
}

void hb_page_head(FILE *to, const json_t *report)
{
    fputs("<p class=\"headline\">", to);
    put_sentence(to, report);
    fputs("</p>\n", to);
    put_tiles(to, report);
}
