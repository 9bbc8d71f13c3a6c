#!/bin/sh
# Tables of reals and CKKS: what comes back is what went in but for small errors, of which the tool says how small;
# ranges that become public, tolerances, and what is refused.
. "$(dirname "$0")/harness.sh"

seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
expect 0 "$HEBATCH" keygen --params ckks-13 --out keys
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out integers
key=keys/secret.h5

# reals ROWS COLUMNS: decimals of every form, from -50 to 50.
reals() {
    awk -v rows="$1" -v columns="$2" 'BEGIN {
        srand(7)
        for (c = 1; c <= columns; c++) printf "%sc%d", (c > 1 ? "," : ""), c
        print ""
        for (r = 0; r < rows; r++) {
            for (c = 1; c <= columns; c++) {
                form = (r + c) % 4 == 0 ? "%s%d" : (r + c) % 4 == 1 ? "%s%.3e" : "%s%.6f"
                printf form, (c > 1 ? "," : ""), 100 * rand() - 50
            }
            print ""
        }
    }'
}

# near TABLE TABLE MOST: the largest difference of two CSV is at most MOST, and not 0.
near() {
    "$PYTHON" - "$@" <<'PYTHON' || fail "$1 and $2 are not near"
import csv, sys
one, two = ([line for line in csv.reader(open(name))] for name in sys.argv[1:3])
assert one[0] == two[0] and len(one) == len(two), (one[0], len(one), two[0], len(two))
worst = max([abs(float(x) - float(y)) for a, b in zip(one[1:], two[1:]) for x, y in zip(a, b)], default=0)
assert 0 < worst < float(sys.argv[3]) or len(one) == 1, worst
PYTHON
}

# Every key, packing and encoding; 4096 slots or 8192 coefficients a ciphertext.
reals 9000 3 >a.csv
for options in "--pack columns" "--pack rows" "--encoding coefficients" "--pack rows --encoding coefficients"; do
    for which in secret public; do
        rm -rf a.heb a.back.csv
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" encrypt --quiet --key keys/$which.h5 $options a.csv a.heb
        expect 0 "$HEBATCH" decrypt --key $key a.heb a.back.csv
        near a.csv a.back.csv 1e-6
        [ "$(grep -c "keep these approximate values from anyone who chose inputs or computed" err)" = 1 ] ||
            fail "the warning is not there once"
        [ "$(stat -c %a a.back.csv)" = 600 ] || fail "decrypted values are not private"
        expect 0 "$HEBATCH" verify --quiet a.heb --key $key --against a.csv
        says "^equal to a.csv, cell by cell, to .*: within "
        says "^differences  most in row [0-9]*, column 'c[0-9]': .* for "
    done
done
expect 0 "$HEBATCH" decrypt --quiet --key $key a.heb -
complains "^hebatch: standard output: keep these approximate values"
reals 0 2 >none.csv
expect 0 "$HEBATCH" encrypt --quiet --key $key none.csv none.heb
expect 0 "$HEBATCH" decrypt --quiet --key $key none.heb none.back.csv
same none.csv none.back.csv

# The same seed, the same bytes.
for name in one two; do
    expect 0 "$HEBATCH" encrypt --quiet --key $key --insecure-test-seed $seed a.csv $name.heb
done
expect 0 "$HEBATCH" verify --quiet one.heb --same-as two.heb

# Precision: what was measured is beside what is expected and proven, and reports have it.
rm -rf a.heb a.back.csv
expect 0 "$HEBATCH" encrypt --quiet --key $key a.csv a.heb
expect 0 "$HEBATCH" decrypt --quiet --key $key a.heb a.back.csv
says "^precision    [0-9.]* proven, [0-9.]* expected, [0-9.]* bits by the measured noise$"
"$PYTHON" - <<'PYTHON' || fail "the precision of the report"
import csv, json, math
bits = json.load(open("a.back.csv.report.json"))["precision_bits"]
read = lambda name: [[float(x) for x in line] for line in list(csv.reader(open(name)))[1:]]
worst = max(abs(x - y) for a, b in zip(read("a.csv"), read("a.back.csv")) for x, y in zip(a, b))
true = -math.log2(worst)
assert bits["proven"] < bits["least"] <= bits["mean"], bits
assert abs(bits["least"] - true) < 2 and abs(bits["expected"] - true) < 2 and bits["proven"] < true, (bits, true)
PYTHON

