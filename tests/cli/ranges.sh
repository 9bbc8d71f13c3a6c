#!/bin/sh
# Ranges of values: declared, measured, followed through a computation, kept in files; results that may wrap
# around mod t are refused, or say so each time that they are looked at.
vectors=$(CDPATH='' cd -- "$(dirname -- "$0")/../vectors" && pwd)
. "$(dirname "$0")/harness.sh"

# README's flow, with many rows: 40000 patients of 0 to 119 years are 2380000 years, and t of the preset is 1032193.
awk 'BEGIN { print "age,glucose"; for (i = 0; i < 40000; i++) print i % 120 "," i % 361 + 40 }' >patients.csv
expect 0 "$HEBATCH" keygen --params bfv-8192 --out keys --for 's = sum(a.age)'
expect 0 "$HEBATCH" encrypt --key keys/secret.h5 patients.csv patients.heb --quiet
says "^patients.heb: "
sum="$HEBATCH eval --quiet --keys keys"
t=$("$HEBATCH" info patients.heb | sed -n 's/^parameters .* t \([0-9]*\)$/\1/p')
truth=$(awk -F, 'NR > 1 { s += $1 } END { print s }' patients.csv)
[ "$truth" -gt "$t" ] || fail "the sum does not wrap: $truth, t $t"

refuse 65 "s may leave the plain range: the values can be 0 .. 4800000, and mod t = $t .*params suggest.* --range, or --wrap" \
    $sum 's = sum(a.age)' a=patients.heb s=s.heb --range a.age=0..120
[ ! -e s.heb ] && [ ! -e s.heb.partial ] || fail "something was made"
refuse 65 "s may leave the plain range" $sum 's = sum(a.age)' a=patients.heb s=s.heb --range a.age=0..120 --dry-run

wrapped() { # FILE COLUMN
    expect 0 "$HEBATCH" info "$1"
    says "^column       '$2': values unknown, may have wrapped$"
    grep -q "warning: $1: column '$2' may have wrapped around mod t = $t" err || fail "info does not warn"
    expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 "$1" "$1.csv" --force
    says "^column       '$2': values unknown, may have wrapped$"
    grep -q "warning: $1: column '$2' may have wrapped around mod t = $t" err || fail "decrypt does not warn"
    expect 0 "$HEBATCH" decrypt --quiet --json --key keys/secret.h5 "$1" "$1.csv" --force
    "$PYTHON" -c 'import json
r = json.load(open("'"$1"'.csv.report.json"))
assert r["may_wrap"] and r["column"] == [{"name": "'"$2"'", "signed": False, "values": None, "may_wrap": True}], r' || fail "the report of decrypt"
}
expect 0 $sum 's = sum(a.age)' a=patients.heb s=s.heb --range a.age=0..120 --wrap
grep -q "warning: s may leave the plain range" err || fail "--wrap drops the warning"
wrapped s.heb s
[ "$(sed -n 2p s.heb.csv)" = "$((truth % t))" ] || fail "it did not wrap"
expect 0 $sum 's = sum(a.age)' a=patients.heb s=unknown.heb # nobody knows: as today, but said
grep -q "the range of values is not known of a.age" err || fail "an unknown range is not named"
wrapped unknown.heb s
expect 0 $sum 's = rotate(a.age, 1) - 0' a=patients.heb s=copy.heb # the same values in other places
expect 0 "$HEBATCH" info copy.heb
says "^column       's': values unknown$"
expect 0 "$HEBATCH" eval --quiet --keys keys 'r = s + 1' s=s.heb r=r.heb # it cannot get better
wrapped r.heb r
expect 0 "$HEBATCH" export s.heb s-out # nor by going out and coming back, also with the index of an older version
expect 0 "$HEBATCH" import s-out s-back.heb --key keys
wrapped s-back.heb s
sed -i '/"may_wrap"/d; s/"values": null,/"values": null/' s-out/index.json
expect 0 "$HEBATCH" import s-out s-old.heb --key keys
wrapped s-old.heb s

