#include "alike.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alike_private.h"
#include "base/digest.h"

/* Marks that stand behind one letter, sorted, so that their order does not matter. More are taken as they come. */
enum { MOST_MARKS = 8 };

/* Letters that folding makes of the longest label: a character has at least a byte, and comes apart into five letters
 * at most. */
enum { MOST_LETTERS = 5 * HB_LABEL_MAX };

typedef struct letters {
    uint32_t letter[MOST_LETTERS];
    size_t count;
} letters;

typedef struct folding {
    hb_digest_state digest;
    letters *list; /* receives the letters; NULL: the digest does */
    uint32_t mark[MOST_MARKS];
    size_t marks;
    bool words;                      /* blanks part words; else they do not matter */
    enum { BEGIN, WORD, BEHIND } at; /* of a text: before its first word, in a word, behind one */
} folding;

static void put_letter(folding *f, uint32_t c)
{
    if (f->list == NULL) {
        hb_digest_add_u64(&f->digest, c);
    } else if (f->list->count < MOST_LETTERS) {
        f->list->letter[f->list->count++] = c;
    }
}

static void flush(folding *f)
{
    for (size_t i = 0; i < f->marks; i++) {
        put_letter(f, f->mark[i]);
    }
    f->marks = 0;
}

/* Accents and points of Latin, Greek, Cyrillic, Hebrew, Arabic, and of kana. */
static bool is_mark(uint32_t c)
{
    return (c >= 0x300 && c <= 0x36f) || (c >= 0x591 && c <= 0x5bd) || (c >= 0x64b && c <= 0x655) ||
           (c >= 0x3099 && c <= 0x309a);
}

/* Spaces of all widths, and invisible characters: soft hyphens, joiners, marks of direction and of byte order. */
static bool is_blank(uint32_t c)
{
    return c == ' ' || c == 0x85 || c == 0xa0 || c == 0xad || c == 0x1680 || (c >= 0x2000 && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202f) || (c >= 0x205f && c <= 0x2064) || c == 0x3000 || c == 0xfeff;
}

/* The invisible ones of them. */
static bool is_unseen(uint32_t c)
{
    return c == 0xad || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x2064) ||
           c == 0xfeff;
}

static uint32_t small_letter(uint32_t c)
{
    for (size_t i = 0; i < HB_CASE_RUNS && hb_case_runs[i].first <= c; i++) {
        const hb_case_run *run = &hb_case_runs[i];
        if (c <= run->last && (c - run->first) % run->step == 0) {
            return (uint32_t)((int32_t)c + run->add);
        }
    }
    return c;
}

static void add_letter(folding *f, uint32_t c)
{
    if (is_mark(c) && f->marks < MOST_MARKS) {
        size_t at = f->marks++;
        for (; at > 0 && f->mark[at - 1] > c; at--) {
            f->mark[at] = f->mark[at - 1];
        }
        f->mark[at] = c;
        return;
    }
    flush(f);
    if (c == 0xdf || c == 0x1e9e) { /* sharp s, whose capitals are two letters mostly */
        put_letter(f, 's');
        c = 's';
    }
    put_letter(f, small_letter(c));
}

static int compare_character(const void *key, const void *of)
{
    const uint32_t c = *(const uint32_t *)key, other = ((const hb_decomposition *)of)->character;
    return (c > other) - (c < other);
}

/* Syllables of Hangul are made of two or three letters (The Unicode Standard, 3.12). */
static void add_syllable(folding *f, uint32_t c)
{
    enum { VOWELS = 21, TAILS = 28 };
    const uint32_t place = c - 0xac00, tail = place % TAILS;
    add_letter(f, 0x1100 + place / (VOWELS * TAILS));
    add_letter(f, 0x1161 + place / TAILS % VOWELS);
    if (tail > 0) {
        add_letter(f, 0x11a7 + tail);
    }
}

static void add_character(folding *f, uint32_t c)
{
    uint32_t behind[4]; /* second parts of nested decompositions: no character has more */
    size_t count = 0;
    if (is_blank(c) || c == '\t') {
        f->at = f->at == WORD && !is_unseen(c) ? BEHIND : f->at;
        return;
    }
    if (f->words && f->at == BEHIND) {
        add_letter(f, ' ');
    }
    f->at = WORD;
    if (c >= 0xac00 && c <= 0xd7a3) {
        add_syllable(f, c);
        return;
    }
    c = c >= 0xff01 && c <= 0xff5e ? c - 0xfee0 : c; /* as wide as an ideograph */
    for (const hb_decomposition *parts; count < sizeof behind / sizeof *behind; c = parts->parts[0]) {
        parts = bsearch(&c, hb_decompositions, HB_DECOMPOSITIONS, sizeof *parts, compare_character);
        if (parts == NULL) {
            break;
        }
        if (parts->parts[1] != 0) {
            behind[count++] = parts->parts[1];
        }
    }
    add_letter(f, c);
    while (count > 0) {
        add_letter(f, behind[--count]);
    }
}

static void add_text(folding *f, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const unsigned char lead = (unsigned char)text[i++];
        uint32_t c = lead < 0xc0 ? lead : lead < 0xe0 ? lead & 0x1fu : lead < 0xf0 ? lead & 0xfu : lead & 7u;
        for (; lead >= 0xc0 && i < length && ((unsigned char)text[i] & 0xc0) == 0x80; i++) {
            c = c << 6 | ((unsigned char)text[i] & 0x3fu);
        }
        add_character(f, c);
    }
    flush(f);
}

