/* Status codes, the text of the first cause, and the two macros that pass a status on.
 *
 * A status IS the exit code of the program (the numbers of sysexits.h where one fits), so nothing is translated at the
 * top. A function that fails leaves each of its outputs unchanged or cleared. Libraries never print, exit or abort.
 * Each thread has one text, that of its last failure. A caller whose cleanup may itself fail therefore saves the cause
 * first (hb_last_error) and restores it afterwards (hb_set_error). Broken invariants are HB_ASSERT, never a status; bad
 * input is always a status. */
#ifndef HB_BASE_STATUS_H
#define HB_BASE_STATUS_H

#include <stddef.h>
#include <stdint.h>

/* The result of a call. The numbers are exit codes; scripts may rely on them. */
typedef enum hb_status {
    HB_OK = 0,
    HB_DIFFERS = 1,       /* a comparison was made and found a difference */
    HB_EUSAGE = 64,       /* the command line is wrong */
    HB_EDATA = 65,        /* input is there but wrong: range, checksum, parameters, key */
    HB_ENOINPUT = 66,     /* input does not exist or cannot be opened */
    HB_EUNAVAILABLE = 69, /* no usable device or service */
    HB_EINTERNAL = 70,    /* a self-test failed */
    HB_ENOMEM = 71,       /* out of host or device memory, or another system resource */
    HB_ECREATE = 73,      /* output exists or cannot be created */
    HB_EIO = 74,          /* reading or writing failed midway */
    HB_ESTOPPED = 75,     /* stopped early on request */
    HB_ECOMM = 76,        /* ranks cannot talk to each other */
    HB_EPERM = 77,        /* file permissions: a secret key that others can read */
    HB_ECONFIG = 78,      /* insecure or impossible parameters, launcher mismatch */
    HB_EPEER = 128        /* another rank failed or stopped first; never an exit code: the agreement has its reason */
} hb_status;

/* The kind of advice at the end of a text, for callers that have a better one. */
typedef enum hb_advice {
    HB_ADVICE_NONE,
    HB_ADVICE_INSTEAD, /* to write it in another way */
    HB_ADVICE_DERIVE,  /* to make a column before encryption */
    HB_ADVICE_REALS,   /* to take parameters of reals */
    HB_ADVICE_MASK,    /* to store which cells are missing */
    HB_ADVICE_APART,   /* to compute with decrypted numbers */
    HB_ADVICE_FEWER    /* to ask about fewer values */
} hb_advice;

/* An hb_error holds the text of one failure: "what and where" for the user, file:line for the developer. Both texts end
 * with a zero byte and are cut where they are too long. The text has a reason and may have advice behind it. It has no
 * pointers, so it can be sent to another rank as bytes. */
typedef struct hb_error {
    char text[768];
    char where[64];
    uint32_t reason; /* bytes of the reason, where there is advice */
    hb_advice advice;
} hb_error;

/* Records the cause for this thread, replacing any older one, and returns `code`. Called through HB_FAIL. The arguments
 * may point into the text of the cause that is replaced. */
hb_status hb_fail(hb_status code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), warn_unused_result));

/* Puts advice behind the text of the cause, as in hb_advise(HB_FAIL(...), HB_ADVICE_INSTEAD, ": use %s", name), and
 * returns `code`. */
hb_status hb_advise(hb_status code, hb_advice advice, const char *format, ...)
    __attribute__((format(printf, 3, 4), warn_unused_result));

/* Returns the cause that this thread recorded last. It is never NULL; its text is empty if there was no failure. The
 * pointer stays valid for the life of the thread, its contents until the thread's next failure. */
const hb_error *hb_last_error(void);

/* Makes *error the cause of this thread. It carries a failure over from a worker thread or from another rank. */
void hb_set_error(const hb_error *error);

/* Forgets this thread's cause, after a failure that was expected and handled. */
void hb_clear_error(void);

/* Prints the broken invariant to stderr and aborts the process. Called through HB_ASSERT. */
void hb_broken_invariant(const char *file, int line, const char *condition) __attribute__((noreturn));

/* Records a failure with a printf text and the place of this line; its value is the status to return. */
#define HB_FAIL(code, ...) hb_fail((code), __FILE__, __LINE__, __VA_ARGS__)

/* Returns from the calling function with the status of `call` unless that is HB_OK. */
#define HB_TRY(call)                      \
    do {                                  \
        hb_status hb_try_status = (call); \
        if (hb_try_status != HB_OK) {     \
            return hb_try_status;         \
        }                                 \
    } while (0)

/* Stores the status of `call` in the local `st` and goes to the local label `done` unless it is HB_OK. */
#define HB_GOTO(call)      \
    do {                   \
        st = (call);       \
        if (st != HB_OK) { \
            goto done;     \
        }                  \
    } while (0)

/* Checks an invariant of the program itself, in every build. A condition that input can break is a status instead. */
#define HB_ASSERT(condition) ((condition) ? (void)0 : hb_broken_invariant(__FILE__, __LINE__, #condition))

#endif
