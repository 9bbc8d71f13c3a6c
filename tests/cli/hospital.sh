#!/bin/sh
# A table as people have it: names in quotes with line breaks, decimals, dates, texts, missing cells. The
# proposal of a refusal reads it; every kind of column comes back, compressed and from other delimiters, through
# computing and ranks.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

"$PYTHON" - <<'PYTHON'
import gzip, random
random.seed(5)
rows = []
names = ['"M\u00fcller, ""Max"""', "O'Neill", '"Doe\nJohn"', "Ann Lee"]
for i in range(300):
    weight = "%.2f" % (45 + random.random() * 60)
    rows.append([str(1000 + i), names[i % 4].replace('"M', '"%d M' % i) if i % 4 == 0 else '"%d %s' % (i, names[i % 4].strip('"')) + '"',
                 random.choice("fm"), "%04d-%02d-%02d" % (random.randrange(1931, 2012), random.randrange(1, 13), random.randrange(1, 29)),
                 "%.1f" % (35.5 + random.random() * 5), "" if i % 50 == 7 else weight, random.choice(["yes", "no"]),
                 random.choice(["A", "B", "0"])])
head = ["id", "name", "sex", "born", "temperature", "weight (kg)", "smoker", "blood"]
def text(mark, end, start=""):
    return (start + mark.join('"%s"' % h if " " in h else h for h in head) + end +
            "".join(mark.join(r) + end for r in rows)).encode()
open("hospital.csv", "wb").write(text(",", "\r\n", "\ufeff"))
open("semicolons.csv", "wb").write(text(";", "\n"))
open("tabs.tsv", "wb").write(text("\t", "\n"))
gzip.open("packed.csv.gz", "wb").write(text(",", "\n"))
kept = [r for r in rows if r[5]]
def number(t):
    t = t.rstrip("0").rstrip(".") if "." in t else t
    return t
with open("expected.csv", "w") as out:
    out.write("sex,born,temperature,weight (kg),smoker,blood\n")
    for r in kept:
        out.write(",".join([r[2], r[3], number(r[4]), number(r[5]), {"yes": "true", "no": "false"}[r[6]], r[7]]) + "\n")
