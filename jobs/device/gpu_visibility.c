#include "gpu_visibility.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

#define VARIABLE "CUDA_VISIBLE_DEVICES"

/* Returns the entries of a list with commas, which is never empty. */
static uint32_t entries(const char *list)
{
    uint32_t count = 1;
    for (; *list != '\0'; list++) {
        count += *list == ',';
    }
    return count;
}

/* Tells whether an entry is a number or a UUID. Anything else has rules of its own: -1 ends the list, for example. */
static bool is_entry(const char *at, size_t length)
{
    static const char others[] = "-/";
    bool number = length > 0, uuid = length > 4 && (strncmp(at, "GPU-", 4) == 0 || strncmp(at, "MIG-", 4) == 0);
    for (size_t i = 0; i < length; i++) {
        const char c = at[i];
        const bool digit = c >= '0' && c <= '9';
        number = number && digit;
        uuid = uuid && (digit || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || strchr(others, c) != NULL);
    }
    return number || uuid;
}

bool hb_device_narrow(const char *visible, uint32_t files, int place, char *text, size_t bytes)
{
    if (visible == NULL) {
        return files > 1 && snprintf(text, bytes, "%u", (unsigned)place % files) < (int)bytes;
    }
    /* The same rule as choosing among all of them: GPU `place` of those visible, in rounds. */
    const uint32_t count = entries(visible), wanted = (uint32_t)place % count;
    const char *at = visible, *found = NULL;
    size_t found_length = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t length = strcspn(at, ",");
        /* All entries are looked at, as one that ends the list changes how many there are. */
        if (!is_entry(at, length)) {
            return false;
        }
        found = i == wanted ? at : found;
        found_length = i == wanted ? length : found_length;
        at += length + 1;
    }
    /* One entry is one GPU already. */
    if (count < 2 || found_length >= bytes) {
        return false;
    }
    memcpy(text, found, found_length);
    text[found_length] = '\0';
    return true;
}

void hb_device_see_one(int place, hb_gpu_visibility *visibility)
{
    char text[128];
    const char *visible = getenv(VARIABLE);
    *visibility = (hb_gpu_visibility){0};
    if (!hb_device_narrow(visible, hb_machine_gpus(), place, text, sizeof text)) {
        return;
    }
    visibility->before = visible != NULL ? strdup(visible) : NULL;
    /* Without the memory to restore the variable it is left alone. */
    if (visible == NULL || visibility->before != NULL) {
        visibility->narrowed = setenv(VARIABLE, text, 1) == 0;
    }
}

void hb_device_see_all(hb_gpu_visibility *visibility)
{
    if (visibility->narrowed) {
        (void)(visibility->before != NULL ? setenv(VARIABLE, visibility->before, 1) : unsetenv(VARIABLE));
    }
    hb_gpu_visibility_clear(visibility);
}

void hb_gpu_visibility_clear(hb_gpu_visibility *visibility)
{
    free(visibility->before);
    *visibility = (hb_gpu_visibility){0};
}
