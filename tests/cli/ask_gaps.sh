#!/bin/sh
# ask of columns whose gaps are in different rows: answers and proposals give the numbers of NumPy and pandas. A proposal
# is one that can be computed.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

"$PYTHON" -c 'import random
r = random.Random(38)
gap = lambda share, value: "" if r.random() < share else value
print("ward,a,b,c,whole,amount")
for i in range(200):
    x = r.randrange(-20, 21)
    c = f"{(2*x + r.randrange(99)) / 10:.1f}"
    print(gap(0.1, f"w{i % 3}"), gap(0.3, x), gap(0.4, 3*x + r.randrange(40)), gap(0.2, c), i % 7, r.randrange(10**7), sep=",")
' >gaps.csv
cat >same.py <<'END'
"""The numbers of answer files, beside those of NumPy: same.py QUESTION [ROWS OF A WARD]"""
import csv, sys
import numpy as np
rows = list(csv.DictReader(open("gaps.csv")))
answer = list(csv.reader(open("out")))
column = lambda name, of: np.array([float(r[name] or "nan") for r in of])
def wanted(kind, x, y, of):
    x, y = column(x, of), column(y, of)
    both = ~np.isnan(x) & ~np.isnan(y)
    if kind == "means":
        return [np.nanmean(x), np.nanmean(y)]
    return [np.cov(x[both], y[both])[0, 1] if kind == "cov" else np.corrcoef(x[both], y[both])[0, 1]]
def got(kind, cells):
    v = [float(c) for c in cells]
    return v if kind == "means" else [(v[0] - v[1])/4/(1 if kind == "cov" else np.sqrt(v[2]*v[3]))]
kind, x, y, groups = sys.argv[1:]
for cells in answer[1:]:
    of = [r for r in rows if r["ward"] == cells[0]] if groups == "yes" else rows
    want, have = wanted(kind, x, y, of), got(kind, cells[groups == "yes":])
    assert np.allclose(want, have, rtol=1e-6), (cells, want, have)
assert len(answer) == (4 if groups == "yes" else 2), answer
END

# pasted QUESTION: asks what the refusal of a question proposes.
pasted() {
    refuse 64 "this can be asked.*: '.*'$" "$HEBATCH" ask "$1" gaps.csv --dir none
    proposed=$(sed -n "s/^hebatch ask: .*: '\(.*\)'$/\1/p" err)
    expect 0 "$HEBATCH" ask "$proposed" gaps.csv --dir asked
}
while IFS='|' read -r question kind x y groups; do
    pasted "$question"
    "$PYTHON" same.py "$kind" "$x" "$y" "$groups" || fail "$question: another number"
done <<'QUESTIONS'
cov(a, b)|cov|a|b|no
corr(a, b)|corr|a|b|no
corr(b, whole)|corr|b|whole|no
COV(a, c)|cov|a|c|no
groupby(ward, corr(a, b))|corr|a|b|yes
mean(b) - mean(a)|means|b|a|no
d = mean(a)/mean(c)|means|a|c|no
m = mean(a); n = mean(b); 2*(n - m)|means|a|b|no
groupby(ward, mean(b) - mean(a))|means|b|a|yes
QUESTIONS
refuse 64 "the nearest to this is .*: 'groupby(ward, var(a + b), var(a - b))'$" \
    "$HEBATCH" ask 'select ward, covar_samp(a, b) from t group by ward' gaps.csv --dir none

# Counts of all values are proposed where they can be computed, else bins of them; a proposal that cannot be computed
# says why.
refuse 64 "this can be asked (it counts every value of the column): 'histogram(whole)'$" \
    "$HEBATCH" ask 'max(whole)' gaps.csv --dir none
refuse 64 "'groupby(amount, count())', which cannot be computed either: .*too many.*; this can be computed: --derive 'bins=bin(amount, 1000000)', and ask 'groupby(bins, count())'$" \
    "$HEBATCH" ask 'median(amount)' gaps.csv --dir none
expect 0 "$HEBATCH" ask 'groupby(bins, count())' gaps.csv --derive 'bins=bin(amount, 1000000)' --dir asked
refuse 64 "which cannot be computed either: .*nothing encrypted is left" "$HEBATCH" ask 'cov(a, a)' gaps.csv --dir none

# A column without a filled cell is read as numbers: what reads it otherwise is said, and its answer is that of no rows.
printf 'g,d,e,x\n1,,2024-01-02,5\n2,,2024-02-03,6\n' >unfilled.csv
for question in "count(d > '2024-01-01')" 'sum(x where d == e)' "groupby(g, count(d > '2024-01-01'))"; do
    refuse 64 'a column without a filled cell is read as numbers: --date d reads dates$' \
        "$HEBATCH" ask "$question" unfilled.csv --dir none
done
for question in "count(d == 'red')" "count('red' == d)" "count(d in ('red', 'blue'))"; do
    refuse 64 'a column without a filled cell is read as numbers: --date d reads dates, --category labels$' \
        "$HEBATCH" ask "$question" unfilled.csv --dir none