# Coefficients have no parts that are errors alone: nothing is measured, and nothing said to be.
rm -rf c.heb
expect 0 "$HEBATCH" encrypt --quiet --key $key --encoding coefficients a.csv c.heb
expect 0 "$HEBATCH" decrypt --quiet --force --key $key c.heb c.csv
! grep -q "^precision" out || fail "a precision that nobody measured"
"$PYTHON" -c 'import json; bits = json.load(open("c.csv.report.json"))["precision_bits"]
assert bits["least"] is None and bits["mean"] is None and bits["proven"] > 10, bits' || fail "the report of coefficients"

# verify: what is proven of the dataset, or what is asked for; integers exactly.
expect 0 "$HEBATCH" verify --quiet a.heb --key $key --against a.csv --tolerance 1e-4
expect 0 "$HEBATCH" verify --quiet --json a.heb --key $key --against a.csv --tolerance 1e-4
"$PYTHON" -c 'import json; r = json.load(open("out")); assert r["tolerance"] == 1e-4 and 0 < r["largest_difference"] < 1e-6, r' ||
    fail "verify does not report the difference"
"$PYTHON" - <<'PYTHON' || fail "verify does not say where the difference is"
import csv, json
r = json.load(open("out"))
at, rows = r["largest_difference_at"], list(csv.reader(open("a.csv")))
column = at["column_number"] - 1
assert rows[0][column] == at["column"] and float(rows[at["row"]][column]) == at["other"], at
assert abs(abs(at["value"] - at["other"]) - r["largest_difference"]) < 1e-15, (at, r["largest_difference"])
PYTHON
refuse 1 "a.heb and a.csv differ first in row [0-9]*, column 'c[0-9]', by more than 1e-12" \
    "$HEBATCH" verify a.heb --key $key --against a.csv --tolerance 1e-12
awk -F, 'BEGIN { OFS = "," } NR == 1000 { $2 += 0.001 } { print }' a.csv >changed.csv
refuse 1 "differ first in row 999, column 'c2', by more than .*; most in row 999, column 'c2': .* for " "$HEBATCH" verify \
    a.heb --key $key --against changed.csv
refuse 1 "differ first in row 999, column 'c2'" "$HEBATCH" verify a.heb --key $key --against changed.csv --tolerance 0.0009
expect 0 "$HEBATCH" verify a.heb --key $key --against changed.csv --tolerance 0.0011
for bad in x 1e 0x1 nan -1 '' 1,5; do
    refuse 64 "tolerance" "$HEBATCH" verify a.heb --key $key --against a.csv --tolerance "$bad"
done
refuse 64 "goes with --against" "$HEBATCH" verify a.heb --tolerance 1

# Ranges: measured, and rounded outwards to powers of two, or declared; public either way, and held to.
printf 'x,y,z\n36.6,-0.5,0\n-40,0.25,0\n' >r.csv
expect 0 "$HEBATCH" encrypt --key $key r.csv r.heb
grep -q "ranges  *rounded outwards to powers of two: stored, PUBLIC; --range says others" err || fail "not said"
! grep -q "has one row" err || fail "two rows are one"
# For one row they say each number, which nobody is spared.
printf 'x,y\n36.6,-0.5\n' >one.csv
for fill in "" --fill; do
    # shellcheck disable=SC2086 # an option or none
    expect 0 "$HEBATCH" encrypt --quiet --key $key $fill one.csv one.heb --force
    complains "^hebatch: one.csv has one row: its measured ranges, PUBLIC, say each number to a factor of two, and its sign"
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" encrypt --quiet --key $key $fill one.csv one.heb --range=-64..64 --force
    [ ! -s err ] || fail "a warning of what was declared"