# A t that holds it.
expect 0 "$HEBATCH" params suggest 's = sum(a.age)' --rows 40000 --range a.age=0..120
suggested=$(grep "^hebatch keygen " out | sed 's/^hebatch keygen //; s/--out KEYS/--out large/')
(eval "expect 0 \"\$HEBATCH\" keygen $suggested") || exit 1
expect 0 "$HEBATCH" encrypt --key large/public.h5 patients.csv large.heb --range age=0..120,2=0..1000
expect 0 "$HEBATCH" info large.heb
says "^column       'age': values 0..120$"
says "^column       'glucose': values 0..1000$"
expect 0 "$HEBATCH" eval --keys large 's = sum(a.age)' a=large.heb s=large-s.heb # nothing need be said again
grep -q "warning" err && fail "a warning though all is known"
expect 0 "$HEBATCH" info large-s.heb
says "^column       's': values 0..4800000$"
grep -q warning err && fail "info warns of what is right"
expect 0 "$HEBATCH" decrypt --quiet --key large/secret.h5 large-s.heb large-s.csv
says "^column       's': values 0..4800000$"
[ "$(sed -n 2p large-s.csv)" = "$truth" ] || fail "the sum is wrong"
[ ! -s err ] || fail "decrypt warns of what is right"
expect 0 "$HEBATCH" info large-s.heb --json
"$PYTHON" -c 'import json, sys
c = json.load(open("out"))["table"]["column"]
assert c == [{"name": "s", "signed": False, "values": {"least": "0", "most": "4800000"}, "may_wrap": False}], c' || fail "the JSON of info"

# The rows count exactly: one more than t holds is refused, and t - 1 is not.
small() { # ROWS CODE
    awk -v n="$1" 'BEGIN { print "x"; for (i = 0; i < n; i++) print i % 2 }' >small.csv
    expect 0 "$HEBATCH" encrypt --key tiny/secret.h5 small.csv small.heb --force --quiet --range 0..1
    expect "$2" "$HEBATCH" eval --quiet --keys tiny 's = sum(x)' x=small.heb s=small-s.heb --force
}
expect 0 "$HEBATCH" keygen --n 4096 --bits 35,35,36 --plain 40961 --out tiny --for 's = sum(x)'
small 40960 0
small 40961 65

# Neighbours of the same range share lines; no name is left out.
awk 'BEGIN { for (c = 1; c <= 65; c++) printf "pixel_%d%s", c, c < 65 ? "," : "\n"; for (c = 1; c <= 65; c++) printf "%d%s", c, c < 65 ? "," : "\n" }' >wide.csv
expect 0 "$HEBATCH" encrypt --quiet --key tiny/secret.h5 wide.csv wide.heb --range 0..99,pixel_2=0..2
expect 0 "$HEBATCH" info wide.heb
says "^column       'pixel_1': values 0..99$"
says "^column       'pixel_2': values 0..2$"
says "^columns      'pixel_3', 'pixel_4', .*,$"
says "^             .*'pixel_65', each: values 0..99$"
[ "$(grep -o "'pixel_[0-9]*'" out | sort -u | wc -l)" = 65 ] || fail "names are missing"
[ "$(awk 'length > 130' out)" = "" ] || fail "a line is too long"
expect 0 "$HEBATCH" decrypt --quiet --key tiny/secret.h5 wide.heb wide2.csv
says "^columns      'pixel_3' to 'pixel_65': values 0..99$"

# Stored ranges beside those of options: narrower ones are taken, contradictions are refused.
expect 0 "$HEBATCH" eval --quiet --keys large 'y = 2 * a.age' a=large.heb y=y.heb --range a.age=100..2000
expect 0 "$HEBATCH" info y.heb
says "^column       'y': values 200..240$"
refuse 65 "large.heb says that the values of column 'age' lie in 0..120: none of them is in 121..130" \
    "$HEBATCH" eval --quiet --keys large 'y = 2 * a.age' a=large.heb y=bad.heb --range a.age=121..130
# And what was said but is not so is found when it is decrypted, without showing the value.
refuse 65 "row [0-9]*, column 'y': the value is outside 200..240, where the dataset says" \
    "$HEBATCH" decrypt --quiet --key large/secret.h5 y.heb y.csv
[ ! -e y.csv ] || fail "a table was made"

# For plain tables it is seen to: when they are looked at, or, of more than 2^20 numbers, as they are read.
"$PYTHON" -c 'import h5py, numpy as np
with h5py.File("long.h5", "w") as f:
    f["x"] = np.ones((1 << 20) + 1, dtype=np.int8)
    f["w"] = np.full((1 << 20) + 1, 3, dtype=np.int32)
    f["w"][-1] = 9'
expect 0 "$HEBATCH" encrypt --quiet --key tiny/secret.h5 long.h5:/x long.heb --range 1..1
refuse 65 "long.h5:/w: row 1048577, column 1: the value is outside 0..8, which --range says" \
    "$HEBATCH" eval --quiet --keys tiny 'y = x + w' x=long.heb w=long.h5:/w y=bad.heb --range w=0..8
