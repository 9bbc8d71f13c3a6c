#include "text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/seed.h"
#include "io/files/durable.h"
#include "table/utf8.h"

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

/* Bytes of a piece; of its neighbours that are looked at; of UTF-8 that a byte becomes, at most. */
enum { PIECE = 1 << 16, BESIDE = 2, GROWS = 3 };

/* A text in another encoding, decoded piece by piece: where each piece of the bytes begins in the text is kept. */
typedef struct hb_decoder {
    hb_charset charset;
    hb_utf8_look look; /* at the known pieces */
    uint64_t *start; /* [known + 1]: where piece k begins in the text, and where the last known one ends */
    uint64_t known, room;
    bool ended;       /* all pieces are known */
    uint64_t current; /* the piece in `text`, plus 1; 0: none */
    size_t length;    /* of `text` */
    unsigned char bytes[BESIDE + PIECE + BESIDE];
    char text[GROWS * PIECE];
} hb_decoder;

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

/* Begins to decompress a file that is compressed. */
static hb_status open_gzip(hb_text_file *text)
{
    const char *path = text->path;
    unsigned char magic[2] = {0};
    if (text->size >= sizeof magic) {
        HB_TRY(hb_read_at(text->fd, magic, sizeof magic, 0, path));
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
    if (text->decoder != NULL) {
        free(text->decoder->start);
        hb_wipe(text->decoder, sizeof *text->decoder);
        free(text->decoder);
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
        gzip->now->z.avail_in = 0; /* the bytes in `input` are from elsewhere */
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

/* Reads bytes of the file, decompressed. */
static hb_status read_bytes(hb_text_file *text, uint64_t offset, char *to, size_t want, size_t *got)
{
    if (text->gzip != NULL) {
        return read_gzip(text, offset, to, want, got);
    }
    const uint64_t left = offset < text->size ? text->size - offset : 0;
    *got = left < want ? (size_t)left : want;
    return *got == 0 ? HB_OK : hb_read_at(text->fd, to, *got, offset, text->path);
}

static uint32_t unit(hb_charset charset, const unsigned char *at)
{
    return charset == HB_CHARSET_UTF16_BIG ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
}

/* Takes the character at `at`, of `left` bytes; returns how many it has, 0 where they are none. Latin-1 has control
 * characters from 0x80 to 0x9f, which no table has: they are letters and signs of another encoding. */
static size_t take_character(hb_charset charset, const unsigned char *at, size_t left, uint32_t *c)
{
    static const uint16_t windows[0x20] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                           0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                           0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                           0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};
    if (charset == HB_CHARSET_LATIN1 || charset == HB_CHARSET_WINDOWS_1252) {
        const bool middle = *at >= 0x80 && *at < 0xa0;
        *c = !middle ? *at : charset == HB_CHARSET_LATIN1 ? 0 : windows[*at - 0x80];
        return !middle || *c != 0;
    }
    *c = left >= 2 ? unit(charset, at) : 0xdc00;
    if (*c >> 11 != 0xd800 >> 11) {
        return 2;
    }
    const uint32_t second = *c < 0xdc00 && left >= 4 ? unit(charset, at + 2) : 0; /* of two halves */
    *c = 0x10000 + ((*c & 0x3ff) << 10) + (second & 0x3ff);
    return second >> 10 == 0xdc00 >> 10 ? 4 : 0;
}

/* Decodes the characters that begin in from[0 .. bytes), of a text that goes on for `ahead` more bytes, 0 or at least
 * 2; `before` are the two bytes before it, NULL at its beginning. Writes them to `to`, with 3 bytes for each, and
 * sets *length. False, with *length the place of the fault in `from`, for bytes that are no character. */
static bool decode(hb_charset charset, const unsigned char *before, const unsigned char *from, size_t bytes,
                   size_t ahead, char *to, size_t *length)
{
    char *at = to;
    uint32_t c;
    /* The second half of a character that begins before. */
    const bool half = charset >= HB_CHARSET_UTF16 && before != NULL && bytes >= 2 &&
                      unit(charset, before) >> 10 == 0xd800 >> 10 &&
                      unit(charset, from) >> 10 == 0xdc00 >> 10;
    for (size_t i = half ? 2 : 0, some; i < bytes; i += some) {
        some = take_character(charset, from + i, bytes + ahead - i, &c);
        if (some == 0) {
            *length = i;
            return false;
        }
        at = hb_utf8_put(at, c);
    }
    *length = (size_t)(at - to);
    return true;
}

/* Decodes a piece, whose beginning in the text is known. */
static hb_status decode_piece(hb_text_file *text, uint64_t piece)
{
    hb_decoder *d = text->decoder;
    const size_t before = piece > 0 ? BESIDE : 0;
    size_t got;
    if (d->current == piece + 1) {
        return HB_OK;
    }
    d->current = 0;
    HB_TRY(read_bytes(text, piece * PIECE - before, (char *)d->bytes, before + PIECE + BESIDE, &got));
    const size_t held = got > before ? got - before : 0, bytes = held < PIECE ? held : PIECE;
    if (piece == d->known) {
        hb_utf8_look_at(&d->look, d->bytes + before, bytes);
    }
    if (held <= PIECE && d->charset < HB_CHARSET_UTF16 && hb_utf8_is_likely(&d->look)) {
        return HB_FAIL(HB_EDATA, "%s: is UTF-8, and --charset says another encoding: leave --charset out", text->path);
    }
    if (!decode(d->charset, before > 0 ? d->bytes : NULL, d->bytes + before, bytes, held - bytes, d->text,
                &d->length)) {
        return HB_FAIL(HB_EDATA, "%s: byte %" PRIu64 " is no character of %s: %s", text->path,
                       piece * PIECE + d->length,
                       d->charset == HB_CHARSET_LATIN1         ? "Latin-1"
                       : d->charset == HB_CHARSET_WINDOWS_1252 ? "Windows-1252"
                                                               : "UTF-16",
                       d->look.any && !d->look.other           ? "is it UTF-8? Then leave --charset out"
                       : d->charset == HB_CHARSET_LATIN1       ? "--charset windows-1252 may read it"
                                                               : "is the file whole, and --charset right?");
    }
    d->current = piece + 1;
    if (piece == d->known) {
        d->start[++d->known] = d->start[piece] + d->length;
        d->ended = held <= PIECE;
    }
    return HB_OK;
}

/* Makes room for one more piece. */
static hb_status grow_starts(hb_text_file *text)
{
    hb_decoder *d = text->decoder;
    if (d->known + 2 <= d->room) {
        return HB_OK;
    }
    const uint64_t room = d->room > 0 ? 2 * d->room : 64;
    uint64_t *longer = realloc(d->start, (size_t)room * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to decode it", text->path);
    }
    longer[0] = 0;
    d->start = longer;
    d->room = room;
    return HB_OK;
}

/* Finds the piece with a place of the text, and decodes it; *found false behind the end. */
static hb_status find_piece(hb_text_file *text, uint64_t offset, uint64_t *piece, bool *found)
{
    hb_decoder *d = text->decoder;
    HB_TRY(grow_starts(text));
    while (!d->ended && offset >= d->start[d->known]) {
        HB_TRY(decode_piece(text, d->known));
        HB_TRY(grow_starts(text));
    }
    uint64_t low = 0, high = d->known; /* it is in low .. high - 1 */
    *found = offset < d->start[d->known];
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (d->start[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *piece = low;
    return *found ? decode_piece(text, low) : HB_OK;
}

hb_status hb_text_file_read(hb_text_file *text, uint64_t offset, char *to, size_t want, size_t *got)
{
    const hb_decoder *d = text->decoder;
    if (d == NULL) {
        return read_bytes(text, offset, to, want, got);
    }
    bool found = true;
    for (*got = 0; *got < want && found;) {
        uint64_t piece;
        HB_TRY(find_piece(text, offset + *got, &piece, &found));
        if (found) {
            const size_t at = (size_t)(offset + *got - d->start[piece]), left = d->length - at;
            const size_t some = left < want - *got ? left : want - *got;
            memcpy(to + *got, d->text + at, some);
            *got += some;
        }
    }
    return HB_OK;
}

/* Returns the encoding of a text that begins with these bytes, where `said` is the user's choice. */
static hb_charset find_charset(hb_charset said, const unsigned char *begin, size_t bytes)
{
    const bool little = bytes >= 2 && begin[0] == 0xff && begin[1] == 0xfe;
    const bool marked_big = bytes >= 2 && begin[0] == 0xfe && begin[1] == 0xff;
    /* Names and numbers begin with a character of ASCII, whose high byte is 0; no text has a character 0. */
    const bool big = marked_big || (said == HB_CHARSET_UTF16 && bytes >= 2 && begin[0] == 0 && begin[1] != 0);
    const bool open = said == HB_CHARSET_UTF16 || said == HB_CHARSET_FOUND;
    return open && big ? HB_CHARSET_UTF16_BIG : open && little ? HB_CHARSET_UTF16 : said;
}

/* Finds the encoding of the bytes, and begins to decode them where they are not UTF-8. */
static hb_status open_decoder(hb_text_file *text, hb_charset said)
{
    char begin[3];
    size_t got;
    HB_TRY(read_bytes(text, 0, begin, sizeof begin, &got));
    const bool marked = got >= 2 && (memcmp(begin, "\xff\xfe", 2) == 0 || memcmp(begin, "\xfe\xff", 2) == 0);
    if (said > HB_CHARSET_UTF8 && got == 3 && memcmp(begin, "\xEF\xBB\xBF", 3) == 0) {
        return HB_FAIL(HB_EDATA, "%s: begins with the mark of UTF-8: leave --charset out", text->path);
    }
    if ((said == HB_CHARSET_LATIN1 || said == HB_CHARSET_WINDOWS_1252) && marked) {
        return HB_FAIL(HB_EDATA, "%s: begins with the mark of UTF-16: --charset utf-16 reads it", text->path);
    }
    const hb_charset charset = find_charset(said, (const unsigned char *)begin, got);
    if (charset <= HB_CHARSET_UTF8) {
        return HB_OK;
    }
    text->decoder = calloc(1, sizeof *text->decoder);
    if (text->decoder == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to decode it", text->path);
    }
    text->decoder->charset = charset;
    return HB_OK;
}

hb_status hb_text_file_init(hb_text_file *text, int fd, uint64_t size, const char *path, hb_charset said)
{
    *text = (hb_text_file){.fd = fd, .path = path, .size = size};
    hb_status st = open_gzip(text);
    st = st == HB_OK ? open_decoder(text, said) : st;
    if (st != HB_OK) {
        hb_text_file_clear(text);
    }
    return st;
}
