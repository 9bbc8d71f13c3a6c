/* A job that answers a question: its phases, each in a file, and the state that they share. */
#ifndef HB_ASK_JOB_H
#define HB_ASK_JOB_H

#include <jansson.h>
#include <stdio.h>

#include "batch/cells/table_options.h"
#include "phase.h"
#include "question.h"

/* The end of the name of a file beside a dataset in the folder of a job, which says of what it was made. */
#define HB_ASKED_FROM ".from.json"

/* The files that stay in the folder of a job at its end. */
typedef enum hb_asked_stay {
    HB_ASKED_STAY_ALL,
    HB_ASKED_STAY_TABLES, /* keys and encrypted tables, which the next question uses */
    HB_ASKED_STAY_NONE    /* files that were there before */
} hb_asked_stay;

typedef struct hb_ask_options {
    const char *question;
    char *const *tables; /* [table_count] FILE, or NAME=FILE of each */
    size_t table_count;
    const char *dir;  /* where keys, encrypted tables and answers stay */
    const char *keys; /* a folder of keys to use; NULL: one of `dir`, or a new one */
    const char *out;  /* file of the answer; NULL: stdout */
    uint64_t ranks;
    bool dry_run; /* prints the commands alone */
    hb_asked_stay stay;
    bool rows_match;   /* rows of several tables that pair by their place belong together */
    bool seal;         /* new keys: the secret one is sealed by a passphrase */
    const char *range; /* a list of ranges, of columns of the lone table without its name; NULL: none */
    const char *scheme;
    hb_table_words table;
    const hb_option *search; /* [searches] options that go to params suggest as they are */
    size_t searches;
} hb_ask_options;

/* Texts of options without the tables in front of columns. */
typedef struct hb_asked_texts {
    char **text; /* [count]; owned */
    size_t count;
} hb_asked_texts;
static inline void hb_asked_texts_clear(hb_asked_texts *kept)
{
    for (size_t i = 0; i < kept->count; i++) {
        free(kept->text[i]);
    }
    free(kept->text);
    *kept = (hb_asked_texts){.count = 0};
}
/* unqualify.c: has options name columns alone, kg, where they name them with their table, h.kg. The texts live in
 * `kept`, which the caller clears, also after a failure. HB_EUSAGE for a column that its table lacks, and for one that
 * another table has as well, as options hold for all tables; HB_ENOMEM; failures of hb_table_survey. */
hb_status hb_asked_unqualify(hb_ask_options *options, hb_asked_texts *kept);

/* The options for reading the tables: as given, and completed for the columns that the question reads. */
typedef struct hb_asked_reading {
    hb_table_words said, words;
    char *scale, *missing, *na, *percent, *times, *decimal; /* of `words`; owned, as are ... */
    char *category[HB_TEXTS_MOST];                          /* ... these, the first `categories` */
    uint32_t categories;
} hb_asked_reading;

static inline void hb_asked_reading_clear(hb_asked_reading *reading)
{
    free(reading->scale);
    free(reading->missing);
    free(reading->na);
    free(reading->percent);
    free(reading->times);
    free(reading->decimal);
    for (uint32_t i = 0; i < reading->categories; i++) {
        free(reading->category[i]);
    }
}

/* The options for surveying tables: the given ones without --missing, --columns and --digits. */
static inline hb_table_words hb_asked_survey_words(const hb_table_words *said)
{
    hb_table_words words = *said;
    words.missing = words.columns = NULL;
    words.digits.count = 0;
    return words;
}

/* The words of one command, from hebatch on, and where it leaves its output. */
typedef struct hb_asked_command {
    hb_words words;
    char *name;        /* of the table or the result in expressions; NULL for keygen and eval. Owned */
    char *output;      /* owned */
    json_t *precision; /* of an approximate result: the bits "proven" and "expected", numbers or null; owned */
    bool parts;        /* they are those of sums and counts, of which decrypt makes the result */
    double divisor;    /* what decrypt says of totals holds of the result divided by this; 1: as it is */
    double gap;        /* rows whose value is within it of a threshold of a comparison are not decided; 0: all are */
} hb_asked_command;

/* The places of words:
 * hebatch encrypt --key KEY TABLE OUT ..
 * hebatch decrypt --key KEY FROM TO ..
 * hebatch eval --keys KEYS EXPRESSION NAME=PATH .. */
enum {
    HB_WORD_KEY = 3,
    HB_ENCRYPT_TABLE,
    HB_ENCRYPT_OUT,
    HB_DECRYPT_FROM = HB_ENCRYPT_TABLE,
    HB_DECRYPT_TO,
    HB_EVAL_FIRST = 5
};

