#!/bin/sh
# eval: every operation against Python's own arithmetic (plain_eval.py), what files it reads and makes, what it refuses.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
model=${0%/*}/plain_eval.py
case $model in /*) ;; *) fail "start it by its full path" ;; esac

# Four data primes of 50 bits, t = 65537: six row blocks of 1024.
n=1024
t=65537
EVAL="--n $n --bits 50,50,50,50,51 --plain $t --insecure"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $EVAL --out keys
secret=keys/secret.h5 public=keys/public.h5
expect 0 "$HEBATCH" keygen --key $secret --relin --swap --rotations sum,3,-1
table 5300 3 100 >a.csv
table 5300 3 77 | sed '1s/c/d/g' >b.csv
table 5300 1 13 >k.csv
table 5300 3 9 >w.csv
printf 'x,y,z\n2,5,7\n' >one.csv
h5table w.h5 /w '(np.arange(5300) % 41 - 20).astype("i4")'
expect 0 "$HEBATCH" encrypt --key $secret a.csv a.heb
expect 0 "$HEBATCH" encrypt --key $public b.csv b.heb
expect 0 "$HEBATCH" encrypt --key $secret k.csv k.heb

# evaluate EXPRESSION NAME=FILE...: makes y.heb, and z.heb where the expression assigns z; decrypts and compares. Inputs
# NAME.heb stand for tables NAME.csv.
evaluate() {
    rm -rf ./[yz].heb ./[yz].csv
    text=$1
    shift
    outputs=y=y.heb plain=y=y.csv
    case $text in *"z ="*) outputs="$outputs z=z.heb" plain="$plain z=z.csv" ;; esac
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" eval --keys keys "$text" "$@" $outputs
    absent y.heb.partial z.heb.partial
    for name in y z; do
        [ ! -e $name.heb ] || expect 0 "$HEBATCH" decrypt --key $secret $name.heb $name.csv --force
        if [ -e $name.heb ] && grep -q "BITS OF NOISE" err; then fail "less noise budget than is proven: $text"; fi
    done
    tables=$(for word in "$@"; do echo "${word%.heb}" | sed "/[.]csv$/!{/h5:/!s/$/.csv/}"; done)
    # shellcheck disable=SC2086
    "$PYTHON" "$model" $n $t "$text" $plain $tables || fail "not what plain arithmetic gives: $text"
}

evaluate "y = a + b" a=a.heb b=b.heb
evaluate "y = a * b" a=a.heb b=b.heb
evaluate "y = a - b; z = dot(a, b)" a=a.heb b=b.heb
evaluate "y = -a; z = square(a)" a=a.heb
evaluate "y = a * 3 - 5; z = 7 - a" a=a.heb
evaluate "y = rotate(a, 3); z = rotate(a, -1) + rotate(a, 3) + rotate(a, 5)" a=a.heb
evaluate "y = rotate(a + 1, 511); z = swap(a)" a=a.heb
evaluate "y = sum(a); z = poly(a, 1, 2, 0, 4)" a=a.heb
evaluate "y = sum(rotate(a + 2, 3)); z = a^5" a=a.heb # what rotations bring into slots without rows does not count
evaluate "y = rowsum(a) * k; z = a * k" a=a.heb k=k.heb
evaluate "y = a.c2 * b.d1 + a.c3" a=a.heb b=b.heb
evaluate "y = a * w + b; z = a - w" a=a.heb b=b.heb w=w.csv
evaluate "y = (a + one) * one - one" a=a.heb one=one.csv
evaluate "y = a.c1 * w - w" a=a.heb w=w.h5:/w
evaluate "s = sum(a); y = a - s; z = sum(square(y))" a=a.heb # two passes, and results of both kinds
evaluate "m = a * b
y = m + 1; z = m * m" a=a.heb b=b.heb
evaluate "y = sum(a) * one + 2" a=a.heb one=one.csv

# An encrypted row stands in every row, fresh or as a result, whose other slots are masked; and totals of it.
expect 0 "$HEBATCH" encrypt --key $public one.csv row.heb
cp one.csv row.csv
evaluate "y = rowsum(row * a); z = a - row" a=a.heb row=row.heb
evaluate "y = a.c1 * row.y - row.x * w" a=a.heb row=row.heb w=w.csv
evaluate "y = square(row) * row.z + 1; z = rotate(a * row, 3)" a=a.heb row=row.heb
evaluate "y = dot(a - row, b) - sum(row)" a=a.heb b=b.heb row=row.heb
HEBATCH_COMPACT=off
export HEBATCH_COMPACT
evaluate "y = sum(a * b)" a=a.heb b=b.heb
unset HEBATCH_COMPACT
rm -rf total.heb
mv y.heb total.heb
mv y.csv total.csv
evaluate "y = total - a * row; z = total * b + 1" a=a.heb b=b.heb row=row.heb total=total.heb

# Weights: rows of a table times columns.
printf 'x,y,z\n2,0,-3\n1,1,5\n' >weights.csv
rm -rf y.heb
expect 0 "$HEBATCH" eval --keys keys "y = W @ a + 1" a=a.heb W=weights.csv y=y.heb --wrap
expect 0 "$HEBATCH" decrypt --key $secret y.heb y.csv --force
awk -F, 'NR == 1 { print "column1,column2"; next } { print 2 * $1 - 3 * $3 + 1 "," $1 + $2 + 5 * $3 + 1 }' a.csv >expected.csv
same y.csv expected.csv

# Encrypted weights: each row is taken out and stands in all.
expect 0 "$HEBATCH" encrypt --key $public weights.csv weights.heb
for weights in weights.csv weights.heb; do
    expect 0 "$HEBATCH" eval --keys keys "y = W @ a + 1; z = W @ sum(a)" a=a.heb W=$weights y=y.$weights.heb \
        z=z.$weights.heb --wrap
    for name in y z; do
        expect 0 "$HEBATCH" decrypt --key $secret $name.$weights.heb $name.${weights%.csv}.csv --force
    done
done
"$PYTHON" - <<'PYTHON' || fail "encrypted weights are not what plain ones are"
def rows(name):
    return [[int(v) % 65537 for v in line.split(",")] for line in open(name).read().split()[1:]]
for name in "yz":
    assert rows(name + ".weights.csv") == rows(name + ".weights.heb.csv"), name
PYTHON

# A result is an input like any other, also one whose empty slots hold something.
HEBATCH_COMPACT=off
export HEBATCH_COMPACT
evaluate "y = rotate(a * b, 3)" a=a.heb b=b.heb
unset HEBATCH_COMPACT
rm -rf r.heb
mv y.heb r.heb
mv y.csv r.csv
evaluate "y = r + a; z = sum(r)" r=r.heb a=a.heb
expect 0 "$HEBATCH" info r.heb
says "computed"
says "bits proven"
expect 0 "$HEBATCH" info --json r.heb
"$PYTHON" - <<'PYTHON' || fail "info --json of a result"
import json
report = json.load(open("out"))
assert report["evaluated"] and not report["seeded"] and report["noise_budget_bits"]["proven"] > 0, report
PYTHON
expect 0 "$HEBATCH" verify r.heb --key $secret --against r.csv
says "proven"
expect 0 "$HEBATCH" decrypt --key $secret --json r.heb again.csv
"$PYTHON" - <<'PYTHON' || fail "measured and predicted noise of a result"
import json
bits = json.load(open("out"))["noise_budget_bits"]
assert bits["least"] >= bits["proven"] > 0 and bits["expected"] >= bits["proven"], bits
PYTHON
"$PYTHON" - <<'PYTHON' || fail "the report of a computation"
import json
report = json.load(open("y.heb.report.json"))
assert report["command"] == "eval" and report["exit_code"] == 0 and report["steps_done"] > 0, report
assert [o["name"] for o in report["outputs"]] == ["y", "z"], report
PYTHON
same y.heb.report.json z.heb.report.json

# The same bytes, whatever is done at a time. 130 row blocks: units of 3 of p, of 2 of q, so that steps and units overlap.
table 133000 1 100 >p.csv
table 133000 3 77 >q.csv
expect 0 "$HEBATCH" encrypt --key $secret p.csv p.heb
expect 0 "$HEBATCH" encrypt --key $public q.csv q.heb
text="y = dot(p, q) + 1; z = rotate(q.c3, 3) * p + q * row"
evaluate "$text" p=p.heb q=q.heb row=row.heb
for options in "--queues 3" "--batch 2" "--queues 2 --batch 1"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" eval --keys keys "$text" p=p.heb q=q.heb row=row.heb y=y2.heb z=z2.heb --force $options
    expect 0 "$HEBATCH" verify y2.heb --same-as y.heb
    expect 0 "$HEBATCH" verify z2.heb --same-as z.heb
done

# Steps grow with the batch; without rows to store they are as large, else of whole units: the bytes are the same.
text="s = sum(p.c1 * q.c2); t = sum(s * p.c1)"
expect 0 "$HEBATCH" eval --keys keys "$text" p=p.heb q=q.heb t=t.heb
for batch in 4 7; do
    expect 0 "$HEBATCH" eval --keys keys "$text" p=p.heb q=q.heb t=t2.heb --force --batch $batch
    grep -q "steps  *[0-9]* of $batch row blocks" err || fail "steps do not have the $batch row blocks of a batch"
    expect 0 "$HEBATCH" verify t2.heb --same-as t.heb
done
text="r = p.c1 * q.c2; $text"
expect 0 "$HEBATCH" eval --keys keys "$text" p=p.heb q=q.heb r=rows1.heb t=t3.heb
grep -q "steps  *44 of 3 row blocks" err || fail "the smallest steps do not have the 3 row blocks of a unit"
for run in "7 9" "9 9" "8 9" "1 3" "10 12" "1000 132"; do
    expect 0 "$HEBATCH" eval --verbose --keys keys "$text" p=p.heb q=q.heb r=rows2.heb t=t2.heb --force --batch "${run% *}"
    grep -q "steps  *[0-9]* of ${run#* } row blocks" err || fail "steps do not have whole units of 3 row blocks"
    grep -q "^hebatch: batch  .*at a time: as --batch says" err || fail "nothing says what made the batch"
    expect 0 "$HEBATCH" verify rows2.heb --same-as rows1.heb
    expect 0 "$HEBATCH" verify t2.heb --same-as t3.heb
done
[ "$("$PYTHON" -c 'import json; print(json.load(open("rows2.heb.report.json"))["plan"]["batch_row_blocks"])')" = 130 ] ||
    fail "not all row blocks at a time"
expect 0 "$HEBATCH" eval -n --keys keys "$text" p=p.heb q=q.heb r=rows2.heb t=t2.heb --force
says "^batch  *[0-9]* row blocks* at a time: as suits the cache of a processor"

# One step, whose datasets one thread reads, or several.
for threads in 1 4; do
    expect 0 "$HEBATCH" eval --keys keys "y = a * b + a" a=a.heb b=b.heb y=y.$threads.heb --io-threads $threads
done
expect 0 "$HEBATCH" verify y.4.heb --same-as y.1.heb

# In coefficients values only add; no rows at all; one row.
for rows in 0 1; do
    table $rows 2 50 >small$rows.csv
    expect 0 "$HEBATCH" encrypt --key $secret small$rows.csv small$rows.heb
    rm -rf y.heb
    expect 0 "$HEBATCH" eval --keys keys "y = x * x + x" x=small$rows.heb y=y.heb
    expect 0 "$HEBATCH" decrypt --key $secret y.heb y.csv --force
    awk -F, 'NR == 1 { print; next } { print $1 * $1 + $1 "," $2 * $2 + $2 }' small$rows.csv >expected.csv
    same expected.csv y.csv
done
expect 0 "$HEBATCH" encrypt --key $secret --encoding coefficients w.csv coefficients.heb
rm -rf y.heb
expect 0 "$HEBATCH" eval "y = x + x - w" x=coefficients.heb w=w.csv y=y.heb # no keys are needed
expect 0 "$HEBATCH" verify y.heb --key $secret --against w.csv

# A job file; the command line wins over its options.
mkdir job
cat >job/job.json <<'JSON'
{"eval": ["m = a * b", "y = m - 1"], "keys": "../keys", "inputs": {"a": "../a.heb", "b": "../b.heb"},
 "outputs": {"y": "../job.heb"}, "ranges": {"a": [0, 99], "b": [0, 76]}, "options": {"queues": 2, "dry-run": false}}
JSON
expect 0 "$HEBATCH" eval job/job.json
if grep -q "range" err; then fail "a warning though the ranges are declared"; fi
evaluate "y = a * b - 1" a=a.heb b=b.heb
"$HEBATCH" decrypt --quiet --key $secret job.heb job.csv >out 2>err || fail "the job's result"
same y.csv job.csv
expect 0 "$HEBATCH" eval job/job.json --force --dry-run
says "job.heb: 5300 rows x 3 columns"

# Plans only.
expect 0 "$HEBATCH" eval --keys keys "y = a * b" a=a.heb b=b.heb y=planned.heb --dry-run
says "bits left at least"
says "time  *about"
says "planned.heb"
says "disk .* to write, .* free"
expect 0 "$HEBATCH" eval --keys keys "y = a * b" a=a.heb b=b.heb y=planned.heb --dry-run --json
"$PYTHON" -m json.tool out >/dev/null || fail "eval --dry-run --json is no JSON"
absent planned.heb planned.heb.partial planned.heb.report.json
expect 0 "$HEBATCH" eval --keys keys "y = a * b" a=a.heb b=b.heb y=planned.heb --dry-run
grep -q "range of values is not known of a, b, so .* --range a=LEAST..MOST,b=LEAST..MOST" err ||
    fail "no warning about the range"
grep -q "columns are matched by position (character 7): 'c1' with 'd1', 'c2' with 'd2'" err ||
    fail "no warning about names"
expect 0 "$HEBATCH" eval --keys keys "y = a * b" a=a.heb b=b.heb y=planned.heb --dry-run --quiet
[ "$(grep -c "warning: .*range" err)" = 1 ] || fail "--quiet silences a warning"
expect 0 "$HEBATCH" eval --keys keys "y = a * b" a=a.heb b=b.heb y=planned.heb --dry-run --range "a=0..99,b=-5..76"
if grep -q "range" err; then fail "a warning though the ranges are declared"; fi
refuse 65 "w.h5:/w: column '\?w\?1\?'\? has values outside the range that was declared, 0..1" "$HEBATCH" eval \
    --keys keys "y = a * w" a=a.heb w=w.h5:/w y=planned.heb --range "w=0..1"
expect 0 "$HEBATCH" eval --keys keys "y = a * b" a=a.heb b=b.heb y=planned.heb --dry-run --range "a=0..999,b=0..999" --wrap
grep -q "warning: y.1 and 2 more columns may leave the plain range: the values can be 0 .. 998001, and mod t = 65537" err ||
    fail "no warning about a product above t"
# A column of its own; plain tables are looked at.
expect 0 "$HEBATCH" eval --keys keys "y = a.c1 * b.d2" a=a.heb b=b.heb \
    y=planned.heb --dry-run --range "a.c1=0..99,b=0..999,b.2=0..76"
if grep -q "range" err; then fail "a warning though the ranges are declared"; fi
expect 0 "$HEBATCH" eval "y = a * one + w" a=a.heb one=one.csv w=w.csv y=planned.heb --dry-run --range "a=0..99"
if grep -q "range" err; then fail "a warning though the tables can be read"; fi
expect 0 "$HEBATCH" eval "y = a.c3 * 5000 * one.z" a=a.heb one=one.csv y=planned.heb --dry-run --range "a.\"c3\"=1..2" --wrap
grep -q "y may leave the plain range: the values can be 35000 .. 70000, and" err ||
    fail "the number in a table is not seen"

# One column is called as the result is; several keep their names.
expect 0 "$HEBATCH" eval "n = a.c2 + 1; m = a + 1" a=a.heb n=n.heb m=m.heb
expect 0 "$HEBATCH" decrypt --key $secret n.heb n.csv
expect 0 "$HEBATCH" decrypt --key $secret m.heb m.csv
[ "$(head -n 1 n.csv) $(head -n 1 m.csv)" = "n c1,c2,c3" ] || fail "names of columns: $(head -n 1 n.csv m.csv)"

# refused CODE WORDS EXPRESSION WORD...: and nothing is left behind.
refused() {
    refused_code=$1 refused_words=$2
    shift 2
    refuse "$refused_code" "$refused_words" "$HEBATCH" eval "$@"
    absent bad.heb bad.heb.partial
    [ "$refused_code" != 64 ] || absent bad.heb.report.json
    rm -f bad.heb.report.json
}
refused 64 "character 8 of" "y = a +" a=a.heb y=bad.heb
refused 64 "character 9 .*nothing is bound to 'nobody'" "y = a + nobody" a=a.heb y=bad.heb
refused 64 "keys DIR is missing" "y = a * a" a=a.heb y=bad.heb
refused 64 "nothing would be stored: add y=OUT.heb" "y = a" a=a.heb
refused 64 "has no b" "y = a" a=a.heb b=b.heb y=bad.heb
refused 64 "has no b; if d1 is one of its columns, write b.d1" "y = a + d1" a=a.heb b=b.heb y=bad.heb
refused 64 "'c1'; it is a column of a: write a.c1" "y = a + sum(c1)" a=a.heb y=bad.heb
awk -F, '{ print $3 "," $1 "," $2 }' a.csv >turned.csv
refused 64 "same columns in another order" "y = a * turned" a=a.heb turned=turned.csv y=bad.heb
(printf 'c2,c3,c4\n'; tail -n +2 a.csv) >partly.csv
refused 64 "some columns are on both sides, as 'c[23]', and others on one side alone, 'c1' where the other has 'c2'" \
    "y = a * partly" a=a.heb partly=partly.csv y=bad.heb
(printf '1,2,3\n'; tail -n +2 a.csv) >numbers.csv
(printf '1,2,4\n'; tail -n +2 a.csv) >partly.csv
"$HEBATCH" encrypt --quiet --key keys/public.h5 --header names numbers.csv numbers.heb || fail "names that are numbers"
refused 64 "some columns are on both sides, and others on one side alone; .* by number" "y = numbers * partly" \
    numbers=numbers.heb partly=partly.csv --header names y=bad.heb
refused 64 "bound twice" "y = a" a=a.heb a=b.heb y=bad.heb
refused 64 "both read and assigned" "a = a + 1" a=a.heb
refused 64 "a.heb is read, and a.heb or its .partial would be the same" "y = a + 1" a=a.heb y=a.heb --force
mkdir folder
ln -s ../a.heb folder/link.heb
refused 64 "would be the same" "y = a + 1" a=a.heb y=folder/link.heb --force
refused 64 "inside the other" "y = a + 1" a=a.heb y=a.heb/y.heb
refused 64 "inside the other" "y = a + 1" a=a.heb y=folder/../a.heb/y.heb
cp -R a.heb bad2.heb.partial # an input of this name is none of an unfinished job
refused 64 "the same or one of them inside" "y = a + 1" a=bad2.heb.partial y=bad2.heb --force
expect 0 "$HEBATCH" verify bad2.heb.partial
h5table bad2.heb.partial/part-00009.h5 /w 'np.arange(5300)'
refused 64 "inside the other" "y = a + w" a=a.heb w=bad2.heb.partial/part-00009.h5:/w y=bad2.heb --force
refuse 64 "inside the other" "$HEBATCH" encrypt --key $secret bad2.heb.partial/part-00009.h5:/w bad2.heb --force
[ -e bad2.heb.partial/part-00009.h5 ] || fail "an input was removed"
rm -r bad2.heb.partial
refused 64 "made twice, or inside" "y = a; z = -a" a=a.heb y=bad.heb z=bad.heb.partial
refused 64 "made twice" "y = a; z = -a" a=a.heb y=bad.heb z=bad.heb
refused 64 "found 'y'" "y = a" a=a.heb y
refused 64 "no dataset is read" "y = w + 1" w=w.csv y=bad.heb
refused 64 "worst, drawn, expected or unknown" "y = a" a=a.heb y=bad.heb --noise none
refused 64 "neither reads nor assigns q; of a column q: --range NAME.q=" "y = a" a=a.heb y=bad.heb --range q=1..2
refused 64 "a has no column 'q'" "y = a" a=a.heb y=bad.heb --range a.q=1..2
refused 64 "a has 3 columns, and no column 4" "y = a" a=a.heb y=bad.heb --range a.4=1..2
refused 64 "column 2 of a twice" "y = a" a=a.heb y=bad.heb --range a.2=1..2,a.c2=1..2
refused 64 "range: expected name=least..most" "y = a" a=a.heb y=bad.heb --range a.=1..2
refused 64 "odd name.*found 'a.größe=1..2'" "y = a" a=a.heb y=bad.heb --range a=0..9,a.größe=1..2,a.c2=0..1
refused 64 "character 7 .*3 columns and 2" "y = a * u" --keys keys a=a.heb u=small1.csv y=bad.heb
refused 64 "this is 0 whatever is encrypted" "y = a - a" a=a.heb y=bad.heb
# Which keys are missing, and who can make them: never those of another pair.
refused 66 "no key for rotate(x,-3); make it: .* --key keys/secret.h5 --rotations -3" \
    "y = rotate(a, -3)" --keys keys/ a=a.heb y=bad.heb
id=$("$HEBATCH" info --json $public | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["key_id"])')
refused 66 "no key for rotate(x,7); the owner of the secret key $id makes it: .*--key secret.h5 --rotations 7,100" \
    "y = rotate(a, 7) + rotate(a, 100)" --keys job a=a.heb y=bad.heb
cp keys/galois-3.h5 job
refused 66 "the owner of the secret key $id" "y = rotate(a, 7)" --keys job a=a.heb y=bad.heb
refused 66 "nowhere: No such file" "y = a * a" --keys nowhere a=a.heb y=bad.heb
refused 66 "keys/relin.h5: is no directory" "y = a * a" --keys keys/relin.h5 a=a.heb y=bad.heb
refused 66 "missing.heb" "y = a" a=missing.heb y=bad.heb
refused 66 "nothing.csv" "y = a * w" a=a.heb w=nothing.csv y=bad.heb
refused 66 "nothing.json" nothing.json
mkfifo pipe.json
refused 66 "pipe.json: is not a regular file" pipe.json
refused 64 "job/job.json: a job file binds all names itself; .*'a=a.heb'" job/job.json a=a.heb
cp job/job.json job/renamed.txt
refused 64 "job/renamed.txt: is a file .* ends in .json" job/renamed.txt
sed 's/"b": "..\/b.heb"/"b": "..\/b.heb", "y": "..\/bad.heb"/; s/"y": "..\/job.heb"//' job/job.json >job/mixed.json
refused 64 "y=job/../bad.heb: the job has it among its inputs, but the expression assigns it" job/mixed.json
for option in --batch --queues; do
    refused 64 "$option: 0 is too small" "y = a" a=a.heb y=bad.heb $option 0
done
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $EVAL --out others --relin
expect 0 "$HEBATCH" encrypt --key others/public.h5 b.csv other.heb
refused 65 "a.heb was encrypted with key .* other.heb with key" "y = a + b" a=a.heb b=other.heb y=bad.heb
refused 65 "others/relin.h5" "y = a * a" --keys others a=a.heb y=bad.heb
refused 65 "others: its keys belong to key .* was encrypted with key $id" "y = swap(a)" --keys others a=a.heb y=bad.heb
rm others/public.h5
refused 65 "others: its keys belong to key" "y = swap(a)" --keys others a=a.heb y=bad.heb

# Names of tables are for tables.
for name in bad.csv bad.H5 bad.hdf5 bad.h5:/x bad.h5:x; do
    refused 64 "name it bad.heb, then decrypt it to $name" "y = a" a=a.heb y=$name
    absent "$name" "$name.partial"
done
printf '1,-2,30\n4,5,6\n' >headless.csv
refuse 65 "headless.csv: the first line, which names the columns, has numbers alone" \
    "$HEBATCH" eval --keys keys "y = a * h" a=a.heb h=headless.csv y=y.heb --force --quiet --range a=0..99
expect 0 "$HEBATCH" eval --keys keys "y = a * h" a=a.heb h=headless.csv y=y.heb --force --quiet --range a=0..99 \
    --header names
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $CHAIN --out third
expect 0 "$HEBATCH" encrypt --key third/public.h5 b.csv third.heb
refused 65 "a.heb and third.heb have different parameters" "y = a + b" a=a.heb b=third.heb y=bad.heb
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out single
expect 0 "$HEBATCH" encrypt --key single/public.h5 b.csv single.heb
refused 78 "parameters with a special prime" "y = a * a" --keys single a=single.heb y=bad.heb
table 5299 3 77 >short.csv
expect 0 "$HEBATCH" encrypt --key $secret short.csv short.heb
refused 65 "a.heb has 5300 rows, short.heb has 5299" "y = a + b" a=a.heb b=short.heb y=bad.heb
refused 64 "b has 5299 rows, and a has 5300; expected as many, or one row" "y = a + b" a=a.heb b=short.csv y=bad.heb
refused 65 "a.heb is encoded in slots, and coefficients.heb in coefficients: encrypt both" \
    "y = a + b" a=a.heb b=coefficients.heb y=bad.heb
refused 64 "W stands on the left of @" "y = W @ a + W" a=a.heb W=weights.heb y=bad.heb
refused 64 "b has 5300 rows; encrypted weights have 1 to 1024" "y = b @ a" a=a.heb b=b.heb y=bad.heb
refused 64 "as many encrypted columns as W has, 3" "y = W @ a.c1" a=a.heb W=weights.heb y=bad.heb
expect 0 "$HEBATCH" encrypt --key $secret --encoding coefficients one.csv flat.heb
refused 64 "a row for all acts on slots" "y = a + flat" a=coefficients.heb flat=flat.heb y=bad.heb
expect 0 "$HEBATCH" encrypt --key $secret --pack rows a.csv rows.heb
refused 64 "row by row" "y = a + 1" a=rows.heb y=bad.heb
refused 65 "no noise budget is left after a^4096" "y = a^4096" --keys keys a=a.heb y=bad.heb
printf 'x\n99999\n' >large.csv
refused 65 "large.csv: row 1 (line 2), column 'x'" "y = a * w" a=a.heb w=large.csv y=bad.heb

# failed CODE WORDS EXPRESSION WORD...: what is found while it runs, and nothing is left behind either.
failed() {
    failed_code=$1 failed_words=$2
    shift 2
    expect "$failed_code" "$HEBATCH" eval --keys keys "$@" y=bad.heb z=bad2.heb
    grep -q "^hebatch eval: .*$failed_words" err || fail "the reason does not say '$failed_words': $*"
    absent bad.heb bad.heb.partial bad2.heb bad2.heb.partial
    grep -q "\"exit_code\": $failed_code" bad.heb.report.json || fail "no report of the failure"
    same bad.heb.report.json bad2.heb.report.json
    rm bad.heb.report.json bad2.heb.report.json
}
sed '4000s/,[0-9]*$/,70000/' w.csv >large.csv
failed 65 "large.csv: row 3999 (line 4000), column 'c3'" "y = a * w; z = -a" a=a.heb w=large.csv
# A column that is 0 over a whole row block, here the first of several, fails in the job. One that is 0 in all rows is
# known before the job.
awk 'NR == 1 { print "x,y,z"; next } { print "2," (NR > 3000 ? 5 : 0) ",7" }' w.csv >zero.csv
failed 65 "z: its ciphertext [0-9]* (from 0) is transparent.* a plain table .* is 0 over the whole row block" "z = a * w; y = sum(a)" a=a.heb w=zero.csv
mkdir bad2.heb
expect 73 "$HEBATCH" eval "y = a; z = a + 1" a=a.heb y=bad.heb z=bad2.heb
grep -q "bad2.heb: exists already" err || fail "an output that exists"
expect 0 "$HEBATCH" eval "y = a; z = a + 1" a=a.heb y=bad.heb z=bad2.heb --dry-run
says "^output       bad2.heb: exists already; use --force to replace it"
says "^steps "
mkdir bad.heb.partial
refuse 73 "bad2.heb: is finished, and bad.heb.partial is not; --resume --force makes the one again" \
    "$HEBATCH" eval "y = a; z = a + 1" a=a.heb y=bad.heb z=bad2.heb --resume
rm -r bad2.heb bad.heb.partial bad*.heb.report.json
absent bad.heb bad.heb.partial bad2.heb.partial bad2.heb.report.json
echo mine >bad2.heb.report.json
expect 73 "$HEBATCH" eval "y = a; z = a + 1" a=a.heb y=bad.heb z=bad2.heb
grep -q "bad2.heb.report.json: exists and is no report" err || fail "a file that is no report"
absent bad.heb bad.heb.partial bad2.heb.partial
rm bad2.heb.report.json
expect 0 "$HEBATCH" eval "y = a + 1" a=a.heb y=good.heb
cp good.heb/index.h5 index.h5
expect 73 "$HEBATCH" eval "y = a + 2" a=a.heb y=good.heb
same index.h5 good.heb/index.h5
expect 0 "$HEBATCH" eval "y = a + 2" a=a.heb y=good.heb --force

# Damage is found before anything is believed.
cp -R a.heb damaged.heb
flip damaged.heb/part-00000.h5 -100000
failed 65 "damaged.heb/part-00000.h5: .*do not match their checksum" "y = a + 1; z = a * a" a=damaged.heb

# Counted things have a name, in the singular for one.
expect 0 "$HEBATCH" eval --keys keys "y = a - sum(a)" a=a.heb y=y.heb --force
grep -q "pass 1 of 2: evaluated 6/6 row blocks ([1-9][0-9]\{0,1\}%)" err || fail "the passes are not told apart"
grep -q "pass 2 of 2: evaluated 6/6 row blocks (100%)" err || fail "the passes are not told apart"
expect 0 "$HEBATCH" eval "y = one + one" one=small1.heb y=y.heb --force
grep -q "evaluated 1/1 row block (100%)" err || fail "one row block is not one"
grep -q "y.heb: 1 row x 2 columns, 2 ciphertexts" err || fail "one row is not one"
says "y.heb: 1 row x 2 columns, sum"

# Any number of names.
names=$(seq 1 70)
sum=$(echo "$names" | sed 's/.*/a&/' | paste -sd+)
# shellcheck disable=SC2046 # one word a name
expect 0 "$HEBATCH" eval "y = $sum" y=many.heb $(echo "$names" | sed 's/.*/a&=k.heb/')
expect 0 "$HEBATCH" decrypt --key $secret many.heb many.csv
[ "$(sed -n 2p many.csv)" = $((70 * $(sed -n 2p k.csv))) ] || fail "a sum of 70 names is wrong"

# Results at the lowest level that keeps what they are to keep: the same values, in fewer limbs; what has less stays.
for bits in 20 60 500; do
    expect 0 "$HEBATCH" eval --keys keys --wrap --force --compact $bits "y = a + 1; z = sum(k * k)" a=a.heb k=k.heb y=y.heb \
        z=z.heb
    expect 0 "$HEBATCH" info y.heb
    case $bits in
        20) says "at 1 of 4 limbs" ;;
        60) says "at 2 of 4 limbs" ;;
        500) says "at 4 of 4 limbs" ;;
    esac
    for name in y z; do
        expect 0 "$HEBATCH" decrypt --key $secret --force $name.heb $name-$bits.csv
        same $name-$bits.csv $name-20.csv
    done