/* Identifies a text but for differences that do not matter. */
static void alike_digest(const char *text, size_t length, bool words, uint8_t digest[HB_DIGEST_BYTES])
{
    folding f = {.words = words, .at = BEGIN};
    hb_digest_begin(&f.digest, "hebatch alike");
    add_text(&f, text, length);
    hb_digest_end(&f.digest, digest);
}

typedef struct hb_fold {
    uint8_t digest[HB_DIGEST_BYTES];
    uint64_t place;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *x = a, *y = b;
    const int order = memcmp(x->digest, y->digest, sizeof x->digest);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/* Counts labels whose neighbour in the order of digests has the same one. */
static void count_alike(const hb_labels *labels, const key *keys, hb_alike *alike)
{
    uint64_t first = labels->count;
    for (uint64_t i = 0, end; i < labels->count; i = end) {
        for (end = i + 1; end < labels->count && memcmp(keys[i].digest, keys[end].digest, HB_DIGEST_BYTES) == 0;) {
            end++;
        }
        if (end - i < 2) {
            continue;
        }
        alike->count += end - i;
        if (keys[i].place < first) {
            first = keys[i].place;
            alike->one = labels->text[first];
            alike->other = labels->text[keys[i + 1].place];
        }
    }
}

hb_status hb_alike_find(const hb_labels *labels, hb_alike *alike)
{
    *alike = (hb_alike){.count = 0};
    key *keys = calloc((size_t)labels->count + 1, sizeof *keys);
    if (keys == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to compare the labels of a column");
    }
    for (uint64_t i = 0; i < labels->count; i++) {
        keys[i].place = i;
        alike_digest(labels->text[i], strlen(labels->text[i]), false, keys[i].digest);
    }
    qsort(keys, (size_t)labels->count, sizeof *keys, compare_keys);
    count_alike(labels, keys, alike);
    free(keys);
    return HB_OK;
}

hb_status hb_alike_before(const char *const *text, uint64_t count, uint64_t *before)
{
    key *keys = calloc((size_t)count + 1, sizeof *keys);
    uint64_t texts = 0;
    if (keys == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to compare %" PRIu64 " names", count);
    }
    for (uint64_t i = 0; i < count; i++) {
        before[i] = i;
        if (text[i] != NULL) {
            keys[texts].place = i;
            alike_digest(text[i], strlen(text[i]), false, keys[texts++].digest);
        }
    }
    qsort(keys, (size_t)texts, sizeof *keys, compare_keys);
    for (uint64_t i = 1; i < texts; i++) {
        if (memcmp(keys[i - 1].digest, keys[i].digest, HB_DIGEST_BYTES) == 0) {
            before[keys[i].place] = before[keys[i - 1].place];
        }
    }
    free(keys);
    return HB_OK;
}

/* Gives all texts of each label the place of the one that is kept. */
static void keep_heaviest(hb_folds *folds, const uint64_t *weight)
{
    key *keys = folds->fold;
    for (uint64_t i = 0, end; i < folds->count; i = end) {
        uint64_t kept = keys[i].place;
        for (end = i + 1; end < folds->count && memcmp(keys[i].digest, keys[end].digest, HB_DIGEST_BYTES) == 0; end++) {
            const uint64_t place = keys[end].place;
            kept = weight != NULL && weight[place] > weight[kept] ? place : kept;
        }
        for (uint64_t k = i; k < end; k++) {
            keys[k].place = kept;
        }
    }
}

hb_status hb_folds_make(const char *const *text, const uint64_t *weight, uint64_t count, hb_folds *folds)
{
    *folds = (hb_folds){.fold = calloc((size_t)count + 1, sizeof *folds->fold), .count = count};
    if (folds->fold == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to fold the labels of a column");
    }
    for (uint64_t i = 0; i < count; i++) {
        folds->fold[i].place = i;
        alike_digest(text[i], strlen(text[i]), true, folds->fold[i].digest);
    }
    qsort(folds->fold, (size_t)count, sizeof *folds->fold, compare_keys);
    keep_heaviest(folds, weight);
    return HB_OK;
}

static int compare_digests(const void *a, const void *b)
{
    return memcmp(a, ((const key *)b)->digest, HB_DIGEST_BYTES);
}

bool hb_folds_find(const hb_folds *folds, const char *text, size_t length, uint64_t *place)
{
    uint8_t digest[HB_DIGEST_BYTES];
    if (folds->count == 0) {
        return false;
    }
    alike_digest(text, length, true, digest);
    const key *found = bsearch(digest, folds->fold, (size_t)folds->count, sizeof *found, compare_digests);
    *place = found != NULL ? found->place : *place;
    return found != NULL;
}

void hb_folds_clear(hb_folds *folds)
{
    free(folds->fold);
    *folds = (hb_folds){.count = 0};
}

static void list_letters(const char *text, letters *list)
{
    folding f = {.list = list, .words = true, .at = BEGIN};
    list->count = 0;
    add_text(&f, text, strlen(text));
}

int hb_folds_compare(const char *one, const char *other)
{
    letters a, b;
    size_t i = 0;
    list_letters(one, &a);
    list_letters(other, &b);
    while (i < a.count && i < b.count && a.letter[i] == b.letter[i]) {
        i++;
    }
    if (i < a.count && i < b.count) {
        return a.letter[i] < b.letter[i] ? -1 : 1;
    }
    return (a.count > b.count) - (a.count < b.count);
}
