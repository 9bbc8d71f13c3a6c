#include "binding.h"

#include <errno.h>
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

/* A decimal integer with an optional sign at *at, which moves past it. */
static bool take_integer(const char **at, int64_t *value)
{
    const char *digits = *at + (**at == '-');
    if (*digits < '0' || *digits > '9') {
        return false;
    }
    char *end;
    errno = 0;
    *value = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0;
}

/* "name=lo..hi" at *at, which moves past it. */
static bool take_range(const char **at, hb_range *range)
{
    const size_t length = strcspn(*at, "=");
    range->name = strndup(*at, length);
    if (!range->name || !hb_name_valid(range->name) || (*at)[length] != '=') {
        return false;
    }
    const char *rest = *at + length + 1;
    if (!take_integer(&rest, &range->least) || strncmp(rest, "..", 2) != 0) {
        return false;
    }
    rest += 2;
    if (!take_integer(&rest, &range->most) || range->least > range->most || (*rest != ',' && *rest != '\0')) {
        return false;
    }
    *at = rest;
    return true;
}

hb_status hb_ranges_parse(const char *text, hb_range **ranges, uint32_t *count)
{
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++) {
        most += *at == ',';
    }
    hb_range *list = calloc(most, sizeof *list);
    uint32_t found = 0;
    hb_status st = HB_OK;
    if (!list) {
        return HB_FAIL(HB_ENOMEM, "no memory for '%.80s'", text);
    }
    for (const char *at = text; st == HB_OK; at++) {
        hb_range *range = &list[found++];
        if (!take_range(&at, range)) {
            st =
                HB_FAIL(HB_EUSAGE, "expected name=least..most as in a=0..150 or a=0..150,b=-3..3, found '%.80s'", text);
        }
        for (uint32_t i = 0; st == HB_OK && i + 1 < found; i++) {
            if (strcmp(list[i].name, range->name) == 0) {
                st = HB_FAIL(HB_EUSAGE, "'%.80s' gives the range of %.40s twice", text, range->name);
            }
        }
        if (*at == '\0') {
            break;
        }
    }
    if (st != HB_OK) {
        hb_ranges_free(list, found);
        return st;
    }
    *ranges = list;
    *count = found;
    return HB_OK;
}

void hb_ranges_free(hb_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(ranges[i].name);
    }
    free(ranges);
}
