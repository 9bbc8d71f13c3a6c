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

bool hb_name_goes_on(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

bool hb_name_at(const char *text, const char *at, size_t length)
{
    return (at == text || !hb_name_goes_on(at[-1])) && !hb_name_goes_on(at[length]);
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

/* Returns where the name behind the next comma begins; NULL: there is none. */
static const char *next_name(const char *at)
{
    const char *comma = strchr(at, ',');
    return comma != NULL ? comma + 1 : NULL;
}

bool hb_name_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = next_name(at)) {
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Refuses a name of that length that names [count] lack. */
static hb_status check_name(const char *at, size_t length, char *const *names, uint32_t count, const char *option)
{
    uint32_t i = 0;
    while (i < count && (strlen(names[i]) != length || memcmp(names[i], at, length) != 0)) {
        i++;
    }
    return i < count ? HB_OK
                     : HB_FAIL(HB_EUSAGE, "%s: the expression reads no '%.*s'; give names with commas between them",
                               option, length < 64 ? (int)length : 64, at);
}

hb_status hb_name_list_check(const char *list, char *const *names, uint32_t count, const char *option)
{
    for (const char *at = list; at != NULL; at = next_name(at)) {
        HB_TRY(check_name(at, strcspn(at, ","), names, count, option));
    }
    return HB_OK;
}

/* Reads the number behind a name; 0: it has none, or what stands there is none. */
static uint64_t number_of(const char *at)
{
    const char *digits = at + 1;
    uint64_t number = 0;
    size_t i = 0;
    for (; *at == '=' && digits[i] >= '0' && digits[i] <= '9' && number <= UINT32_MAX; i++) {
        number = 10 * number + (uint64_t)(digits[i] - '0');
    }
    return *at == '=' && (digits[i] == ',' || digits[i] == '\0') && number <= UINT32_MAX ? number : 0;
}

bool hb_numbered_name(const char *list, const char *name, uint64_t *number)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = next_name(at)) {
        if (strcspn(at, ",=") == length && memcmp(at, name, length) == 0) {
            *number = at[length] == '=' ? number_of(at + length) : *number;
            return true;
        }
    }
    return false;
}

hb_status hb_numbered_names_check(const char *list, char *const *names, uint32_t count, const char *option)
{
    for (const char *at = list; at != NULL; at = next_name(at)) {
        const size_t length = strcspn(at, ",=");
        HB_TRY(check_name(at, length, names, count, option));
        if (at[length] == '=' && number_of(at + length) == 0) {
            return HB_FAIL(HB_EUSAGE, "%s: expected NAME or NAME=NUMBER, as %.*s=128", option,
                           length < 64 ? (int)length : 64, at);
        }
    }
    return HB_OK;
}

uint32_t hb_path_list_name(const char *at, char *const *names, uint32_t count)
{
    const size_t length = strcspn(at, "=");
    uint32_t i = 0;
    while (i < count && !(at[length] == '=' && strlen(names[i]) == length && memcmp(names[i], at, length) == 0)) {
        i++;
    }
    return i;
}

size_t hb_path_list_length(const char *at, char *const *names, uint32_t count)
{
    size_t length = 0;
    while (at[length] != '\0' && !(at[length] == ',' && hb_path_list_name(at + length + 1, names, count) < count)) {
        length++;
    }
    return length;
}

uint32_t hb_binding_find(const hb_binding *bindings, uint32_t count, const char *name)
{
    uint32_t i = 0;
    while (i < count && strcmp(bindings[i].name, name) != 0) {
        i++;
    }
    return i;
}
