/* A list of names in a message, with commas: as many as fit, and always how many more there are. */
#ifndef HB_BASE_NAME_LIST_H
#define HB_BASE_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

enum { HB_NAME_LIST_TEXT = 256 };

/* Zeroed: no names. */
typedef struct hb_name_list {
    char text[HB_NAME_LIST_TEXT]; /* "a, b and 3 more" */
    size_t named;                 /* bytes of the names in it */
    uint32_t more;                /* names that it has no room for; none is named behind the first of them */
} hb_name_list;

/* Adds a name, which has no comma. */
void hb_name_list_add(hb_name_list *list, const char *name);
/* Adds all names of another list. */
void hb_name_list_join(hb_name_list *list, const hb_name_list *other);

#endif
