/* Places of a question where a column that --derive makes costs less. Rank-local. */
#ifndef HB_ASK_EXPENSIVE_PLACES_H
#define HB_ASK_EXPENSIVE_PLACES_H

#include "job.h"
#include "lang/text/syntax.h"

/* A place of the question that a column replaces which --derive makes. */
enum { HB_ASKED_PLACES = 16 };
#define HB_ASKED_HERE "\1"
typedef struct hb_asked_place_made {
    uint32_t from, to; /* of q->text */
    char *table;       /* as q->text has it; owned, as is ... */
    char *rule;        /* ... behind NAME= in --derive; HB_ASKED_HERE stands for the column that is made by ... */
    char *inner;       /* ... this rule; NULL: it needs none */
    bool left;         /* it stays as it is */
} hb_asked_place_made;

typedef struct hb_asked_places {
    hb_asked_place_made place[HB_ASKED_PLACES];
    uint32_t places;
} hb_asked_places;

static inline void hb_asked_places_clear(hb_asked_places *c)
{
    for (uint32_t i = 0; i < c->places; i++) {
        free(c->place[i].table);
        free(c->place[i].rule);
        free(c->place[i].inner);
    }
    c->places = 0;
}

typedef enum hb_asked_way {
    HB_ASKED_COMPARISONS, /* of columns, and of differences of two, with constants */
    HB_ASKED_MADE,        /* groups of differences, and histograms with bins */
    HB_ASKED_WIDE_KEYS,   /* groups and histograms of numbers with a wide range */
    HB_ASKED_WAYS
} hb_asked_way;

/* Adds the places of one way, in their order. The caller clears *c, also after a failure. HB_ENOMEM; failures of
 * hb_table_open_as. */
hb_status hb_asked_find_places(const hb_asked_job *job, const hb_syntax *s, hb_asked_way way, hb_asked_places *c);

#endif