/* Names in the folder of a job are tried with nothing behind them, then with -2, -3 and on: writes the i-th, from 1. */
enum { HB_ASKED_NUMBER = 16, HB_ASKED_MOST_NUMBER = 10000 };
static inline const char *hb_asked_number(int i, char room[HB_ASKED_NUMBER])
{
    room[0] = '\0';
    if (i > 1) {
        snprintf(room, HB_ASKED_NUMBER, "-%d", i);
    }
    return room;
}

typedef struct hb_asked_plan {
    json_t *suggested; /* the document of params suggest --json; owned */
    hb_asked_command keygen, eval;
    hb_asked_command *encrypt, *decrypt; /* [encrypts], [decrypts]; owned */
    uint32_t encrypts, decrypts;
} hb_asked_plan;

static inline void hb_asked_command_clear(hb_asked_command *command)
{
    hb_words_clear(&command->words);
    free(command->name);
    free(command->output);
    json_decref(command->precision);
}
static inline void hb_asked_plan_clear(hb_asked_plan *plan)
{
    json_decref(plan->suggested);
    hb_asked_command_clear(&plan->keygen);
    hb_asked_command_clear(&plan->eval);
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        hb_asked_command_clear(&plan->encrypt[i]);
    }
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        hb_asked_command_clear(&plan->decrypt[i]);
    }
    free(plan->encrypt);
    free(plan->decrypt);
}

/* Seconds that phases took. */
typedef struct hb_asked_times {
    double search, keys, encrypt, eval, decrypt;
} hb_asked_times;

typedef struct hb_asked_job {
    const hb_group *group;
    const hb_common *common;
    const hb_ask_options *options;
    hb_phases phases;
    hb_question question;
    hb_asked_reading reading;
    hb_asked_plan plan;
    int folder; /* `dir` with its lock; -1: it is not there yet, or nothing is made in it */
    bool made;  /* by this job */
    bool reals;
    bool keys_there;    /* keys of an earlier question are used */
    uint64_t key_files; /* in the folder of keys before this job made some */
    bool keys_left;     /* at the end this job leaves keys that it made */
    bool sealed;        /* the secret key is sealed by a passphrase */
    char key_id[64];    /* of the keys; "": they are not made yet */
    json_t **origin;    /* [encrypts] the sources of the datasets; owned, as are ... */
    char **dataset;     /* ... their paths, and ... */
    bool *there;        /* ... whether they are there already */
    hb_asked_times times;
    struct {
        double keys, tables; /* of their files, if they were made anew */
    } bytes;
} hb_asked_job;

/* folder.c: takes the lock of the folder, if it is there: two questions would choose the same names in it. `make`:
 * makes the folder first, which only its owner may enter, unless the job has it. HB_ECREATE where another question has
 * it, and where another made it after names were chosen. */
hb_status hb_asked_take_folder(hb_asked_job *job, bool make);
/* Removes what an ended command left of a dataset, DATASET.partial. Returns whether the name is free: no running
 * command is writing it. The last error stays. */
bool hb_asked_discard(const char *dataset);
/* Counts the files in a folder; 0: there is none. */
uint64_t hb_asked_count_files(const char *folder);
/* leave.c: removes at the end of a job, which came to status `st`, what --leave does not name of what the job has made;
 * after a failure also what is half done. Earlier files stay: other questions, and datasets elsewhere, may
 * need those keys. Warns where something cannot be removed. Says how the job ended, what stays, and the commands that
 * do the same; a failure says what the job has left. Returns `st`. */
hb_status hb_asked_leave(hb_asked_job *job, hb_status st);
/* reading.c: finds the words that say how to read the columns which the question reads: the words of the options, and
 * others by the kinds of the cells; decimals of reals need none. HB_EDATA for a column that no reading takes, for
 * tables that need different options, as options hold for all of them; HB_ENOMEM; failures of hb_table_survey. */
hb_status hb_asked_find_reading(hb_asked_reading *reading, const hb_question *q, bool reals);
/* forms.c: takes the sign in front of fractions and the order of dates that surveys found into reading->words. HB_EDATA
 * where another table, or another column, would be read in another way by them, or by the texts that mean missing
 * cells, as options hold for all; HB_ENOMEM; failures of hb_table_survey. */
hb_status hb_asked_take_forms(hb_asked_reading *reading, const hb_question *q);
/* unread.c: refuses options, as `said`, and ranges, NULL or a list, about columns that the question does not read: they
 * would have no effect, and ranges read the column. One of --missing COLUMN=drop is read for its missing cells.
 * HB_EUSAGE. */