done
expect 0 "$HEBATCH" info r.heb
says "^table        2 rows x 3 columns with names, reals of 64 bits$"
says "^column       'x': values -64..64$"
says "^column       'y': values -0.5..0.25$"
says "^column       'z': values 0..2.32831e-10$"
says "^packing      columns, in slots, up to 4096 values a ciphertext$"
says "CKKS in NTT form, made with the secret key"
expect 0 "$HEBATCH" info --json r.heb
"$PYTHON" - <<'PYTHON' || fail "info --json"
import json
r = json.load(open("out"))
assert (r["scheme"], r["cells"], r["form"], r["capacity"], r["table"]["width"]) == ("ckks", "real", "ntt", 4096, 8), r
assert r["table"]["column"][0]["values"] == {"least": -64.0, "most": 64.0} and 0.99 < r["scale"] / 2 ** 38 < 1.01, r
PYTHON
expect 0 "$HEBATCH" encrypt --quiet --force --key $key --range 'x=-40..36.6,2=-5e-1..1' r.csv r.heb
expect 0 "$HEBATCH" info r.heb
says "^column       'x': values -40..36.6$"
says "^column       'y': values -0.5..1$"
expect 0 "$HEBATCH" decrypt --quiet --force --key $key r.heb r.back.csv # ends of ranges, with errors
near r.csv r.back.csv 1e-6
refuse 65 "row 2 (line 3), column 'x': the value is outside -39.9..36.6, which --range says of the column" \
    "$HEBATCH" encrypt --force --key $key --range x=-39.9..36.6 r.csv r.heb
refuse 65 "column 'x': 0 .. 1e+12 is more than scale = 2^38 holds, " \
    "$HEBATCH" encrypt --force --key $key --range x=0..1e12 r.csv r.heb

# Each end by itself, so that what is above 0 stays above it; no value is told, not even where all are the same.
printf 'a,b,c,d,e,f,g,h,i\n20,0,-3,-90,16,-16,1e-20,-1e-20,-0\n90,90.5,90,-20,16,-16,16.5,-5,-4\n' >ends.csv
expect 0 "$HEBATCH" encrypt --key $key ends.csv ends.heb
expect 0 "$HEBATCH" info ends.heb
while read -r name range; do
    says "^column       '$name': values $range$"
done <<'RANGES'
a 16..128
b 0..128
c -4..128
d -128..-16
e 16..32
f -32..-16
g 0..32
h -8..0
i -4..0
RANGES
expect 0 "$HEBATCH" decrypt --key $key ends.heb ends.back.csv
near ends.csv ends.back.csv 1e-6

# A chain of one prime holds less than its scale would.
expect 0 "$HEBATCH" keygen --n 2048 --levels 0 --scale-bits 40 --insecure --out short
printf 'x\n256\n-256\n' >s.csv
expect 0 "$HEBATCH" encrypt --key short/secret.h5 s.csv s.heb
expect 0 "$HEBATCH" verify s.heb --key short/secret.h5 --against s.csv
printf 'x\n2000\n' >s.csv
expect 65 "$HEBATCH" encrypt --quiet --force --key short/secret.h5 s.csv s.heb
grep -q "row 1 (line 2), column 'x': the value is outside -256..256, what scale = 2^40 can hold" err || fail "another reason"

# Texts that are no numbers, and numbers that are too large.
while IFS='|' read -r cell words; do
    printf 'x,y\n1,2\n3,%s\n' "$cell" >bad.csv
    refuse 65 "row 2 (line 3), column '\{0,1\}y'\{0,1\}: .*$words" "$HEBATCH" encrypt --key $key bad.csv bad.heb
    absent bad.heb bad.heb.partial
done <<'CASES'
|is empty
nan|the value is missing (NA, NaN or null)
inf|it is infinite
0x1p3|has letters
"1,5"|a comma where a point should be
1e|an exponent without digits
-1.5E+|an exponent without digits
""|is empty
1e400|too large for a double
1e30|the value is outside .*, what scale = 2^38 can hold; a smaller scale
CASES
h5table t.h5 f 'np.array([[1.5, 2], [np.nan, 4]])'
refuse 65 "t.h5:/f: row 2, column 1: the value is missing (NaN)" "$HEBATCH" encrypt --key $key t.h5:/f bad.heb
h5table t.h5 i 'np.array([[1.5, 2], [3, -np.inf]], dtype=">f4")'
refuse 65 "t.h5:/i: row 2, column 2: the value is infinite" "$HEBATCH" encrypt --key $key t.h5:/i bad.heb
absent bad.heb bad.heb.partial

