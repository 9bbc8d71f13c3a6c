#include "binding.h"

#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool hb_name_valid(const char *name)
{
    if (!is_letter(name[0])) {
        return false;
    }
    while (is_letter(*name) || (*name >= '0' && *name <= '9')) {
        name++;
    }
    return *name == '\0';
}

hb_status hb_binding_parse(const char *word, hb_binding *binding)
{
    *binding = (hb_binding){0};
    /* The first one: a path may have others. */
    const char *equals = strchr(word, '=');
    const size_t length = equals == NULL ? 0 : (size_t)(equals - word);
    binding->name = strndup(word, length);
    binding->path = strdup(equals == NULL ? "" : equals + 1);
    if (!binding->name || !binding->path) {
        return HB_FAIL(HB_ENOMEM, "no memory for '%.80s'", word);
    }
    if (!hb_name_valid(binding->name) || binding->path[0] == '\0') {
        return HB_FAIL(HB_EUSAGE, "expected name=path, found '%.80s'; names are letters, digits and _, no digit first",
                       word);
    }
    return HB_OK;
}

void hb_binding_clear(hb_binding *binding)
{
    free(binding->name);
    free(binding->path);
    *binding = (hb_binding){0};
}

uint32_t hb_binding_find(const hb_binding *bindings, uint32_t count, const char *name)
{
    uint32_t i = 0;
    while (i < count && strcmp(bindings[i].name, name) != 0) {
        i++;
    }
    return i;
}