hb_status hb_asked_refuse_unread(const hb_question *q, const hb_reading *said, const char *ranges);
/* Says which options have had no effect on the columns that the question reads (without_effect.h). HB_ENOMEM. */
hb_status hb_asked_say_without_effect(const hb_asked_job *job);
/* joins.c: refuses a table that the question does not read, which q->unread and q->join say as well, and a lookup in a
 * table of more than two columns that does not say which one is the value. HB_EUSAGE, HB_ENOMEM. */
hb_status hb_asked_check_joins(hb_question *q);
/* pairs.c: refuses a question that puts rows of two tables beside each other. HB_EUSAGE, HB_ENOMEM. */
hb_status hb_asked_refuse_pairs(const hb_question *q);
/* labels.c: looks at the labels of all tables. It says which labels look alike, and which label means a missing cell
 * among numbers. It counts the cells that are folded into other spellings, and says how many they are. HB_EDATA for
 * texts of so many kinds that they are no categories, which their labels would make PUBLIC, and for a question for the
 * missing cells of a column whose labels may mean such cells; failures of hb_table_open_as. */
hb_status hb_asked_look_at_labels(hb_asked_job *job);
/* keys.c: finds keys of the plan's parameters that are there, or a name for new ones, and all other places; asks for
 * the passphrase of a sealed key; says how long the job takes, and how large its files become. HB_ENOINPUT for keys
 * that the user named and that lack some; HB_EIO for a disk without room; failures of hb_asked_place and of the
 * commands that look. */
hb_status hb_asked_find_keys(hb_asked_job *job);
/* Phase 2: makes the keys that are not there. */
hb_status hb_asked_make_keys(hb_asked_job *job);
/* precision.c: says which results are approximate, and how exact they will be, or are. */
void hb_asked_say_precision(const hb_asked_job *job);
/* said.c: says the commands of owner and server; `results`: prints them for a shell, but those of datasets that are
 * there. */
void hb_asked_say_commands(const hb_asked_job *job, bool results);
/* Reads a question and finds its parameters: *suggested, owned, is the document of params suggest. title: of the phase;
 * NULL: it is no phase, and nothing is said. Errors as of hb_asked_search. */
typedef hb_status hb_asked_attempt(hb_asked_job *job, const char *title, char **suggested);
/* apart.c: writes the aggregates that a question computes with as results of their own; *text, owned, is NULL where it
 * computes with none. said: the words of the user. HB_ENOMEM. */
hb_status hb_asked_take_apart(const hb_question *q, const char *said, char **text);
/* propose.c: adds to the reason why a question cannot be read or computed, of status `st`, the nearest one that can be,
 * which it tries; where that one cannot be computed either, the reason of that. Returns `st`, or HB_ENOMEM. */
hb_status hb_asked_propose(const hb_asked_job *job, const hb_reading *reading, hb_asked_attempt *attempt, hb_status st);
/* unfilled.c: names the columns without a filled cell that the question reads, where it can be computed with them as
 * dates, or compares one with a text. *named: the reason has their names. Returns the status of the refusal, `st`. */
hb_status hb_asked_name_unfilled(const hb_asked_job *job, hb_asked_attempt *attempt, hb_status st, bool *named);
/* Phase 1: reads the question, finds how to read the tables, and makes the plan, without its places: texts are read as
 * categories, decimals by a scale (not for reals), and columns with missing cells get a mask. HB_EDATA for a column
 * that no reading takes, and for texts of so many kinds that they are no categories, which their labels would make
 * PUBLIC; failures of hb_question_read and of params suggest. */
hb_status hb_asked_search(hb_asked_job *job);
/* plan.c: takes the output of params suggest --json, with its commands. HB_EINTERNAL where it is none; HB_ENOMEM. */
hb_status hb_asked_plan_make(hb_asked_plan *plan, const char *suggested, const hb_question *question);
/* expensive.c: looks for a way to ask for the same, or for wider groups, that costs less, with columns that --derive
 * makes, and tries it. Where the question can be computed (st: HB_OK) it says which conditions or groups are expensive,
 * and that way; else adds it to the reason of the refusal `st`. *offered: there is one. Returns `st`. */
hb_status hb_asked_offer(const hb_asked_job *job, hb_asked_attempt *attempt, hb_status st, bool *offered);
/* Finds which encrypted tables are there, made from the same bytes with the same options under the same key, and names
 * for the others and for the results; puts all places into the commands. HB_ENOINPUT, HB_EIO, HB_ENOMEM. */
hb_status hb_asked_place(hb_asked_job *job, const char *keys);
/* Phase 3: encrypts the tables that are not there yet. */
hb_status hb_asked_encrypt(hb_asked_job *job);
/* Phase 5: decrypts the results, and prints them. */
hb_status hb_asked_answer(hb_asked_job *job);

#endif
