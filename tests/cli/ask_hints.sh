#!/bin/sh
# ask: what it proposes where a question is expensive, or cannot be asked as it is.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
tests=$(cd "$OLDPWD" && cd "${0%/*}" && pwd)

"$PYTHON" -c 'import random
r = random.Random(1)
print("patient id,ward,age,cost,admitted,amount,kind")
for i in range(400):
    day = f"{r.randrange(2022, 2025)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}"
    print(f"{i},w{i % 6},{i % 100},{r.randrange(10**6) / 100},{day},{i * 7500 - 500000},k{i % 3}")' >stays.csv

# asked QUESTION [OPTIONS]: what a dry run says.
asked() {
    expect 0 "$HEBATCH" ask "$1" stays.csv --dir none --dry-run
}

# A condition that is expensive is told before keys are made, with the option and the question that are cheaper: pasted,
# they give the same answer.
asked "count(admitted >= '2024-06-01')"
complains "expensive: admitted >= '2024-06-01' takes .* MiB of .* MiB of keys, .*; cheaper: before encryption make a"
complains ": --derive \"holds=admitted >= '2024-06-01'\", and ask 'count(holds)'$"
asked 'groupby(ward, count(65 < age and ward == '\''w1'\''))'
complains ": --derive 'holds=age > 65' --derive \"holds2=ward == 'w1'\", and ask 'groupby(ward, count(holds and holds2))'$"
expect 0 "$HEBATCH" ask 'groupby(ward, count(holds and holds2))' stays.csv --derive 'holds=age > 65' \
    --derive "holds2=ward == 'w1'" --dir cheap
"$PYTHON" - out <<'EOF' || fail "another answer of the cheaper question"
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))[1:]
wanted = {f"w{w}": sum(i % 100 > 65 and w == 1 for i in range(400) if i % 6 == w) for w in range(6)}
assert {a: int(b) for a, b in rows} == wanted, (rows, wanted)
EOF
# So is a refusal, and groups of a wide range, of which bins are made. A mean without a condition has no cheaper way.
refuse 64 "values .* are too many .*; this can be computed: --derive 'holds=amount > 2000000', and ask 'count(holds)'$" \
    "$HEBATCH" ask 'count(amount > 2000000)' stays.csv --dir none
grep -q 'digits(' err && fail "digits are advised where a column of 0 and 1 is cheaper"
refuse 64 "this can be computed: --derive 'bins=bin(amount, 500000)', and ask 'groupby(bins, count())'$" \
    "$HEBATCH" ask 'groupby(amount, count())' stays.csv --dir none
asked 'groupby("patient id", mean(cost))'
complains "expensive: the range of the groups .*: --derive 'bins=bin(\"patient id\", 50)', and ask 'groupby(bins, mean(cost))'$"
asked 'groupby(ward, mean(cost*cost*age))'
grep -q derive err && fail "advice where nothing is cheaper"
complains "expensive: .* MiB of keys, and .* of computing; no cheaper question was found$"
# Differences and histograms with bins are made before encryption, too.
"$PYTHON" -c 'import datetime as dt
print("admitted,discharged,systolic")
for i in range(300):
    a = dt.date(2023, 1, 1) + dt.timedelta(i * 2)
    print(a, a + dt.timedelta(i % 31), 85 + i % 126, sep=",")' >visits.csv
cheaper() {
    expect 0 "$HEBATCH" ask "$1" visits.csv --dir none --dry-run
    complains "expensive: .* of keys, .*; cheaper: .*: $2\$"
}
cheaper 'count(discharged - admitted > 7)' \
    "--derive 'span=discharged - admitted' --derive 'holds2=span > 7', and ask 'count(holds2)'"
refuse 64 "this can be computed: --derive 'span=discharged - admitted', and ask 'groupby(span, count())'$" \
    "$HEBATCH" ask 'groupby(discharged - admitted, count())' visits.csv --dir none
cheaper 'histogram(systolic, 85..119, 120..139, 140..210)' \
    "--derive 'bins=bin(systolic, 85..119, 120..139, 140..210)', and ask 'histogram(bins)'"
