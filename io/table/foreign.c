/* Files that are no tables as text, by how they begin: their kind is said, and how to make a table of them. */
#include "text_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define BOM "\xEF\xBB\xBF"

/* In the bytes of a kind: any digit but 0. No kind has this byte itself. */
#define DIGIT "\1"

/* How the files of a kind begin, with more than its name: a table may have columns PAR1, RDX or BZh. */
static const struct {
    const char *bytes;
    size_t count;
    const char *words;
} binary[] = {
    {"PK\3\4", 4, "is a workbook (.xlsx, .ods) or another ZIP file: save the sheet as CSV"},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8, "is a workbook of an old Excel (.xls): save the sheet as CSV"},
    /* The header of a page, or of a file without pages, in Thrift's compact form: a first field of 32 bits. */
    {"PAR1\x15", 5, "is Parquet: python3 -m hebatch convert makes a CSV of it"},
    {"ARROW1\0\0", 8, "is Arrow: python3 -m hebatch convert makes a CSV of it"},
    {"\x89HDF\r\n", 6, "is HDF5: its name ends in .h5, and a dataset of it is FILE.h5:/DATASET"},
    {"SQLite format 3\0", 16, "is a database of SQLite: save the table as CSV"},
    {"RDX" DIGIT "\n", 5, "is a file of R: write.csv makes a CSV of its table"},
    {"RDA" DIGIT "\n", 5, "is a file of R: write.csv makes a CSV of its table"},
    {"<stata_dta><header>", 19, "is a file of Stata: export delimited makes a CSV of it"},
    {"$FL" DIGIT "@(#)", 8, "is a file of SPSS: save it as CSV"},
    {"%PDF-" DIGIT ".", 7, "is PDF, which holds pages and no table"},
    {"BZh" DIGIT "1AY&SY", 10, "is compressed by bzip2: of compressed files .csv.gz is read"},
    {"\xFD"
     "7zXZ\0",
     6, "is compressed by xz: of compressed files .csv.gz is read"},
    {"\x28\xB5\x2F\xFD", 4, "is compressed by zstd: of compressed files .csv.gz is read"},
};

/* Tags that a page begins with, in letters of any case. */
static const struct {
    const char *tag, *words;
} markup[] = {
    {"<!doctype", "is a page of HTML, as some programs export tables: save it as CSV"},
    {"<html", "is a page of HTML, as some programs export tables: save it as CSV"},
    {"<table", "is a page of HTML, as some programs export tables: save it as CSV"},
    {"<?xml", "is XML: save it as CSV"},
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

static bool begins(const char *text, size_t length, const char *bytes, size_t count)
{
    bool same = length >= count;
    for (size_t i = 0; same && i < count; i++) {
        same = bytes[i] == *DIGIT ? text[i] >= '1' && text[i] <= '9' : text[i] == bytes[i];
    }
    return same;
}

/* A tag ends in a blank or in ">"; one with the delimiter of fields behind it is the name of a column. */
static bool is_tag(const char *at, const char *end, const char *tag)
{
    const size_t length = strlen(tag);
    if ((size_t)(end - at) <= length || strncasecmp(at, tag, length) != 0) {
        return false;
    }
    at += length;
    return *at == '>' ? at + 1 == end || strchr(",;|\t", at[1]) == NULL : isspace((unsigned char)*at) != 0;
}

/* An object, an array of objects, or a bracket that is alone in its line. */
static bool is_json(const char *at, const char *end)
{
    if (at == end || (*at != '{' && *at != '[')) {
        return false;
    }
    const char *inside = skip_blanks(at + 1, end);
    const bool alone = memchr(at, '\n', (size_t)(inside - at)) != NULL;
    return alone || (inside < end && *inside == (*at == '{' ? '"' : '{'));
}

const char *hb_foreign_file(const void *begin, size_t bytes)
{
    const char *text = begin, *end = text + bytes;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        if (begins(text, bytes, binary[i].bytes, binary[i].count)) {
            return binary[i].words;
        }
    }
    text += begins(text, bytes, BOM, strlen(BOM)) ? strlen(BOM) : 0;
    text = skip_blanks(text, end);
    for (size_t i = 0; i < sizeof markup / sizeof *markup; i++) {
        if (is_tag(text, end, markup[i].tag)) {
            return markup[i].words;
        }
    }
    return is_json(text, end) ? "looks like JSON: write it as CSV" : NULL;
}