# Types of HDF5: all become doubles, of the same shape and with the same names.
h5table t.h5 half 'np.arange(12).reshape(4, 3).astype("<f2") / 8'
h5table t.h5 single 'np.arange(700).astype(">f4") / 3'
h5table t.h5 int 'np.array([[-3, 2], [2**20, 7]], dtype="<i8") * 2'
for set in half single int; do
    rm -rf h.heb
    expect 0 "$HEBATCH" encrypt --quiet --key $key t.h5:/$set h.heb
    expect 0 "$HEBATCH" decrypt --quiet --force --key $key h.heb back.h5:/$set
    expect 0 "$HEBATCH" verify --quiet h.heb --key $key --against t.h5:/$set --tolerance 1e-2
    "$PYTHON" - $set <<'PYTHON' || fail "$set is not what it was"
import sys, h5py, numpy as np
with h5py.File("t.h5") as f, h5py.File("back.h5") as g:
    a, b = f[sys.argv[1]], g[sys.argv[1]]
    assert b.dtype.kind == "f" and b.dtype.itemsize == 8 and a.shape == b.shape, (a, b)
    assert np.allclose(a[()].astype("f8"), b[()], rtol=0, atol=1e-2), b[()] - a[()]
PYTHON
    [ "$(stat -c %a back.h5)" = 600 ] || fail "decrypted values are not private"
    rm -f back.h5
done

# Integers stay what they were, and keys of one scheme do not fit the other's datasets.
table 40 2 900 >i.csv
expect 0 "$HEBATCH" encrypt --quiet --key integers/secret.h5 i.csv i.heb
refuse 64 "BFV has integers, so the ends of a range are integers" \
    "$HEBATCH" encrypt --key integers/secret.h5 --range 0..0.5 i.csv bad.heb
expect 0 "$HEBATCH" verify --quiet i.heb --key integers/secret.h5 --against i.csv
says "^equal to i.csv, cell by cell$"
refuse 64 "--tolerance: i.heb holds integers, which are compared exactly" \
    "$HEBATCH" verify i.heb --key integers/secret.h5 --against i.csv --tolerance 1
expect 0 "$HEBATCH" encrypt --quiet --key $key i.csv ri.heb # as reals
expect 0 "$HEBATCH" decrypt --quiet --key $key ri.heb ri.csv
near i.csv ri.csv 1e-6
refuse 65 "r.csv: row 1 (line 2), column x: the field is not an integer: it has a decimal point" \
    "$HEBATCH" encrypt --key integers/secret.h5 r.csv bad.heb
refuse 65 "a.heb was encrypted with a key of CKKS, but integers/secret.h5 is a key of BFV" \
    "$HEBATCH" decrypt --key integers/secret.h5 a.heb never.csv
refuse 65 "i.heb was encrypted with a key of BFV, but $key is a key of CKKS" \
    "$HEBATCH" decrypt --key $key i.heb never.csv
refuse 65 "i.heb was encrypted with a key of BFV, but $key is a key of CKKS" \
    "$HEBATCH" verify i.heb --key $key --against i.csv

# Ciphertexts that nobody encrypted, with sums that hold: nothing of their values is written.
cp -r a.heb forged.heb
"$PYTHON" "$forge" noise forged.heb
refuse 65 "the value is outside -64..64, where the dataset says that all are" \
    "$HEBATCH" decrypt --force --key $key forged.heb never.csv
absent never.csv never.csv.partial never.csv.partial.raw
cp -r a.heb damaged.heb
flip damaged.heb/part-00000.h5 -5000
refuse 65 "" "$HEBATCH" decrypt --key $key damaged.heb never.csv
absent never.csv