cheaper 'histogram(systolic)' "--derive 'bins=bin(systolic, 20)', and ask 'histogram(bins)'"
expect 0 "$HEBATCH" ask 'count(holds2)' visits.csv --derive 'span=discharged - admitted' --derive 'holds2=span > 7' \
    --dir visits --quiet
[ "$(tail -n 1 out)" = "$("$PYTHON" -c 'print(sum(i % 31 > 7 for i in range(300)))')" ] || fail "another count"

# Options that ask lists are taken by it; --columns says which columns are read.
expect 0 "$HEBATCH" ask --help
sed -n 's/^ *\(-[a-z], \)*--\([a-z-]*\).*/\2/p' out >options
grep -q '^digits$' options && fail "ask lists --digits, which no question can use"
while read -r option value; do
    # shellcheck disable=SC2086 # words
    expect 0 "$HEBATCH" ask 'sum(age)' stays.csv --dir none --dry-run --$option $value
    grep -q "^$option\$" options || fail "--help of ask does not list --$option"
done <<'OPTIONS'
columns age,ward
missing drop
na x
header names
delimiter comma
decimal point
date-format y-m-d
time-of-day drop
charset utf-8
fold all
follow-files
scale age=10
noise expected
security 192
range age=0..200
ranks 1
seal
out answer.csv
OPTIONS
refuse 64 'the question reads column cost of stays.csv: --columns leaves it out' \
    "$HEBATCH" ask 'sum(cost)' stays.csv --columns age --dir none

