#include "name_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void count_more(hb_name_list *list, uint32_t more)
{
    list->more += more;
    if (list->more > 0) {
        snprintf(list->text + list->named, sizeof list->text - list->named, "%s%" PRIu32 " %s",
                 list->named > 0 ? " and " : "", list->more, list->named > 0 ? "more" : "with long names");
    }
}

static void add(hb_name_list *list, const char *name, size_t length)
{
    enum { MORE = sizeof " and 4294967295 more" };
    const char *between = list->named > 0 ? ", " : "";
    const size_t bytes = strlen(between) + length;
    if (list->more > 0 || bytes >= sizeof list->text || list->named + bytes + MORE > sizeof list->text) {
        count_more(list, 1);
        return;
    }
    memcpy(list->text + list->named, between, strlen(between));
    memcpy(list->text + list->named + strlen(between), name, length);
    list->named += bytes;
    list->text[list->named] = 0;
}

void hb_name_list_add(hb_name_list *list, const char *name)
{
    add(list, name, strlen(name));
}

void hb_name_list_join(hb_name_list *list, const hb_name_list *other)
{
    const char *at = other->text, *end = other->text + other->named;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *last = comma != NULL ? comma : end;
        add(list, at, (size_t)(last - at));
        at = comma != NULL ? comma + 2 : end;
    }
    count_more(list, other->more);
}
