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
for sign in '?' - n.a.; do
    printf 'm\nx\ny\n%s\nx\n' "$sign" >sign.csv
    expect 0 "$HEBATCH" ask 'groupby(m, count())' sign.csv
    grep -qF -e "column m: '$sign' is a label as any other; --na" err || fail "$sign among texts is no label"
done
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

# Fractions behind commas in one column and behind points in the next: each column has its sign, and refusals say which.
expect 65 "$HEBATCH" ask 'mean(kg); mean(chol)' m.csv --dir none
complains 'column kg: .*; say of each column which sign its fractions have, as --decimal kg=comma; --category kg'
expect 65 "$HEBATCH" ask 'mean(kg); mean(chol)' m.csv --dir none --decimal comma
complains 'chol: .* has a point where --decimal comma wants a comma; .*, as --decimal comma,chol=point; --category'
for decimal in kg=comma comma,chol=point point,kg=comma 'chol=.,kg=","'; do
    expect 0 "$HEBATCH" ask 'a = sum(kg); b = mean(chol)' m.csv --dir signs --decimal "$decimal"
    answers a,b 217.7,4.8
done
refuse 64 'decimal komma: it is point or comma' "$HEBATCH" ask 'sum(kg)' m.csv --dir none --decimal kg=komma
refuse 64 "does not read column 'kg': leave it out of --decimal" \
    "$HEBATCH" ask 'sum(chol)' m.csv --dir none --decimal kg=comma
# A sign that is found for the other columns stands beside those that are said.
printf '%s\n' 'a;b;c' '1,5;1.234,5;2.25' '2,5;0,5;1.5' >found.csv
expect 0 "$HEBATCH" ask 'a = sum(a); b = sum(b); c = sum(c)' found.csv --dir signs --decimal c=point
answers a,b,c 4,1235,3.75
# Printed lines keep it, each for the columns of its table; plain tables are read so, too.
printf '%s\n' ward,price,floor 'A,"4,5",1.5' 'B,"3,25",2.5' >prices.csv
printf '%s\n' ward,dose A,0.5 B,1.5 >doses.csv
question='s = sum(p.dose * lookup(p.ward, w.price))'
expect 0 "$HEBATCH" ask "$question" p=doses.csv w=prices.csv --dir signs --decimal price=comma
answers s 7.125
expect 0 "$HEBATCH" ask "$question" p=doses.csv w=prices.csv --dir printed --decimal price=comma,dose=point --dry-run
grep -q '^hebatch encrypt .* --decimal dose=point' out || fail "the line of encrypt has another --decimal"
grep -q '^hebatch eval .* --decimal price=comma,dose=point' out || fail "the line of eval has another --decimal"
sed "s|^hebatch|\"$HEBATCH\" -q|; s/-q \([a-z]*\)/\1 -q/" out >lines
(set -e && . ./lines) >made 2>&1 || fail "the printed lines do not run: $(tail -n 3 made)"
[ "$(tail -n 1 printed/s.csv)" = 7.125 ] || fail "the printed lines give another answer"
# encrypt and verify, and which column a refusal of encrypt names.
reading='--columns kg,chol --scale kg=10,chol=10 --na unknown --missing mask'
# shellcheck disable=SC2086 # words
{
    refuse 65 'wants a comma.*; its sign is said as --decimal comma,chol=point' \
        "$HEBATCH" encrypt --key signs/keys/public.h5 m.csv x.heb $reading --decimal comma
    expect 0 "$HEBATCH" encrypt --key signs/keys/public.h5 m.csv x.heb $reading --decimal comma,chol=point
    expect 0 "$HEBATCH" verify --key signs/keys/secret.h5 x.heb --against m.csv --na unknown --decimal kg=comma
}
expect 0 "$HEBATCH" decrypt --key signs/keys/secret.h5 x.heb x.csv
printf '%s\n' kg,chol 80.5,5.9 71.2,4.1 ,4.4 66, | cmp -s - x.csv || fail "decrypted decimals"

# Among texts none is a label, and so is NA in quotes; the log names a word that is taken as missing, and how often.
printf 'allergy,drug,branch,n\nnone,NA,01730,none\nmild,a,00412,1\nnone,"NA",01730,2\n"none",b,20412,\n,c,00412,5\n' >words.csv
expect 0 "$HEBATCH" ask 'groupby(allergy, count())' words.csv --dir asked
[ "$(cat out)" = "allergy,count
mild,1
none,3" ] || fail "none is no label"
complains 'reads allergy: texts, 1 of 5 cells are missing: skipped'
grep -q 'reads it as a missing cell' err && fail "none is a missing cell"
expect 0 "$HEBATCH" ask 'groupby(allergy, count())' words.csv --dir asked --na allergy=none
[ "$(cat out)" = "allergy,count
mild,1" ] || fail "--na does not take none as missing"
expect 0 "$HEBATCH" ask 'groupby(drug, count())' words.csv --dir asked
complains "reads drug: texts, 1 of 5 cells are missing: skipped ('NA' in 1 cell is taken as missing; as a label it stands"
expect 0 "$HEBATCH" ask 's = sum(n); m = count(n is missing)' words.csv --dir asked
[ "$(cat out)" = "s,m
8,2" ] || fail "none among numbers is no missing cell"

# Codes with zeros in front are labels, which is said.
expect 0 "$HEBATCH" ask "groupby(branch, count()); n = count(branch == '00412')" words.csv --dir asked
grep -q '^00412,2$' out && grep -q '^01730,2$' out || fail "codes lose their zeros"
complains 'reads branch: texts, as 4 numbers have zeros in front (--scale branch=1 reads numbers)'
expect 0 "$HEBATCH" ask 'mean(branch)' words.csv --dir asked --scale branch=1

# A cell without a value is #NV in a German Excel.
printf 'kg\n70\nunknown\n71\n#NV\n' >nv.csv
expect 0 "$HEBATCH" ask 'n = count(kg); s = sum(kg)' nv.csv --dir asked
answers n,s 2,141