# An option about a column that the question does not read is refused: it would have no effect, and a range would read
# the column. A column that --derive makes of it is read; --missing COLUMN=drop is about rows.
for option in range=cost=0..9 scale=cost=10 date=admitted derive=old=age\>=65 category=ward fold=ward percent=cost \
    time-of-day=admitted=drop missing=cost=mask 'range="patient id"=0..9'; do
    name=${option%%=*} column=${option#*=}
    refuse 64 "^hebatch ask: the question does not read column '\(${column%%=*}\|patient id\)': leave it out of --$name" \
        "$HEBATCH" ask 'sum(age)' stays.csv --dir none "--$name" "$column"
done
expect 0 "$HEBATCH" ask 'sum(age)' stays.csv --dir none --dry-run --missing cost=drop --scale cost=100
expect 0 "$HEBATCH" ask 'count(old)' stays.csv --dir none --dry-run --derive 'years=bin(age, 10)' \
    --derive "old=years == '60..69'" --missing age=drop
refuse 64 "column 'age': leave it out of --range" "$HEBATCH" ask 'sum(a.cost)' a=stays.csv --dir none --range a.age=0..9
expect 0 "$HEBATCH" ask 'sum(a.age); sum(b.cost)' a=stays.csv b=stays.csv --dir none --dry-run --range a.age=0..120
refuse 64 "column 'age': leave it out of --range" "$HEBATCH" ask 'sum(a.age); sum(b.cost)' a=stays.csv b=stays.csv \
    --dir none --range b.age=0..120
# The cheaper question reads other columns: it is offered whatever range was given.
refuse 64 "this can be computed: --derive 'holds=amount > 2000000', and ask 'count(holds)'$" \
    "$HEBATCH" ask 'count(amount > 2000000)' stays.csv --dir none --range amount=-500000..4000000
for command in "ask sum(age)" "params suggest s=sum(p.age) --table"; do
    # shellcheck disable=SC2086 # words
    refuse 64 ': --round rounds decimals that their --scale does not keep: give --scale, too$' \
        "$HEBATCH" $command stays.csv --round
done

# The announced size counts the ciphertexts of all plain moduli.
"$PYTHON" -c 'print("v")
for i in range(500): print(i * 10**9)' >large.csv
expect 0 "$HEBATCH" ask 'sum(v*v)' large.csv --dir large
said=$(sed -n 's/.*encrypted table \([0-9.]* [KM]iB\)$/\1/p' err)
made=$(sed -n 's/.*large.heb  *\([0-9.]* [KM]iB\)  the encrypted table$/\1/p' err)
"$PYTHON" - "$said" "$made" <<'EOF' || fail "the encrypted table: $said announced, $made made"
import sys
said, made = (float(t.split()[0]) * {"KiB": 1, "MiB": 1024}[t.split()[1]] for t in sys.argv[1:])
assert 0.75 * made < said < 1.1 * made  # the file has sums as well
EOF

printf 'a,b\n"x\ny",1\nz,2\n' >breaks.csv
refuse 65 'column a: a label has a line break or another control character: write a blank in its place$' \
    "$HEBATCH" ask 'groupby(a, sum(b))' breaks.csv --dir none

# A word that is nearly one of --missing is no value; a value that replaces cells is said.
printf 'ward,x\nA,1\n,2\nB,3\n' >gap.csv
refuse 64 'missing maks: did you mean mask?' "$HEBATCH" ask 'groupby(ward, count())' gap.csv --missing maks --dir none
refuse 64 'missing dorp: did you mean drop?' "$HEBATCH" ask 'groupby(ward, count())' gap.csv --missing ward=dorp --dir none
for word in other '"maks"'; do
    expect 0 "$HEBATCH" ask 'groupby(ward, count())' gap.csv --missing "$word" --dir none --dry-run
    complains "1 of 3 cells are missing: replaced by '$(echo "$word" | tr -d '"')'"
done

printf 'x,y\n1,1\n,2\n3,3\n' >holes.csv
# Messages name the thing that is wrong, and ask's own options.
refuse 64 'missing cells: when they are encrypted, --missing COLUMN=drop leaves their rows out, and COLUMN=VALUE' \
    "$HEBATCH" ask '1 / x' holes.csv --missing mask --dir none
printf 'rate,d\n0.125,03/04/2024\n0.5,05/04/2024\n' >rates.csv
refuse 65 'or --scheme ckks for reals' "$HEBATCH" ask 'sum(rate)' rates.csv --scale rate=100 --dir none
expect 65 "$HEBATCH" ask "count(d > '2024-01-01')" rates.csv --dir none
complains 'column d: 03/04/2024 may be 3 April or 4 March$'
refuse 64 "derive 'a=age(admitted, today)': there is no column 'today'; a date is written as" \
    "$HEBATCH" ask 'sum(a)' stays.csv --derive 'a=age(admitted, today)' --dir none
refuse 64 "functions do not nest: .*--derive 'inner=age(admitted)' --derive 'd=bin(inner, 10)'" \
    "$HEBATCH" ask 'groupby(d, count())' stays.csv --derive 'd=bin(age(admitted), 10)' --dir none
refuse 64 'no cell of this value can be missing: a count of such rows is 0$' \
    "$HEBATCH" ask 'count(ward is missing)' stays.csv --dir none
refuse 64 "no column 'bogus'; the columns are patient id, ward, age, cost, admitted, amount, kind$" \
    "$HEBATCH" ask 'mean(bogus)' stays.csv --dir none
refuse 64 'several keys stand in parentheses, as in groupby((p.ward, p.sex), count())$' \
    "$HEBATCH" ask 'groupby(ward, kind, count())' stays.csv --dir none
printf 'Gr\366\337e,x\n1,2\n3,4\n' >latin.csv
refuse 64 '; --charset latin-1 reads them$' "$HEBATCH" ask 'sum("Größe")' latin.csv --dir none

# A proposal has the columns that were named, or there is none.
gone="'count(age is missing)', which cannot be computed either: no cell of this value can be missing: a count of such rows is 0$"
refuse 64 "$gone" "$HEBATCH" ask 'isnull(age)' stays.csv --dir none
refuse 64 "this can be asked: 'sigmoid(age)'$" "$HEBATCH" ask 'logistic(age)' stays.csv --dir none
refuse 64 "the nearest to this is: 'groupby(ward, count(age > 65))'$" \
    "$HEBATCH" ask 'count patients over 65 by ward' stays.csv --dir none
refuse 64 "the nearest to this is: $gone" \
    "$HEBATCH" ask 'how many cells are missing in age' stays.csv --dir none
refuse 64 "own language (hebatch help language)$" "$HEBATCH" ask 'SELECT SUM(Kosten) FROM p' stays.csv --dir none

# A value outside a range is told by its row and line, of integers and of reals, and is not shown.
printf 'h,on,age\n1.5,2024-01-01,7\n,2024-05-05,60\n9,2024-01-08,3\n' >outside.csv
while read -r question range row; do
    refuse 65 "^hebatch ask: outside.csv: row $row, column '${range%%=*}': the value is outside ${range#*=}, which --range says" \
        "$HEBATCH" ask "$question" outside.csv --range "$range" --dir none
done <<'RANGES'
sum(age) age=0..50 2 (line 3)
mean(sigmoid(age)) age=5..60 3 (line 4)
sum(h) h=0..1 1 (line 2)
count(on>'2024-01-03') on=2024-01-01..2024-02-01 2 (line 3)
RANGES

# A terminal shows the first rows of a long answer, how many there are, and the file that has all; a pipe gets all. The
# last lines say where the answer of --out is, how much disk the folder takes, and the command that removes it.
"$PYTHON" -c 'print("x"); [print(i % 97) for i in range(900)]' >long.csv
expect 0 "$PYTHON" "$tests/terminal_answers.py" -- "$HEBATCH" ask 'y = x + 1' long.csv --dir 'long ones' -q
tr -d '\r' <out >shown
[ "$(grep -c '^ *[0-9][0-9]*$' shown)" = 20 ] || fail "another number of rows on a terminal"
grep -q '^these are 20 of 900 rows; long ones/y.csv has all$' shown || fail "nothing names the file with all rows"
[ "$(wc -l <'long ones/y.csv')" = 901 ] || fail "the file that is named has other rows"
expect 0 "$HEBATCH" ask 'y = x + 1' long.csv --dir 'long ones'
[ "$(wc -l <out)" = 901 ] || fail "a pipe does not get all rows"
expect 0 "$HEBATCH" ask 'y = x + 1' long.csv --dir 'long ones' --out all.csv
complains '  all.csv .*  the answer, where --out says$'
complains "^hebatch: long ones takes [0-9.]* [KMG]*iB of disk with all questions so far[; ].*: rm -r 'long ones'$"
cut -d : -f 2- err | sed -n "s/.*in it: rm/rm/p" >removal
[ -s removal ] && sh ./removal && absent 'long ones'

# A word with which the name of one column begins: the whole question is said, in which the name stands in quotes; of
# several columns none is chosen.
printf 'ward,Kosten \342\202\254,Age (years),Age (months)\na,12,30,360\nb,14,40,480\n' >odd.csv
euro=$(printf '\342\202\254')
for question in 'sum(Kosten)' 'sum(kosten)' 'sum("Kosten")'; do
    refuse 64 "did you mean \"Kosten $euro\"? Write 'sum(\"Kosten $euro\")'$" "$HEBATCH" ask "$question" odd.csv --dir none
done
refuse 64 "Write 'n = count(\"Kosten $euro\" > 5); sum(o)'$" "$HEBATCH" ask 'n = count(Kosten > 5); sum(o)' odd.csv --dir none
refuse 64 "Write 'sum(h.\"Kosten $euro\")'$" "$HEBATCH" ask 'sum(h.Kosten)' h=odd.csv --dir none
refuse 64 "this can be asked: 'sum(\"Kosten $euro\")'$" "$HEBATCH" ask 'SUM(Kosten)' odd.csv --dir none
expect 0 "$HEBATCH" ask "sum(\"Kosten $euro\")" odd.csv --dir none --dry-run
expect 64 "$HEBATCH" ask 'sum(Age)' odd.csv --dir none
! grep -q Write err || fail "one of two columns is chosen"
expect 64 "$HEBATCH" ask 'sum(Kosten)' h=odd.csv w=stays.csv --dir none
! grep -q Write err || fail "a column of several tables is written without its table"