expect 0 "$HEBATCH" eval --quiet --keys tiny 'y = x + w' x=long.heb w=long.h5:/w y=long-y.heb --range w=0..9
expect 0 "$HEBATCH" info long-y.heb
says "^column       'y': values 1..10$"

# A job file.
cat >job.json <<'J'
{"eval": "s = sum(a.age)", "keys": "keys", "inputs": {"a": "patients.heb"}, "outputs": {"s": "job-s.heb"},
 "ranges": {"a.age": [0, 120]}, "options": {"wrap": false}}
J
refuse 65 "s may leave the plain range" "$HEBATCH" eval job.json
sed 's/"wrap": false/"wrap": true/' job.json >job2.json
expect 0 "$HEBATCH" eval job2.json
wrapped job-s.heb s

# Declared ranges are kept to; measured ones are those of the table, on any number of ranks.
encrypt="$HEBATCH encrypt --quiet --key tiny/secret.h5"
refuse 65 "row 120 (line 121), column 'age': the value is outside 0..118, which --range says" \
    $encrypt patients.csv bad.heb --range age=0..118
refuse 65 "row 1 (line 2), column 'age': the value is outside 1..119" $encrypt patients.csv bad.heb --range age=1..119
refuse 65 "column 'age': 0..40961 is more than t = 40961 holds, 0..40960" $encrypt patients.csv bad.heb --range age=0..40961
refuse 65 "row 1 (line 2), column 'age': the value is outside -5..-1, which --range says" $encrypt patients.csv bad.heb --range age=-5..-1
refuse 64 "the table has no column 'weight'" $encrypt patients.csv bad.heb --range weight=0..1
refuse 64 "the table has 2 columns, and no column 3" $encrypt patients.csv bad.heb --range 3=0..1
for wrong in age=0 age= =0..1 0...1 5..4 age=0..1, age=0..1,age=0..2 age=0..1,1=0..1 .age=0..1 measure; do
    refuse 64 "range" $encrypt patients.csv bad.heb --range "$wrong"
done
[ ! -e bad.heb ] && [ ! -e bad.heb.partial ] || fail "something was made"
printf 'x,y,z\n-7,3,1\n9,4,1\n0,65000,1\n' >signed.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 signed.csv signed.heb --range measured
[ ! -s err ] || fail "a warning of three rows"
printf 'x\n7\n' >one.csv
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 one.csv one.heb --range measured
complains "one.csv has one row: its measured ranges, PUBLIC, say each number; --range says others"
expect 0 "$HEBATCH" info signed.heb
says "^column       'x': values -7..9$"
says "^column       'y': values 3..65000$"
says "^column       'z': values 1..1$"
refuse 65 "row 3 (line 4), column 'y': the value is outside \[0, 40960\]" $encrypt signed.csv bad.heb --range measured
# Labels and truth values have all values of their meaning, also those that no row has.
printf 'l,n,o\nb,3,true\nb,4,true\n' >labels.csv
for moduli in keys tiny; do
    expect 0 "$HEBATCH" encrypt --quiet --key $moduli/secret.h5 labels.csv labels.heb --force --category l=a,b,c --range measured
    expect 0 "$HEBATCH" info labels.heb
    says "^column       'l': values 0..2, 3 labels: a, b, c$"
    says "^column       'n': values 3..4$"
    says "^column       'o': values 0..1, true or false$"
done
expect 0 "$HEBATCH" encrypt --quiet --key keys/secret.h5 signed.csv signed2.heb --range '-100..70000,"y"=0..65000'
expect 0 "$HEBATCH" info signed2.heb
says "^column       'x': values -100..70000$"
says "^column       'y': values 0..65000$"
says "^column       'z': values -100..70000$"
expect 0 "$HEBATCH" decrypt --quiet --key keys/secret.h5 signed2.heb signed2.csv
cmp -s signed.csv signed2.csv || fail "ranges change values"

# Files of older versions: nothing is known, and results may have wrapped.
cp -r "$vectors/datasets" old && chmod 600 old/secret.h5
expect 0 "$HEBATCH" decrypt --quiet --key old/secret.h5 old/version-1 old1.csv
cmp -s old/table.csv old1.csv || fail "a dataset of version 1"
grep -q "may have wrapped" err && fail "a fresh dataset may have wrapped"
expect 0 "$HEBATCH" decrypt --quiet --key old/secret.h5 old/version-2 old2.csv
printf 'größe,b\n34,-6\n-360,8\n0,-289\n' | cmp -s - old2.csv || fail "a dataset of version 2" # 12000 - 12289
grep -q "warning: old/version-2: column 'größe' and 1 more may have wrapped around mod t = 12289" err || fail "version 2 is not judged"