done
expect 0 "$HEBATCH" info z.heb
says "at 4 of 4 limbs"

# Progress goes by work: a job of one unit is somewhere between its beginning and its end, and so are its totals.
between='(\([1-9]\|[1-9][0-9]\)%)'
sed 100q k.csv >small.csv
expect 0 "$HEBATCH" encrypt --key $public small.csv small.heb
expect 0 "$HEBATCH" eval --keys keys --progress 0 "y = small + 1" small=small.heb y=small-y.heb
complains "evaluated 0/1 row block $between in .*ETA [0-9]"
complains "evaluated 1/1 row block (100%)"
expect 0 "$HEBATCH" eval --keys keys --progress 0 "y = sum(small)" small=small.heb y=small-s.heb
complains "computed 0/1 total $between in .*ETA [0-9]"
complains "evaluated 1/1 row block $between"
complains "computed 1/1 total (100%)"
expect 0 "$HEBATCH" eval --keys keys --progress 0 "y = rotate(small, 3) + rotate(small, -1)" small=small.heb y=small-r.heb
complains "loaded [12]/2 keys ([0-9]*%) in .*ETA [0-9]"

# Results are compact by default: 10 bits are kept, and a result with fewer keeps them. A dataset that is read again and
# has too few limbs is refused, and the refusal says how it is made with all.
expect 0 "$HEBATCH" eval --keys keys --force "y = a + 1; z = a * b" a=a.heb b=b.heb y=y.heb z=z.heb
for name in y z; do
    expect 0 "$HEBATCH" info $name.heb
    says "at 1 of 4 limbs"
done
expect 0 "$HEBATCH" decrypt --key $secret --force y.heb y.csv
same y.csv y-20.csv
refuse 65 "y.heb is a result that was stored in 1 of its 4 limbs: make it again with eval --compact off" \
    "$HEBATCH" eval --keys keys "r = y * y" y=y.heb r=bad.heb
expect 0 "$HEBATCH" eval --keys keys "s = y + y" y=y.heb s=s.heb
expect 0 "$HEBATCH" eval --keys keys --force --compact off "y = a + 1" a=a.heb y=y.heb
expect 0 "$HEBATCH" info y.heb
says "at 4 of 4 limbs"
expect 0 "$HEBATCH" eval --keys keys "r = y * y" y=y.heb r=r2.heb
refuse 64 "--compact some: it is off, or a number of bits above 0" "$HEBATCH" eval --compact some "r = y + y" y=y.heb r=bad.heb
