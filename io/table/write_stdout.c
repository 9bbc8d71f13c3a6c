/* CSV to standard output: words wait in memory that has no name and touches no disk, and become text once all of them
 * are there. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/seed.h"
#include "table_private.h"

bool hb_table_is_stdout(const char *name)
{
    return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0;
}

static hb_status stdout_make(const hb_table_writer *writer, bool fresh, int *fd)
{
    (void)fresh;
    *fd = memfd_create("hebatch table", MFD_CLOEXEC);
    return *fd >= 0 ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for its cells: %s", writer->file, strerror(errno));
}

static hb_status stdout_locate(hb_table_writer *writer)
{
    writer->offset = 0;
    return HB_OK;
}

static hb_status stdout_finish(hb_table_writer *writer, const char **finished)
{
    char text[BUFSIZ]; /* ours, to be wiped */
    *finished = writer->partial;
    /* Another stream on the same descriptor: what was printed before comes first. */
    const int fd = fflush(stdout) == 0 ? dup(STDOUT_FILENO) : -1;
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return HB_FAIL(HB_EIO, "cannot write to standard output: %s", strerror(errno));
    }
    (void)setvbuf(out, text, _IOFBF, sizeof text);
    hb_status st = hb_table_put_csv(out, writer);
    errno = 0;
    if (st == HB_OK && (fflush(out) != 0 || ferror(out))) {
        st = HB_FAIL(HB_EIO, "cannot write to standard output: %s",
                     errno != 0 ? strerror(errno) : "an earlier write failed");
    }
    if (fclose(out) != 0 && st == HB_OK) {
        st = HB_FAIL(HB_EIO, "cannot write to standard output: %s", strerror(errno));
    }
    hb_wipe(text, sizeof text);
    return st;
}

const hb_table_writer_ops hb_table_writer_stdout = {
    .make = stdout_make, .locate = stdout_locate, .finish = stdout_finish};
