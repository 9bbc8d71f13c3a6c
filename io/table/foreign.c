#include "foreign.h"

#include <string.h>

const char *hb_foreign_file(const void *begin, size_t bytes)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *words;
    } kinds[] = {
        {"PK\3\4", 4, "is a workbook (.xlsx, .ods) or another ZIP file: save the sheet as CSV"},
        {"\xD0\xCF\x11\xE0", 4, "is a workbook of an old Excel (.xls): save the sheet as CSV"},
        {"PAR1", 4, "is Parquet: python3 -m hebatch convert makes a CSV of it"},
        {"ARROW1", 6, "is Arrow: python3 -m hebatch convert makes a CSV of it"},
        {"\x89HDF\r\n", 6, "is HDF5: its name ends in .h5, and a dataset of it is FILE.h5:/DATASET"},
        {"SQLite format 3", 15, "is a database of SQLite: save the table as CSV"},
        {"RDX", 3, "is a file of R: write.csv makes a CSV of its table"},
        {"<stata_dta>", 11, "is a file of Stata: export delimited makes a CSV of it"},
        {"$FL", 3, "is a file of SPSS: save it as CSV"},
        {"%PDF", 4, "is PDF, which holds pages and no table"},
        {"BZh", 3, "is compressed by bzip2: of compressed files .csv.gz is read"},
        {"\xFD"
         "7zXZ",
         5, "is compressed by xz: of compressed files .csv.gz is read"},
        {"\x28\xB5\x2F\xFD", 4, "is compressed by zstd: of compressed files .csv.gz is read"},
        {"<!DOCTYPE", 9, "is a page of HTML, as some programs export tables: save it as CSV"},
        {"<html", 5, "is a page of HTML, as some programs export tables: save it as CSV"},
        {"<table", 6, "is a page of HTML, as some programs export tables: save it as CSV"},
        {"<?xml", 5, "is XML: save it as CSV"},
        {"{\"", 2, "looks like JSON: write it as CSV"},
        {"[{", 2, "looks like JSON: write it as CSV"},
    };
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds &&
           (bytes < kinds[i].count || memcmp(begin, kinds[i].bytes, kinds[i].count) != 0)) {
        i++;
    }
    return i < sizeof kinds / sizeof *kinds ? kinds[i].words : NULL;
}
