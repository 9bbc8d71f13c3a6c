/* Datasets whose packed rows stay on the engine from one job to the next, as they were checked, within a budget of
 * bytes. A dataset stays with all units that this rank computes with, or not at all. It is known by a key of its
 * contents and its files. Where another one needs room, the one goes first that no job has used for longest.
 *
 * A job says which datasets it uses (hb_residents_use), makes room for the units that are not there
 * (hb_residents_room), fills these as it checks them, in any thread, and settles all when it has ended well: only then
 * may a later job go by them. So nothing comes to be there while a job runs, and members that share limbs, who exchange
 * as they check units, can check the same ones. Rank-local: the caller sees to it that they do. */
#ifndef HB_BATCH_UNIT_RESIDENT_UNITS_H
#define HB_BATCH_UNIT_RESIDENT_UNITS_H

#include <stdatomic.h>

#include "io/dataset/dataset.h"
#include "ring/engine.h"

/* By what a dataset is known: a digest of its contents and its files. */
typedef struct hb_resident_key {
    uint8_t digest[HB_DIGEST_BYTES];
} hb_resident_key;

/* A unit: there is no room for it, or room; a job fills this room; it is there for later jobs. */
typedef enum hb_resident_state { HB_UNIT_ABSENT, HB_UNIT_ROOM, HB_UNIT_FILLED, HB_UNIT_THERE } hb_resident_state;
typedef struct hb_resident_unit {
    atomic_int state; /* hb_resident_state */
    uint8_t *packed;  /* of the engine, for header->unit ciphertexts (unit_rows.h) */
    hb_seed *seeds;   /* [header->unit] where the dataset is seeded, else NULL; host */
} hb_resident_unit;

/* The units of one dataset. */
typedef struct hb_resident_units {
    hb_resident_key key;
    hb_resident_unit *unit; /* [units] */
    uint64_t units, bytes;  /* bytes: as its units count (hb_resident_need.each) */
    uint64_t used;          /* the last job that used it, by its number */
    bool goes;              /* when the job ends: other members that share its limbs have other units of it */
    void **piece;           /* [pieces] memory of the engine, in which units are */
    hb_seed **seeds;        /* [pieces] of the units of a piece; NULL: none */
    size_t pieces;
} hb_resident_units;

/* All of them. Zeroed: none, with no budget. */
typedef struct hb_residents {
    hb_engine *engine;      /* on which they are; borrowed; NULL: none is there */
    hb_resident_units **of; /* [count] owned */
    size_t count;
    uint64_t bytes, most;    /* of all; the budget */
    uint64_t job;            /* number of the job that runs, or ran last */
    uint64_t found, missing; /* bytes of units that jobs found, and that they had to read, so far */
} hb_residents;

/* A job's need of a dataset. */
typedef struct hb_resident_need {
    hb_resident_key key;
    const bool *wanted; /* [units] whether this rank computes with the unit */
    uint64_t units;     /* of the dataset */
    uint64_t bytes;     /* of this engine, of the packed rows of a unit */
    uint64_t seeds;     /* of a unit; 0: it is not seeded */
    uint64_t each;      /* bytes that a unit counts with: with its seeds, where most of its limbs are */
} hb_resident_need;

/* Begins another job. No work on what is there may be under way, here and below. */
void hb_residents_begin(hb_residents *all);
/* Notes that the job uses the dataset with this key, if it is there: others go before it. */
void hb_residents_use(hb_residents *all, const hb_resident_key *key);
/* Sets the budget; what is beyond it goes: others than those of the job first. Nothing of the job's is borrowed yet. */
void hb_residents_bound(hb_residents *all, uint64_t most);
/* Makes room on the engine for the wanted units that have none; datasets that the job does not use go for it. Where
 * they do not fit into the budget beside those of the job, or into the memory that there is, only the units that are
 * there stay. Returns the dataset, borrowed until the job ends; NULL: nothing of it is there. */
hb_resident_units *hb_residents_room(hb_residents *all, hb_engine *engine, const hb_resident_need *need);
/* In any thread; `of` may be NULL. Returns unit u where it is there for this job; NULL: it is not. */
const hb_resident_unit *hb_resident_there(const hb_resident_units *of, uint64_t u);
/* In any thread; `of` may be NULL. Returns the room for unit u, which the caller fills, and nobody else; NULL: there is
 * none. */
hb_resident_unit *hb_resident_claim(hb_resident_units *of, uint64_t u);
/* Ends a job that has done well: what it filled is there from now on. A dataset that it did not fill whole goes, and
 * one that members differ in. */
void hb_residents_settle(hb_residents *all);
/* Frees all, before the engine closes; a zeroed struct is allowed. The counts stay. */
void hb_residents_clear(hb_residents *all);

#endif
