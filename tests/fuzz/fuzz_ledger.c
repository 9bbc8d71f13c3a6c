/* Ledgers of parts: of any bytes, or, by bit 0 of the first byte, with a right head and records of few ciphertexts.
 * Parts are then recorded as the rest of the input says. A ledger is refused, or remembers: a part that was recorded is
 * recorded, once; a ciphertext with two requests, and one that is too many, leave the file as it was. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/joint/ledger.h"

enum { MOST = 8, CIPHERTEXTS = 16, REQUESTS = 3 };

static char path[64];
static const uint8_t session[HB_DIGEST_BYTES] = {1, 2, 3};

static void must(int condition)
{
    if (!condition) {
        fprintf(stderr, "fuzz_ledger: a ledger does not remember\n");
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    snprintf(path, sizeof path, "/dev/shm/fuzz-ledger-%d", (int)getpid());
    return 0;
}

static hb_ledger_record record_of(uint8_t choice)
{
    return (hb_ledger_record){.c1 = {(uint8_t)(choice % CIPHERTEXTS)},
                              .context = {(uint8_t)(choice / CIPHERTEXTS % REQUESTS)}};
}

/* Writes the file; returns whether it has the head of a ledger of the session. */
static int write_file(fuzz_input *in, int right)
{
    uint8_t head[64] = "HEBL1";
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0);
    memcpy(head + 32, session, sizeof session);
    if (right) {
        must(write(fd, head, sizeof head) == sizeof head);
        for (uint8_t count = fuzz_byte(in) % 32; count > 0; count--) {
            const hb_ledger_record record = record_of(fuzz_byte(in));
            must(write(fd, &record, sizeof record) == sizeof record);
        }
    }
    const size_t tail = in->size < 256 ? in->size / 2 : 128; /* which may end within a record */
    must(write(fd, in->data, tail) == (ssize_t)tail);
    right = right || (tail >= sizeof head && memcmp(in->data, head, sizeof head) == 0);
    in->data += tail;
    in->size -= tail;
    close(fd);
    return right;
}

static off_t length(void)
{
    struct stat info;
    must(stat(path, &info) == 0);
    return info.st_size;
}

static void record(hb_ledger *ledger, fuzz_input *in, uint64_t results)
{
    hb_ledger_record records[MOST], other;
    const size_t count = 1 + fuzz_byte(in) % MOST;
    const uint64_t before = hb_ledger_count(ledger);
    for (size_t i = 0; i < count; i++) {
        records[i] = record_of(fuzz_byte(in));
    }
    const off_t bytes = length();
    if (hb_ledger_add_parts(ledger, records, count, 0) != HB_OK) {
        must(hb_ledger_count(ledger) == before && length() == bytes);
        return;
    }
    const uint64_t after = hb_ledger_count(ledger);
    must(hb_ledger_sync(ledger) == HB_OK);
    must(after >= before && after <= before + count && (after == before || after <= results));
    must(length() == 64 + (off_t)after * 64 || after == before);
    must(hb_ledger_add_parts(ledger, records, count, 0) == HB_OK && hb_ledger_count(ledger) == after);
    other = records[count - 1];
    other.context[0] = (uint8_t)(other.context[0] + 1);
    must(hb_ledger_add_parts(ledger, &other, 1, 0) == HB_EDATA && hb_ledger_count(ledger) == after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const uint8_t choice = fuzz_byte(&in);
    const uint64_t results = choice / 2 % 32;
    const int right = write_file(&in, choice % 2);
    hb_ledger *ledger;
    const hb_status st = hb_ledger_open(path, session, results, &ledger);
    must(right || st != HB_OK);
    if (st == HB_OK) {
        while (in.size > 0) {
            record(ledger, &in, results);
        }
        const uint64_t count = hb_ledger_count(ledger);
        hb_ledger_close(ledger);
        must(hb_ledger_open(path, session, results, &ledger) == HB_OK && hb_ledger_count(ledger) >= count);
        hb_ledger_close(ledger);
    }
    unlink(path);
    return 0;
}
