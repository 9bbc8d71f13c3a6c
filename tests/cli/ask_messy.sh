#!/bin/sh
# ask: tables of which one column is written in another way than the next.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

printf '%s\n' ward,kg,chol 'A,"80,5",5.9' 'B,"71,2",4.1' 'A,unknown,4.4' 'unknown,"66,0",N/A' >m.csv
printf '%s\n' ward,n A,1 Unknown,2 missing,3 >marks.csv

# answers FILE: the last command's stdout is that text.
answers() {
    printf '%s\n' "$@" >wanted
    cmp -s out wanted || fail "another answer than: $*"
}

# A text that means a missing cell among numbers is a label among labels: the job says so, and how it is read as missing.
expect 0 "$HEBATCH" ask 'groupby(ward, count())' m.csv --dir labels
answers ward,count A,2 B,1 unknown,1
complains "m.csv: column ward: 'unknown' is a label as any other; --na unknown reads such cells as missing"
expect 0 "$HEBATCH" ask 'groupby(ward, count())' m.csv --dir labels --na unknown
answers ward,count A,2 B,1
expect 0 "$HEBATCH" ask 'groupby(ward, sum(n))' marks.csv --dir labels --quiet --na nobody
complains "column ward: 'Unknown,missing' are labels as any other; --na nobody,Unknown,missing reads such cells as missing"
expect 0 "$HEBATCH" ask 'groupby(ward, count())' m.csv --dir labels --category ward
grep -q 'as any other' err && fail "a category that the user names needs no hint"
# A question for missing cells means these, or it does not: the user says it.
while IFS= read -r question; do
    refuse 65 "column ward has the label unknown, .*: say --na unknown, .*, or --category ward, which keeps them" \
        "$HEBATCH" ask "$question" m.csv --dir none
done <<'QUESTIONS'
count(ward is missing)
count(chol > 4 where ward is not missing)
count(ward)
w = ward; count(w is missing)
QUESTIONS
expect 0 "$HEBATCH" ask 'count(ward is missing)' m.csv --dir labels --na unknown
answers answer 1
refuse 64 'a count of such rows is 0' "$HEBATCH" ask 'count(ward is missing)' m.csv --dir none --category ward
expect 0 "$HEBATCH" ask 'count(chol is missing); groupby(ward, count())' m.csv --dir labels
