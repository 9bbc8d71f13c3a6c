#include "text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/seed.h"
#include "io/files/durable.h"

enum { INPUT = 1 << 16, SKIPPED = 1 << 16, MOST_PLACES = 256, RECENT = 4, GZIP_ONLY = 16 };
static const uint64_t first_span = (uint64_t)1 << 20;

/* The state of a decompression at a place of the text. It stays where it is in memory, which zlib asks for. */
typedef struct place {
    z_stream z;
    uint64_t text, file; /* offsets of the next bytes */
    bool between;        /* a member of the file has ended, and no other begun */
} place;

typedef struct hb_gzip {
    place *now;               /* its next bytes are in `input` */
    place *kept[MOST_PLACES]; /* [count], the first one at the beginning */
    size_t count;
    uint64_t span;         /* of the text, from one that is kept to the next; doubles when there are too many */
    place *recent[RECENT]; /* from which the text did not go on: threads read neighbouring rows in any order */
    size_t turn;
    unsigned char input[INPUT];
    char skipped[SKIPPED];
} hb_gzip;

/* Memory that zlib allocates holds text, and is wiped. */
static void *take(void *context, uInt items, uInt size)
{
    (void)context;
    const size_t bytes = (size_t)items * size;
    size_t *block = malloc(bytes + 2 * sizeof(size_t)); /* aligned as malloc's are */
    if (block == NULL) {
        return NULL;
    }
    block[0] = bytes;
    return block + 2;
}

static void give_back(void *context, void *memory)
{
    (void)context;
    size_t *block = (size_t *)memory - 2;
    hb_wipe(memory, block[0]);
    free(block);
}

static void drop(place *of)
{
    if (of != NULL) {
        (void)inflateEnd(&of->z);
        free(of);
    }
}

/* Returns the beginning of a text, or a place like another one; NULL when out of memory. */
static place *new_place(place *like)
{
    place *of = calloc(1, sizeof *of);
    if (of == NULL) {
        return NULL;
    }
    if (like != NULL) {
        *of = *like;
    }
    of->z.zalloc = take;
    of->z.zfree = give_back;
    if ((like == NULL ? inflateInit2(&of->z, GZIP_ONLY + MAX_WBITS) : inflateCopy(&of->z, &like->z)) != Z_OK) {
        free(of);
        return NULL;
    }
    return of;
}

hb_status hb_text_file_init(hb_text_file *text, int fd, uint64_t size, const char *path)
{
    *text = (hb_text_file){.fd = fd, .path = path, .size = size};
    unsigned char magic[2] = {0};
    if (size >= sizeof magic) {
        HB_TRY(hb_read_at(fd, magic, sizeof magic, 0, path));
    }
    if (magic[0] != 0x1f || magic[1] != 0x8b) {
        return HB_OK;
    }
    hb_gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", path);
    }
    gzip->span = first_span;
    text->gzip = gzip;
    gzip->now = new_place(NULL);
    gzip->kept[0] = new_place(NULL);
    if (gzip->now == NULL || gzip->kept[0] == NULL) {
        hb_text_file_clear(text);
        return HB_FAIL(HB_ENOMEM, "%s: no memory to decompress it", path);
    }
    gzip->count = 1;
    return HB_OK;
}

void hb_text_file_clear(hb_text_file *text)
{
    hb_gzip *gzip = text->gzip;
    if (gzip != NULL) {
        drop(gzip->now);
        for (size_t i = 0; i < gzip->count; i++) {
            drop(gzip->kept[i]);
        }
        drop(gzip->count == 0 ? gzip->kept[0] : NULL);
        for (size_t i = 0; i < RECENT; i++) {
            drop(gzip->recent[i]);
        }
        hb_wipe(gzip->skipped, sizeof gzip->skipped);
        free(gzip);
    }
    *text = (hb_text_file){0};
}

/* Reads more of the file where all of it that was read is decompressed; leaves avail_in 0 at its end. */
static hb_status refill(hb_text_file *text)
{
    hb_gzip *gzip = text->gzip;
    place *now = gzip->now;
    const uint64_t left = text->size - now->file;
    if (now->z.avail_in > 0 || left == 0) {
        return HB_OK;
    }
    const size_t some = left < INPUT ? (size_t)left : INPUT;
    HB_TRY(hb_read_at(text->fd, gzip->input, some, now->file, text->path));
    now->z.next_in = gzip->input;
    now->z.avail_in = (uInt)some;
    return HB_OK;
}

/* Behind a member: another one may begin, or zeros fill a block of a tape up to the end. */
static hb_status begin_member(hb_text_file *text, bool *ended)
{
    place *now = text->gzip->now;
    while (now->z.avail_in > 0 && *now->z.next_in == 0) {
        now->z.next_in++;
        now->z.avail_in--;
        now->file++;
        HB_TRY(refill(text));
    }
    *ended = now->z.avail_in == 0;
    if (!*ended && inflateReset(&now->z) != Z_OK) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to decompress it", text->path);
    }
    now->between = *ended;
    return HB_OK;
}

