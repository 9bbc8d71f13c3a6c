/* The tables of a question, as words of a command line name them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lang/text/binding.h"
#include "question.h"

#define NO_MEMORY HB_FAIL(HB_ENOMEM, "no memory for a question")

/* The name of a table that has none on the command line: that of its file, where it is a name, else `other`; NULL: no
 * name, or no memory. */
static char *name_of_file(const char *path, const char *other)
{
    const char *slash = strrchr(path, '/'), *from = slash != NULL ? slash + 1 : path;
    char *name = strndup(from, strcspn(from, ".:"));
    if (name != NULL && !hb_name_valid(name)) {
        free(name);
        name = other != NULL ? strdup(other) : NULL;
    }
    return name;
}

static hb_status take_table(hb_question *q, const char *word, bool lone)
{
    hb_asked_table *table = &q->table[q->tables++];
    const char *sign = strchr(word, '=');
    char *name = sign != NULL ? strndup(word, (size_t)(sign - word)) : NULL;
    struct stat info;
    const bool named = name != NULL && hb_name_valid(name) && sign[1] != '\0' && stat(word, &info) != 0;
    if (named) {
        table->name = name;
        table->path = strdup(sign + 1);
    } else {
        free(name);
        q->lone = lone;
        table->path = strdup(word);
        table->name = name_of_file(word, lone ? "t" : NULL);
        if (table->name == NULL && !lone) {
            return HB_FAIL(HB_EUSAGE, "'%s': the name of the file is no name of a table: give it one, as h=%s", word,
                           word);
        }
    }
    return table->name != NULL && table->path != NULL ? HB_OK : NO_MEMORY;
}

hb_status hb_question_take_tables(hb_question *q, char *const *words, size_t count)
{
    q->table = calloc(count + 1, sizeof *q->table);
    if (q->table == NULL) {
        return NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        HB_TRY(take_table(q, words[i], count == 1));
        for (uint32_t j = 0; j + 1 < q->tables; j++) {
            if (strcmp(q->table[j].name, q->table[i].name) == 0) {
                return HB_FAIL(HB_EUSAGE, "two tables are called '%.64s'", q->table[j].name);
            }
        }
    }
    return HB_OK;
}