with open("sums.txt", "w") as out:
    for sex in "fm":
        mine = [r for r in kept if r[2] == sex]
        total = sum(round(float(r[5]) * 100) for r in mine)
        out.write("%s,%s,%d\n" % (sex, number("%d.%02d" % (total // 100, total % 100)), len(mine)))
PYTHON

expect 0 "$HEBATCH" keygen --n 1024 --bits 50,50,50,50,50,50 --plain 167772161 --insecure --out keys --relin --swap \
    --rotations sum
key=keys/public.h5

# All columns in one message, with what takes the rest, and nothing of what is in them.
refuse 65 "row 1 (line 2), column name: .*; 5 such columns in all: name, sex, .*; read with --columns .*labels, whose list is PUBLIC" \
    "$HEBATCH" encrypt --key $key hospital.csv h.heb
grep -qi "neill\|müller" err && fail "plaintext was printed"
grep -q -e --category err && fail "it is proposed to publish a column"
proposed=$(sed -n 's/.*; read with \(--columns.*\) (it leaves out.*/\1/p' err)
eval "expect 0 \"\$HEBATCH\" encrypt --key $key hospital.csv proposed.heb --quiet $proposed"

columns='sex,born,temperature,"weight (kg)",smoker,blood'
scale='temperature=10,"weight (kg)"=100'
encrypt() { # FILE OUT.heb
    expect 0 "$HEBATCH" encrypt --key $key "$1" "$2" --quiet --force --columns "$columns" --category sex \
        --category blood=A,B,0 --scale "$scale" --missing drop --range measured
}
for file in hospital.csv semicolons.csv tabs.tsv packed.csv.gz; do
    encrypt $file h.heb
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 h.heb back.csv --quiet --force
    same back.csv expected.csv
    expect 0 "$HEBATCH" verify h.heb --key keys/secret.h5 --against $file --missing drop --quiet
    expect 0 "$HEBATCH" verify h.heb --key keys/secret.h5 --against expected.csv --quiet
done
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 h.heb back.tsv --quiet
tr '\t' ',' <back.tsv | cmp - expected.csv || fail "tabs differ"
# HDF5 has the integers, and says what they are.
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 h.heb back.h5:/t --quiet
"$PYTHON" -c 'import h5py
with h5py.File("back.h5") as f: t = f["t"]; assert list(t.attrs["meanings"]) == ["2 labels: f, m", "dates", "decimals, 1 digit",
    "decimals, 2 digits", "true or false", "3 labels: A, B, 0"], list(t.attrs["meanings"])' || fail "not what columns mean"
# So they are not read as numbers, ten times too large.
refuse 65 "back.h5:/t: its attribute meanings says that numbers of column 1 stand for decimals, labels" \
    "$HEBATCH" encrypt --key keys/public.h5 back.h5:/t again.heb --quiet
# Columns without names say what they are, too.
"$PYTHON" -c 'import h5py
with h5py.File("floats.h5", "w") as f: f["t"] = [[1.5, 2], [3, 4]]'
expect 0 "$HEBATCH" encrypt --key keys/public.h5 floats.h5:/t floats.heb --quiet --scale column1=10,column2=1
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 floats.heb unnamed.h5:/t --quiet
"$PYTHON" -c 'import h5py
with h5py.File("unnamed.h5") as f: t = dict(f["t"].attrs); assert {n: list(v) for n, v in t.items()} == {"meanings": [
    "decimals, 1 digit", ""]}, t' || fail "not what columns without names mean"
# shellcheck disable=SC2086
expect 0 env ASAN_OPTIONS=detect_leaks=0 $MPIRUN -n 2 "$HEBATCH" encrypt --key $key packed.csv.gz two.heb --quiet \
    --columns "$columns" --category sex --category blood=A,B,0 --scale "$scale" --missing drop
expect 0 "$HEBATCH" verify two.heb --key keys/secret.h5 --against expected.csv --quiet
expect 0 "$HEBATCH" info h.heb
says "'sex': values 0..1, 2 labels: f, m"
says "'born': values 19[0-9-]*..20[0-9-]*, dates"
says "'weight (kg)': values [0-9.]*..[0-9.]*, decimals, 2 digits"
says "'smoker': values 0..1, true or false"

expect 0 "$HEBATCH" encrypt --key $key hospital.csv short.heb --quiet --columns sex,smoker,id --category sex
expect 0 "$HEBATCH" info short.heb
says "'sex': values 0..1, 2 labels: f, m"
says "'smoker': values 0..1, true or false"
says "'id': values unknown"

# Given options stay when a job goes on.
refuse 65 "row .*column weight (kg): the field is empty; read with .* --missing mask .*; mask skips the missing cells, drop instead leaves out their rows$" "$HEBATCH" encrypt --key $key \
    hospital.csv x.heb --columns "$columns" --category sex --category blood=A,B,0 --scale "$scale"
refuse 65 "has more digits behind the point" "$HEBATCH" encrypt --key $key hospital.csv x.heb \
    --columns '"weight (kg)"' --scale '"weight (kg)"=10' --missing drop
refuse 65 "no label of blood, whose labels are A, B$" "$HEBATCH" encrypt --key $key hospital.csv x.heb --columns blood --category blood=A,B
refuse 64 "there is no column 'bloot'" "$HEBATCH" encrypt --key $key hospital.csv x.heb --columns bloot
refuse 64 "read, not written" "$HEBATCH" decrypt --key keys/secret.h5 h.heb back.csv.gz
absent x.heb x.heb.partial back.csv.gz

# Meanings go through what is computed.
compute() { # EXPRESSION
    expect 0 "$HEBATCH" eval --keys keys "$1" h=h.heb y=y.heb --quiet --force
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --quiet --force
}
compute 'y = h.temperature - 30.5'
awk -F, 'NR > 1 { print $3 * 10 - 305 }' expected.csv >wanted
awk 'NR > 1 { print $1 * 10 }' y.csv | cmp - wanted || fail "decimals and numbers"
compute 'y = h."weight (kg)" + h.temperature'
awk -F, 'NR > 1 { printf "%.0f\n", $4 * 100 + $3 * 100 }' expected.csv >wanted
awk 'NR > 1 { printf "%.0f\n", $1 * 100 }' y.csv | cmp - wanted || fail "decimals of two scales are added"
compute 'y = 2 * h.temperature * h."weight (kg)"'
awk -F, 'NR > 1 { printf "%.0f\n", 2000 * $4 * $3 }' expected.csv >wanted
awk 'NR > 1 { printf "%.0f\n", $1 * 1000 }' y.csv | cmp - wanted || fail "scales of products"
compute 'y = 3 - h.smoker'
awk -F, 'NR > 1 { print 3 - ($5 == "true") }' expected.csv >wanted
sed 1d y.csv | cmp - wanted || fail "truth values"
compute 'y = h.born + 31'
[ "$(sed -n 2p y.csv)" = "$(date -u -d "$(sed -n 2p expected.csv | cut -d, -f2) + 31 days" +%F)" ] || fail "dates"
compute "y = h.sex == 'f'"
awk -F, 'NR > 1 { print $1 == "f" }' expected.csv >wanted
sed 1d y.csv | cmp - wanted || fail "labels are compared"
expect 0 "$HEBATCH" eval --keys keys 'y = groupby(h.sex, sum(h."weight (kg)"), count())' h=h.heb y=g.heb --quiet
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 g.heb g.csv --quiet
sed 1d g.csv | cmp - sums.txt || fail "groups of labels, sums of decimals"
# A plain table is looked up by the texts of its labels, whatever their places there, and says decimals.
printf 'blood,dose\n0,0.5\nAB,7\nA,1.25\n' >doses.csv
expect 0 "$HEBATCH" eval --keys keys 'y = lookup(h.blood, doses, 0) + h.temperature' h=h.heb doses=doses.csv y=y.heb \
    --quiet --force --category blood --scale dose=100
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --quiet --force
awk -F, 'NR > 1 { printf "%.0f\n", $3 * 100 + ($6 == "A" ? 125 : $6 == "0" ? 50 : 0) }' expected.csv >wanted
awk 'NR > 1 { printf "%.0f\n", $1 * 100 }' y.csv | cmp - wanted || fail "a table of labels"
refuse 64 "the first column of the table has another meaning" "$HEBATCH" eval --keys keys 'y = lookup(h.smoker, doses)' \
    h=h.heb doses=doses.csv y=z.heb --category blood --scale dose=100
printf 'smoker,blood\ntrue,A\nfalse,B\n' >kinds.csv
expect 0 "$HEBATCH" eval --keys keys 'y = lookup(h.smoker, kinds)' h=h.heb kinds=kinds.csv y=y.heb --quiet --force \
    --category blood
expect 0 "$HEBATCH" decrypt --key keys/secret.h5 y.heb y.csv --quiet --force
awk -F, 'NR > 1 { print $5 == "true" ? "A" : "B" }' expected.csv >wanted
tail -n +2 y.csv | cmp - wanted || fail "labels that a table gives"
printf 'smoker,born\ntrue,2001-01-01\nfalse,2002-01-01\n' >dates.csv
refuse 64 "lookup gives numbers or labels" "$HEBATCH" eval --keys keys 'y = lookup(h.smoker, dates)' h=h.heb \
    dates=dates.csv y=z.heb
printf 'dose,n\n0.5,1\n1.5,2\n' >decimals.csv
refuse 64 "decimals can be compared, but not looked up" "$HEBATCH" eval --keys keys 'y = lookup(h.smoker, decimals)' \
    h=h.heb decimals=decimals.csv y=z.heb --scale dose=10
# Ranges are said as values are, of what is computed as of what is read.
expect 0 "$HEBATCH" eval --keys keys 'y = sum(h."weight (kg)")' h=h.heb y=y.heb --force --dry-run --range \
    'h."weight (kg)"=0..60'
says "'y': values [0-9.]*\.\.$((60 * $(sed 1d expected.csv | wc -l))), decimals, 2 digits"
expect 0 "$HEBATCH" params suggest 'y = h.temperature' --table h=expected.csv --columns '"weight (kg)",temperature' \
    --scale "$scale" --range h.temperature=0..50
refuse 65 "row [0-9].*, column 'temperature': the value is outside .*, which --range says of the column" \
    "$HEBATCH" params suggest 'y = h.temperature' --table \
    h=expected.csv --columns '"weight (kg)",temperature' --scale "$scale" --range h.temperature=0..38
refuse 64 "no value of the column is equal to a number with so many digits" "$HEBATCH" eval --keys keys \
    'y = h.temperature == 36.625' h=h.heb y=z.heb
refuse 64 "a category takes only comparisons" "$HEBATCH" eval --keys keys 'y = h.sex + 1' h=h.heb y=z.heb
refuse 64 "two dates cannot be added" "$HEBATCH" eval --keys keys 'y = h.born + h.born' h=h.heb y=z.heb
refuse 64 "more than 18 digits" "$HEBATCH" eval --keys keys 'y = h."weight (kg)"^10' h=h.heb y=z.heb
refuse 64 "different things" "$HEBATCH" eval --keys keys 'y = h.born == h.sex' h=h.heb y=z.heb
refuse 64 "'x' is no label of blood, which has 3 labels: A, B, 0" "$HEBATCH" eval --keys keys "y = h.blood == 'x'" \
    h=h.heb y=z.heb
absent z.heb

# For reals there are categories, dates and truth values too.
expect 0 "$HEBATCH" keygen --n 2048 --levels 0 --scale-bits 33 --insecure --out real
expect 0 "$HEBATCH" encrypt --key real/public.h5 packed.csv.gz r.heb --quiet --columns "$columns" --category sex \
    --category blood --missing drop
expect 0 "$HEBATCH" decrypt --key real/secret.h5 r.heb back.csv --quiet --force
cut -d, -f1,2,5,6 back.csv >kinds
cut -d, -f1,2,5,6 expected.csv | cmp - kinds || fail "kinds beside reals"
expect 0 "$HEBATCH" verify r.heb --key real/secret.h5 --against hospital.csv --missing drop --quiet
refuse 64 "reals have no scale" "$HEBATCH" encrypt --key real/public.h5 hospital.csv x.heb --columns temperature \
    --scale temperature=10
