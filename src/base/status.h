/* Status codes, the text of the first cause, and the two propagation macros.
 *
 * A status IS the exit code of the program (sysexits where one fits), so nothing has to be translated at the top.
 * Rules: a function that fails leaves each of its outputs unchanged or cleared; libraries never print, exit or
 * abort. There is one text a thread, that of the last failure: who goes on to clean up with calls that may fail keeps
 * the cause aside (hb_last_error) and puts it back (hb_set_error). Broken invariants are HB_ASSERT, never a status; bad
 * input is always a status. */
#ifndef HB_BASE_STATUS_H
#define HB_BASE_STATUS_H

#include <stddef.h>

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

/* hb_error holds the text of one failure: "what and where" for the user, file:line for the developer. */
typedef struct hb_error {
    char text[512];
    char where[64];
} hb_error;

/* Records the cause for this thread, replacing any older one, and returns `code`. Use through HB_FAIL. */
hb_status hb_fail(hb_status code, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5), warn_unused_result));

/* The cause last recorded by this thread; never NULL, empty text if none. Valid until the next failure here. */
const hb_error *hb_last_error(void);

/* Makes *error the cause of this thread: carries a failure from a worker thread or from another rank. */
void hb_set_error(const hb_error *error);

/* Forgets this thread's cause, after a failure that was expected and handled. */
void hb_clear_error(void);

/* Ends the process after printing the broken invariant. */
void hb_broken_invariant(const char *file, int line, const char *condition) __attribute__((noreturn));

#define HB_FAIL(code, ...) hb_fail((code), __FILE__, __LINE__, __VA_ARGS__)

/* Return the status of `call` unless it is HB_OK. */
#define HB_TRY(call)                      \
    do {                                  \
        hb_status hb_try_status = (call); \
        if (hb_try_status != HB_OK) {     \
            return hb_try_status;         \
        }                                 \
    } while (0)

/* Store the status of `call` in the local `st` and go to the local label `done` unless it is HB_OK. */
#define HB_GOTO(call)      \
    do {                   \
        st = (call);       \
        if (st != HB_OK) { \
            goto done;     \
        }                  \
    } while (0)

#define HB_ASSERT(condition) ((condition) ? (void)0 : hb_broken_invariant(__FILE__, __LINE__, #condition))

#endif
