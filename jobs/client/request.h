/* The messages between a process that hands a job over and one that serves, on a local stream socket, and between the
 * ranks of the latter. A request is a head of fixed size, which brings descriptors, and its texts; answers have one
 * size; a byte is a signal. Both ends are programs of one build, which the head says first: the version, and the
 * identity that the linker gave to hebatch, in hexadecimal digits (hb_build_id; a program that only hands jobs over has
 * that of the hebatch it was built with). Whatever comes is checked before it is used. Rank-local. */
#ifndef HB_CLIENT_REQUEST_H
#define HB_CLIENT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The descriptors of a job: stdin, stdout, stderr, and its working directory. */
enum { HB_REQUEST_DIRECTORY = 3, HB_REQUEST_DESCRIPTORS = 4 };
/* The most bytes of the texts of a request: Linux has less room for those of a process. */
enum { HB_REQUEST_MOST_BYTES = 16 << 20 };

typedef enum hb_request_kind { HB_REQUEST_JOB = 1, HB_REQUEST_STOP } hb_request_kind;

#define HB_REQUEST_BUILD 160
typedef struct hb_request_head {
    char magic[8];
    char build[HB_REQUEST_BUILD]; /* of the program that sends it, with a zero byte at the end */
    uint32_t kind;                /* hb_request_kind */
    uint32_t words, variables;    /* texts: of the command line, which begins with the program; of the environment */
    uint32_t mask;                /* umask of the process that sends it */
    uint64_t bytes;               /* of all texts, each with a zero byte at its end */
    double began;                 /* of that process, by hb_now */
} hb_request_head;

/* A request. Zeroed: none. */
typedef struct hb_request {
    hb_request_head head;
    char *texts; /* [head.bytes] */
    char **word; /* [words] and NULL, [variables] and NULL; point into `texts` */
    char **variable;
    int fd[HB_REQUEST_DESCRIPTORS]; /* -1: closed */
} hb_request;

/* Makes a request of this build: words and variables end with NULL and are copied; descriptors are all -1. HB_ENOMEM;
 * HB_EUSAGE for more than HB_REQUEST_MOST_BYTES. The caller clears it. */
hb_status hb_request_make(hb_request *request, hb_request_kind kind, const char *build_id, char **words,
                          char **variables);
/* Checks a head that has come: HB_ECONFIG for a job of another build; HB_EDATA for all else that no program of ours
 * sends. */
hb_status hb_request_check(const hb_request_head *head, const char *build_id);
/* Finds the texts in request->texts, which has head.bytes bytes from elsewhere: exactly as many as the head says, the
 * last with its end. HB_EDATA, HB_ENOMEM. */
hb_status hb_request_find_texts(hb_request *request);
/* Closes descriptors and frees texts. */
void hb_request_clear(hb_request *request);

/* Sends a request with its descriptors, if they are open. Borrows it. HB_EPEER where the other end is gone. */
hb_status hb_request_send(int socket, const hb_request *request);
/* Receives one, within `seconds` (negative: however long it takes), and checks it. Statuses of the checks; HB_EPEER
 * where the other end is gone, sends only a part, or takes too long. The caller clears it, also after a failure. */
hb_status hb_request_receive(int socket, double seconds, const char *build_id, hb_request *request);

/* An answer to a request. */
typedef enum hb_answer_kind { HB_ANSWER_BEGUN = 1, HB_ANSWER_ENDED, HB_ANSWER_REFUSED } hb_answer_kind;
typedef struct hb_answer {
    uint32_t kind; /* hb_answer_kind */
    int32_t code;  /* ended: the exit code of the job; refused: why */
    hb_error error;
} hb_answer;
/* Sends an answer, without waiting for a reader that does not read. HB_EPEER. */
hb_status hb_answer_send(int socket, hb_answer_kind kind, hb_status code, const hb_error *error);
/* Checks an answer that has come: its kind, its code, the ends of its texts. HB_EDATA. */
hb_status hb_answer_check(const hb_answer *answer);
/* Receives the next bytes of an answer that comes, *held of it being there. Returns HB_OK also where it is not complete
 * yet; HB_EPEER at the end of the stream; HB_EDATA. */
hb_status hb_answer_receive(int socket, hb_answer *answer, size_t *held);

/* Returns whether it is a signal that a client passes on: one of requests to stop, or to report progress. */
bool hb_signal_is_passed(int signal_number);

#endif