/* Decompresses up to `want` bytes; *got is 0 only at the end of the text. */
static hb_status decompress(hb_text_file *text, char *to, size_t want, size_t *got)
{
    place *now = text->gzip->now;
    bool ended = false;
    *got = 0;
    while (*got == 0) {
        HB_TRY(refill(text));
        if (now->between) {
            HB_TRY(begin_member(text, &ended));
            if (ended) {
                return HB_OK;
            }
        }
        const uInt given = now->z.avail_in;
        now->z.next_out = (unsigned char *)to;
        now->z.avail_out = want < UINT32_MAX ? (uInt)want : UINT32_MAX;
        const uInt room = now->z.avail_out;
        const int end = inflate(&now->z, Z_NO_FLUSH);
        now->file += given - now->z.avail_in;
        *got = room - now->z.avail_out;
        now->text += *got;
        now->between = end == Z_STREAM_END;
        if (end == Z_MEM_ERROR) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory to decompress it", text->path);
        }
        if (end == Z_BUF_ERROR || (end == Z_OK && *got == 0 && now->file == text->size)) {
            return HB_FAIL(HB_EDATA, "%s: ends in the middle of what is compressed: is it whole?", text->path);
        }
        if (end != Z_OK && end != Z_STREAM_END) {
            return HB_FAIL(HB_EDATA, "%s: is damaged at byte %" PRIu64 " of what is compressed", text->path, now->file);
        }
    }
    return HB_OK;
}

/* Remembers the place where the text is now, if the last one is far enough before it; without memory it is not. */
static void keep_place(hb_gzip *gzip)
{
    if (gzip->now->text < gzip->kept[gzip->count - 1]->text + gzip->span) {
        return;
    }
    if (gzip->count == MOST_PLACES) {
        for (size_t i = 0; i < MOST_PLACES / 2; i++) {
            drop(gzip->kept[2 * i + 1]);
            gzip->kept[i] = gzip->kept[2 * i];
        }
        gzip->count /= 2;
        gzip->span *= 2;
        return;
    }
    place *here = new_place(gzip->now);
    if (here != NULL) {
        gzip->kept[gzip->count++] = here;
    }
}

/* Remembers it as one from which another thread may want to go on. */
static void note_place(hb_gzip *gzip)
{
    place **of = &gzip->recent[gzip->turn++ % RECENT];
    drop(*of);
    *of = new_place(gzip->now);
}

static place *nearer(place *a, place *b, uint64_t offset)
{
    return b != NULL && b->text <= offset && b->text > a->text ? b : a;
}

/* Goes to `offset` of the text, or to its end where that comes first. */
static hb_status go_to(hb_text_file *text, uint64_t offset)
{
    hb_gzip *gzip = text->gzip;
    place *best = gzip->kept[0];
    for (size_t i = 0; i < gzip->count; i++) {
        best = nearer(best, gzip->kept[i], offset);
    }
    for (size_t i = 0; i < RECENT; i++) {
        best = nearer(best, gzip->recent[i], offset);
    }
    if (gzip->now->text > offset || gzip->now->text < best->text) {
        place *target = new_place(best);
        if (target == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory to decompress it", text->path);
        }
        note_place(gzip);
        drop(gzip->now);
        gzip->now = target;
        gzip->now->z.avail_in = 0; /* what is in `input` is from elsewhere */
    } else if (offset - gzip->now->text > SKIPPED) {
        note_place(gzip);
    }
    for (size_t got = 1; gzip->now->text < offset && got > 0;) {
        const uint64_t left = offset - gzip->now->text;
        HB_TRY(decompress(text, gzip->skipped, left < SKIPPED ? (size_t)left : SKIPPED, &got));
        keep_place(gzip);
    }
    return HB_OK;
}

static hb_status read_gzip(hb_text_file *text, uint64_t offset, char *to, size_t want, size_t *got)
{
    HB_TRY(go_to(text, offset));
    *got = 0;
    if (text->gzip->now->text != offset) {
        return HB_OK; /* behind the end */
    }
    for (size_t some = 1; *got < want && some > 0; *got += some) {
        HB_TRY(decompress(text, to + *got, want - *got, &some));
        keep_place(text->gzip);
    }
    return HB_OK;
}

hb_status hb_text_file_read(hb_text_file *text, uint64_t offset, char *to, size_t want, size_t *got)
{
    if (text->gzip != NULL) {
        return read_gzip(text, offset, to, want, got);
    }
    const uint64_t left = offset < text->size ? text->size - offset : 0;
    *got = left < want ? (size_t)left : want;
    return *got == 0 ? HB_OK : hb_read_at(text->fd, to, *got, offset, text->path);
}