done
expect 0 "$HEBATCH" ask "count(d > '2024-01-01'); s = sum(x where d == e)" unfilled.csv --date d --dir unfilled
grep -qx '0,0' out || fail "no row has such a date: $(cat out)"
expect 0 "$HEBATCH" ask "groupby(g, count(d > '2024-01-01'))" unfilled.csv --date d --dir unfilled
[ "$(sed 1d out | tr '\n' ' ')" = '1,0 2,0 ' ] || fail "no group has such a date: $(cat out)"

# Calls without arguments, and questions that read no column.
refuse 64 "it is sum(x), and nothing stands in the parentheses here$" "$HEBATCH" ask 'sum()' gaps.csv --dir none
refuse 64 "it is groupby(key, .*), and nothing stands in" "$HEBATCH" ask 'groupby()' gaps.csv --dir none
refuse 64 "the question reads no column; the columns are ward, a, b, c, whole, amount; " \
    "$HEBATCH" ask 'groupby(1, count())' gaps.csv --dir none

# A plain table's column may be named by --missing; rows that --missing drop takes are all of them; words within quotes
# are no sentence, and a fault of an option is said alone where another question has other blanks alone.
printf 'k,v\nA,1\nB,2\n' >keys.csv
printf 'k,c\nA,10\nB,\n' >values.csv
expect 0 "$HEBATCH" ask 'sum(lookup(p.k, w, -1))' p=keys.csv w=values.csv --missing c=drop --dir asked
[ "$(cat out)" = "answer
9" ] || fail "another sum of a table that is looked up in"
refuse 64 "names a column 'd', which no table has$" \
    "$HEBATCH" ask 'sum(lookup(p.k, w, -1))' p=keys.csv w=values.csv --missing d=drop --dir none
printf 'x,y\n,1\n2,\n' >none.csv
refuse 65 'none.csv: no row is left, as each has a missing cell for which --missing drop leaves it out; --missing mask' \
    "$HEBATCH" ask 'mean(x); sum(y)' none.csv --missing drop --dir none
printf 'i,id\ntab x,\ntab x,A\n' >blanks.csv
for question in "s = count(i != 'a b'); t = count()" "t = count(); s = count(i != 'a b')"; do
    refuse 64 'leave count() out: the number of rows is no secret, and blanks.csv has 2$' \
        "$HEBATCH" ask "$question" blanks.csv --dir none
done
refuse 64 "^hebatch ask: --missing: no table has a column 'q'$" "$HEBATCH" ask 'sum( whole)' gaps.csv --missing q=drop --dir none
refuse 64 "own language" "$HEBATCH" ask "what's the mean of whole" gaps.csv --dir none

# Two columns of one name are refused before keys are made, also where one is picked by its number; others are read.
printf 'x,x,y\n1,2,4\n' >twins.csv
for question in 'sum(x)' 'sum(twins.1)' 'sum(t.2)'; do
    refuse 65 "^hebatch ask: twins.csv: columns 1 and 2 have the same name, 'x': rename one in the header$" \
        "$HEBATCH" ask "$question" "$([ "$question" = 'sum(t.2)' ] && echo t=)twins.csv" --dir none
done
expect 0 "$HEBATCH" ask 'sum(y)' twins.csv --dir asked

# A column without gaps has as many cells as rows, whatever its cells are; numbers of 0 and 1 may be a condition, which
# is said, and with gaps refused.
printf 'ward,age,flag,on,kg\nICU,70,1,1,70.5\nER,31,0,,80.25\nICU,45,1,0,\nER,22,0,1,90\n' >full.csv
expect 0 "$HEBATCH" ask 'n = count(age); m = mean(age); w = count(ward); s = count(age) * sum(age)' full.csv --dir asked
[ "$(cat out)" = "n,m,w,s
4,42,4,672" ] || fail "another count of columns without gaps"
expect 0 "$HEBATCH" ask "groupby(ward, count(age), count(kg), count(age where flag))" full.csv --dir asked
[ "$(cat out)" = "ward,count(age),count(kg),count(age where flag)
ER,2,2,0
ICU,2,1,2" ] || fail "other counts of columns in groups"
expect 0 "$HEBATCH" ask "n = count(age where age > 31); w = count(ward where age > 31); f = count(flag)" full.csv --dir asked
[ "$(cat out)" = "n,w,f
2,2,2" ] || fail "another count of a column where a condition is true"
complains 'counts the ones of numbers 0 and 1, and of other numbers it would count the rows'
refuse 64 "these numbers are 0 and 1, and some may be missing: count(x == 1) counts the ones, and count(x is not missing)" \
    "$HEBATCH" ask 'count(on)' full.csv --dir none
expect 0 "$HEBATCH" ask 'n = 10*count(kg) + sum(kg)*count(age)' full.csv --scheme ckks --dir asked
[ "$(sed 1d out | cut -c 1-3)" = 993 ] || [ "$(sed 1d out | cut -c 1-3)" = 992 ] || fail "another count of reals"
