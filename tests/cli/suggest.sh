#!/bin/sh
# params suggest: what it finds is secure, holds the values, leaves budget, and is what its keygen line makes.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"

# suggestion PYTHON: the report in ./out as s, its parameters as p.
suggestion() {
    "$PYTHON" - "$1" <<'PYTHON' || fail "the suggestion is not what it should be: $1"
import json, math, sys
s = json.load(open("out"))
p = s["params"]
primes = [int(q, 16) for q in p["primes"]]
assert s["chain_bits"] == math.prod(primes).bit_length() <= s["security_limit_bits"] and not p["insecure"]
p["plain"] = int(p["plain"]) # a string, as all that a modulus bounds
s["outputs"] = [{**o, "least": int(o["least"]), "most": int(o["most"])} for o in s["outputs"]]
assert p["plain"] % (2 * p["n"]) == 1 and all(p["plain"] % d for d in range(2, min(p["plain"], 1 << 16)))
assert s["budget_expected"] >= s["budget_worst"]
for o in s["outputs"]:
    assert o["least"] <= o["most"] and p["plain"] > o["most"] - o["least"], o
exec(sys.argv[1])
PYTHON
}

suggest() {
    expect 0 "$HEBATCH" params suggest "$@" --json
}

# follows: the keygen line that ./out ends in, run, makes keys of the same parameters.
follows() {
    "$PYTHON" -c 'import json; s = json.load(open("out")); print(__import__("shlex").join(s["keygen"])); json.dump(s["params"], open("want", "w"))' >line
    rm -rf KEYS
    (eval "\"$HEBATCH\" ${1:-}$(sed 's/^hebatch //' line) --json") >made 2>err || fail "does not run: $(cat line)"
    "$PYTHON" -c 'import json
made, want = json.load(open("made"))["params"], json.load(open("want"))
assert made["primes"] == want["primes"] and made["plain"] == want["plain"], made' || fail "makes others: $(cat line)"
}

# keygen_says WORDS: the keygen line of the report in ./out has them (a basic regular expression).
keygen_says() {
    "$PYTHON" -c 'import json; print(*json.load(open("out"))["keygen"])' >line
    grep -q -- "$1" line || fail "the keygen line does not say '$1': $(cat line)"
}

# A sum needs no keys, and neither a special prime nor a preset.
suggest 'y = a + b' --rows 1000 --range a=0..100,b=0..100
suggestion 'assert s["budget_worst"] >= 1 and s["keys"] == 0 and s["outputs"] == [{"name": "y", "least": 0, "most": 200}]'
suggestion 'assert p["n"] <= 2048 and s["preset"] is None'
follows

# A dot product rotates and relinearizes.
suggest 'y = sum(a*b)' --rows 5000 --range a=-100..100,b=0..100
suggestion 'assert s["budget_worst"] >= 1 and s["keys"] > 1 and s["key_bytes"] > s["ciphertext_bytes_public"]'
suggestion 'assert s["outputs"] == [{"name": "y", "least": -50000000, "most": 50000000}] and p["plain"] > 10**8'
follows
keygen_says '.*--for'

# One row for all rows of others is spread by sums: keys for them, and noise.
suggest 'y = rowsum(w*x)' --rows 5000 --columns w=3,x=3 --range w=0..9,x=0..100
suggestion 'assert s["keys"] == 1; json.dump(s["chain_bits"], open("rows", "w"))'
suggest 'y = rowsum(w*x)' --rows 5000 --columns w=3,x=3 --range w=0..9,x=0..100 --one-row w
suggestion 'assert s["keys"] > 10 and s["chain_bits"] > json.load(open("rows"))'
keygen_says '.*--one-row w'
follows
printf 'a,b\n3,9\n' >w.csv
printf 'a,b\n3,4\n8,80\n' >x.csv
suggest 'y = rowsum(w*x)' --table w=w.csv,x=x.csv
keygen_says '.*--one-row w'
follows
# A row that stands in every row as it is encrypted (--fill) takes neither, and eval asks for no others than those made.
suggest 'y = rowsum(w*x)' --table w=w.csv,x=x.csv --fill w
suggestion 'assert s["keys"] == 1'
keygen_says '.*--for .* --fill w$'
follows
[ "$(cd KEYS && echo *.h5)" = "public.h5 relin.h5 secret.h5" ] || fail "other keys than that for products"
expect 0 "$HEBATCH" encrypt --key KEYS/secret.h5 --range 0..9 --fill w.csv w.heb
expect 0 "$HEBATCH" encrypt --key KEYS/secret.h5 --range 0..80 x.csv x.heb
expect 0 "$HEBATCH" eval --keys KEYS 'y = rowsum(w*x)' w=w.heb x=x.heb y=y.heb
expect 0 "$HEBATCH" decrypt --key KEYS/secret.h5 y.heb -
rm -r w.heb x.heb y.heb*
[ "$(tail -n 2 out | tr '\n' ' ')" = "45 744 " ] || fail "other results"
suggest 'y = rowsum(w*x) + c' --rows 9 --columns w=3,x=3 --range w=0..9,x=0..9,c=0..1 --one-row c --fill w
keygen_says '.* --one-row c --fill w$'
refuse 64 "fill: the expression reads no 'q'" "$HEBATCH" params suggest 'y = a*b' --rows 9 --range a=0..9,b=0..9 --fill q
refuse 64 "x.csv has more than one row, and --fill" "$HEBATCH" params suggest 'y = w*x' --table w=w.csv,x=x.csv --fill x
refuse 64 "fill names datasets that --for" "$HEBATCH" keygen --params bfv-4096 --fill w --out none
printf 'a,b\n3,9\n1,2\n0,1\n' >W.csv
suggest 'y = W @ x' --table W=W.csv,x=x.csv --one-row W
suggestion 'assert s["keys"] > 10 and s["depth"] == 1 and s["outputs"][0]["most"] == 3 * 8 + 9 * 80, s["outputs"]'
keygen_says '.*--one-row W'
follows
refuse 64 "one-row: the expression reads no 'q'" "$HEBATCH" params suggest 'y = a*b' --rows 9 --range a=0..9,b=0..9 --one-row a,q
refuse 64 "x.csv has more than one row" "$HEBATCH" params suggest 'y = w*x' --table w=w.csv,x=x.csv --one-row x

# Less trust needs no more; more depth no less.
suggest 'y = (a*b)^2' --rows 10 --range a=0..9,b=0..9
suggestion 'json.dump([p["n"], s["chain_bits"]], open("worst", "w"))'
suggest 'y = (a*b)^2' --rows 10 --range a=0..9,b=0..9 --noise expected
suggestion 'assert [p["n"], s["chain_bits"]] <= json.load(open("worst")) and s["budget_expected"] >= 1'
suggest 'y = (a*b)^8' --rows 10 --range a=0..2,b=0..2
suggestion 'assert p["n"] >= json.load(open("worst"))[0] and s["depth"] == 4'
suggest 'y = a*b' --rows 10 --range a=0..9,b=0..9 --security 256
suggestion 'assert p["security"] == 256'
follows

expect 0 "$HEBATCH" params suggest 'y = a*b' --rows 10 --range a=0..9,b=0..9
says "^noise budget .* bits left at worst"
says "^hebatch keygen .* --for 'y = a\*b'"

# Columns: as many as are said or picked, each with its range.
suggest 'y = rowsum(square(x - q))' --rows 100 --range x=0..600,q=0..600 --columns x=4,q=4
suggestion 'assert s["outputs"] == [{"name": "y", "least": 0, "most": 4 * 600 ** 2}]'
follows
h5table wide.h5 x "np.tile(np.array([600, 600, 599, 0], dtype=np.int16), (100, 1))"
h5table wide.h5 q "np.array([[0, 0, 0, 600]], dtype=np.int16)"
for name in x q; do
    expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 "wide.h5:/$name" wide-$name.heb
done
expect 0 "$HEBATCH" eval --keys KEYS 'y = rowsum(square(x - q))' x=wide-x.heb q=wide.h5:/q y=wide-y.heb --range x=0..600
if grep -q "wrap" err; then fail "a warning though t was found for these ranges"; fi
expect 0 "$HEBATCH" decrypt --key KEYS/secret.h5 wide-y.heb wide-y.csv
[ "$(sort -u wide-y.csv | tr '\n' ' ')" = "$((3 * 600 * 600 + 599 * 599)) y " ] || fail "$(sort -u wide-y.csv)"
suggest 'y = p.age + p."odd name" - p.1' --rows 10 --range 'p=0..400,p.age=0..100,p."odd name"=-7..0'
suggestion 'assert s["outputs"] == [{"name": "y", "least": -407, "most": 100}]'
suggest 'z = 2*p; y = z.age - z.sex; v = rowsum(p)' --rows 10 --range p=0..10
suggestion 'assert [(o["least"], o["most"]) for o in s["outputs"]] == [(0, 20), (-20, 20), (0, 20)]'
suggest 'y = (p*k).age + (p*k).sex' --rows 10 --range p=0..10,k=0..2 --columns p=5,k=1
suggestion 'assert s["outputs"] == [{"name": "y", "least": 0, "most": 40}]'

# The keys that the line makes are enough for the expression, at the ends of the ranges too.
expression='y = sum(a*b); z = (a - b)^2 - 7*a'
suggest "$expression" --rows 3000 --range a=-100..100,b=0..100
follows
h5table cells.h5 a "np.where(np.arange(3000) % 3 == 0, -100, 100).astype(np.int8)"
h5table cells.h5 b "np.where(np.arange(3000) % 5 == 0, 37, 100).astype(np.uint8)"
for name in a b; do
    expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 "cells.h5:/$name" $name.heb
done
expect 0 "$HEBATCH" eval --keys KEYS "$expression" a=a.heb b=b.heb y=y.heb z=z.heb --range a=-100..100,b=0..100
for name in y z; do
    expect 0 "$HEBATCH" decrypt --key KEYS/secret.h5 $name.heb "$name.h5:/$name"
done
"$PYTHON" - <<'PYTHON' || fail "the results are not those of the plain computation"
import h5py, numpy as np
cells = h5py.File("cells.h5")
a, b = cells["a"][:].astype(np.int64), cells["b"][:].astype(np.int64)
assert h5py.File("y.h5")["y"][:].ravel().tolist() == [(a * b).sum()]
assert (h5py.File("z.h5")["z"][:].ravel() == (a - b) ** 2 - 7 * a).all()
PYTHON

# holds EXPRESSION FORMULA [EVAL OPTIONS]: with the keys that ./out asks for, x of x.csv gives what Python says.
holds() {
    expression=$1 formula=$2
    shift 2
    follows
    rm -rf x.heb* y.heb* y.h5
    expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 x.csv x.heb
    expect 0 "$HEBATCH" eval --keys KEYS "$expression" x=x.heb y=y.heb "$@"
    expect 0 "$HEBATCH" decrypt --key KEYS/secret.h5 y.heb y.h5:/y
    "$PYTHON" - "$formula" <<'PYTHON' || fail "not what $expression is"
import h5py, json, sys
t = int(json.load(open("want"))["plain"])
rows = [[int(v) for v in line.split(",")] for line in open("x.csv").read().splitlines()[1:]]
found = h5py.File("y.h5")["y"][:].reshape(len(rows), -1)[:, 0].tolist()
for x, y in zip(rows, found):
    assert (eval(sys.argv[1]) - y) % t == 0, (x, y)
PYTHON
}

# cells LEAST MOST ROWS: x.csv, a column of those two by turns.
cells() {
    "$PYTHON" -c 'import sys; a, b, n = map(int, sys.argv[1:]); print("x", *[b if i % 3 else a for i in range(n)], sep="\n")' "$@" >x.csv
}

# The expected bound suffices at depth 4, at the ends of the range.
suggest 'y = x^16' --rows 10000 --range x=-3..3 --noise expected
suggestion 'assert s["budget_expected"] >= 4 > s["budget_worst"]'
cells -3 3 10000
holds 'y = x^16' 'x[0] ** 16' --noise expected
suggest 'y = ((x*x)*x)*x' --rows 100 --range x=-3..3 --noise expected
cells -3 3 100
holds 'y = ((x*x)*x)*x' 'x[0] ** 4' --noise expected
# Ciphertexts have to be fresh before anything is computed: of that keygen asks the proven bound in any case.
suggest 'y = 7*x.a - 3*x.b' --rows 10 --range x.a=0..0,x.b=0..1000 --plain-bits 20 --noise expected
follows

# As few primes as do, and short ones, before a preset that is longer.
suggest 'y = x^16' --rows 10000 --range x=0..1
suggestion 'assert len(primes) <= 6 and max(primes) < 2 ** 50 and s["preset"] is None and s["budget_worst"] >= 1'
cells 0 1 10000
holds 'y = x^16' 'x[0] ** 16'

# A t that is given, and one of so many bits.
suggest 'y = 7*x^4 - x' --rows 100 --range x=-9..9 --plain 65537 --wrap
suggestion 'assert p["plain"] == 65537'
cells -9 9 100
holds 'y = 7*x^4 - x' '7 * x[0] ** 4 - x[0]'
expect 0 "$HEBATCH" params suggest 'y = 7*x^8' --rows 100 --range x=-9..9 --plain 65537 --wrap
says "^values .*wraps around mod t"
suggest 'y = x*x' --rows 100 --range x=-9..9 --plain-bits 30
suggestion 'assert p["plain"].bit_length() == 30'
cells -9 9 100
holds 'y = x*x' 'x[0] ** 2'

# Rows and ranges of a table.
printf 'age,glucose\n41,-98\n93,131\n50,104\n' >patients.csv
suggest 'y = (p.age - p.glucose)^2' --table patients.csv
suggestion 'assert s["rows"] == 3 and s["outputs"] == [{"name": "y", "least": 0, "most": (93 + 98) ** 2}]'
cp patients.csv x.csv
suggest 'y = (x.age - x.glucose)^2' --table x=x.csv
holds 'y = (x.age - x.glucose)^2' '(x[0] - x[1]) ** 2'
suggest 'y = (p.age - p.glucose)^2' --table p=patients.csv --rows 9000 --range p.age=0..120
suggestion 'assert s["rows"] == 9000 and s["outputs"][0]["most"] == (120 + 98) ** 2'
h5table small.h5 a "np.array([[5, 6], [7, 8]], dtype=np.int16)"
suggest 'y = rowsum(p*q)' --table p=small.h5:/a,q=small.h5:/a
suggestion 'assert s["outputs"] == [{"name": "y", "least": 5 * 5 + 6 * 6, "most": 7 * 7 + 8 * 8}]'

# Names with quotes, dots, spaces and letters of all kinds.
printf '"Mean ""x"" (mm)",a.b c,größe\n1,20,300\n4,50,600\n' >x.csv
expression='y = x."Mean ""x"" (mm)" * x."a.b c" - x."größe"'
suggest "$expression" --table x.csv --range 'x."Mean ""x"" (mm)"=-9..9'
suggestion 'assert s["outputs"] == [{"name": "y", "least": -9 * 50 - 600, "most": 9 * 50 - 300}]'
holds "$expression" 'x[0] * x[1] - x[2]' --range 'x."Mean ""x"" (mm)"=-9..9,x=0..600'
suggest 'y = x."Mean ""x"" (mm)" + x.2' --rows 2 --range 'x."Mean ""x"" (mm)"=0..9,x.2=0..5'
suggestion 'assert s["outputs"] == [{"name": "y", "least": 0, "most": 14}]'

refuse 64 "suggest 'EXPRESSION'" "$HEBATCH" params suggest
refuse 64 "rows" "$HEBATCH" params suggest 'y = a' --range a=0..9
refuse 64 "the ranges of these are not known: b; give them with --range a=0..9,b=LEAST..MOST" \
    "$HEBATCH" params suggest 'y = a*b' --rows 10 --range a=0..9
refuse 64 "range p.y=0..9,a=LEAST..MOST,p.x=LEAST..MOST" "$HEBATCH" params suggest 'y = a*p.x + p.y' --rows 10 --range p.y=0..9
refuse 64 "rowsum adds up columns: say how many x has with --columns x=COUNT" \
    "$HEBATCH" params suggest 'y = rowsum(square(x - q))' --rows 10 --range x=0..9,q=0..9
refuse 64 "expected name=COUNT" "$HEBATCH" params suggest 'y = x' --rows 10 --range x=0..9 --columns x=0
refuse 64 "names 'z', which the expression does not read" \
    "$HEBATCH" params suggest 'y = x' --rows 10 --range x=0..9 --columns z=1
refuse 64 "twice" "$HEBATCH" params suggest 'y = x' --rows 10 --range x=0..9 --columns x=1,x=2
# Less precision takes no larger ring: functions may have to be right to more bits than results, with more levels.
for bits in 4 7 10; do
    expect 0 "$HEBATCH" params suggest 'y = x.age / x.kg' --rows 40 --scheme ckks --range x.age=20..90,x.kg=40..120 \
        --precision $bits
    says "custom, N 16384"
done

# Numbers count among the columns that are read, and nobody may take one for another.
printf 'id,age,kg\nP7,74,11\nP8,75,12\n' >numbered.csv
refuse 64 "2 counts only the columns that --columns reads, where it is column kg; pick it by its name" \
    "$HEBATCH" params suggest 'm = mean(p.2)' --table p=numbered.csv --columns age,kg
refuse 64 "character 7 of .*--columns says x=2, fewer than are picked" \
    "$HEBATCH" params suggest 'y = x.3' --rows 10 --range x=0..9 --columns x=2
refuse 64 "columns says x=1, fewer than are picked" \
    "$HEBATCH" params suggest 'y = x.a + x.b' --rows 10 --range x=0..9 --columns x=1
refuse 64 "x can have 100000 columns at most" "$HEBATCH" params suggest 'y = x.100001' --rows 10 --range x=0..9
refuse 64 "range: x has no column 'c'" "$HEBATCH" params suggest 'y = x.a + x.b' --rows 10 --range x=0..9,x.c=1..2
refuse 64 "does not read" "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9,b=0..9
refuse 64 "character 7 of" "$HEBATCH" params suggest 'y = a*' --rows 10 --range a=0..9
refuse 64 "worst or expected" "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --noise low
refuse 64 "it takes --plain, --plain-bits, --wide, --security and --security-table" \
    "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --n 4096 --bits 30,30,31
# A preset that is named is judged, and no other is looked for.
expect 0 "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --params bfv-4096
says "^parameters  *bfv-4096, "
refuse 64 "give one of them" "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --plain 65537 --plain-bits 20
refuse 78 "65539 cannot batch for any N" "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --plain 65539
refuse 78 "2 to 60 bits" "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --plain 0
refuse 78 "12 to 60 bits" "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --plain-bits 9
refuse 65 "character 1: y can be 0 .. 43046721, which needs a t of 43046722 or more; --wrap" \
    "$HEBATCH" params suggest 'y = a^16' --rows 10 --range a=-3..3 --plain 65537
refuse 65 "the values of the tables need a t of 100001" \
    "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..100000 --plain 65537 --wrap
refuse 65 "can batch up to N = 2048" \
    "$HEBATCH" params suggest 'y = a*a*a*a*a*a' --rows 10 --range a=0..1 --plain 12289
refuse 64 "expected NAME=FILE of a name that the expression reads, as p=" \
    "$HEBATCH" params suggest 'y = p.age + q' --table patients.csv --range q=0..1
refuse 64 "two files of p" "$HEBATCH" params suggest 'y = p.age' --table p=patients.csv,p=patients.csv
refuse 64 "has more rows" "$HEBATCH" params suggest 'y = p.age' --table patients.csv --rows 2
refuse 64 "names p, which has a table" "$HEBATCH" params suggest 'y = p.age' --table patients.csv --columns p=2
refuse 64 "no column" "$HEBATCH" params suggest 'y = p.weight' --table patients.csv
refuse 65 "row [0-9].*, column 'age': the value is outside .*, which --range says of the column" \
    "$HEBATCH" params suggest 'y = p.age' --table patients.csv --range p.age=0..90
refuse 66 "nowhere.csv" "$HEBATCH" params suggest 'y = p.age' --table nowhere.csv
refuse 65 "character 1: y can be 0 .. 1000000000000000000000000, which no t of 60 bits" \
    "$HEBATCH" params suggest 'y = a*a*a*a' --rows 10 --range a=0..1000000 --plain-bits 60

# Several plain moduli hold what no t does; keygen makes the same ones.
expect 0 "$HEBATCH" params suggest 'y = a*b; s = sum(y)' --rows 10000000 \
    --range a=-9223372036854775808..9223372036854775807,b=0..18446744073709551615
says "^t             4 plain moduli of 39 bits each$"
says "^values        y: -170141183460469231722463931679029329920 .. 170141183460469231704017187605319778305$"
wide=$(sed -n 's/^hebatch keygen \(.*\) --out KEYS.*/\1/p' out)
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params show $wide
says "4 plain moduli: .*; their product has 156 bits"
# Where one t makes a chain, and a ring, so long that two shorter ones take less together, there are two.
taxed='sum(p.price * (100 - p.off) * (100 + p.tax) where p.day in (3..5))'
range=p.price=90000..10500000,p.off=0..10,p.tax=0..8,p.day=1..12
expect 0 "$HEBATCH" params suggest "s = $taxed" --rows 10000 --range $range --json
"$PYTHON" -c 'import json; p = json.load(open("out"))["params"]; assert len(p["plains"]) == 2 and p["n"] == 16384, p'
expect 0 "$HEBATCH" params suggest "s = $taxed" --rows 10000 --range $range --plain-bits 54
says "^t             [0-9]* (54 bits)$"
refuse 78 "128, 192 and 256, and 128q" "$HEBATCH" params suggest 'y = a' --rows 10 --range a=0..9 --security 100

# CKKS: levels, the smallest scale that keeps what is asked for, room for the results.
reals="--scheme ckks --rows 1000 --range a=-1..1,b=0..2"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" params suggest 'y = a * b + 0.5 * a' $reals
says "^levels        1, scale 2^34$"
says "^values        y: -2.5 .. 2.5$"
for precision in 8 17 20 41; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" params suggest 'y = a^4 * b' $reals --precision $precision --json
    chain=$("$PYTHON" - $precision <<'PYTHON'
import json, sys
found, precision = json.load(open("out")), float(sys.argv[1])
assert found["budget_worst"] >= precision and found["params"]["scheme"] == "ckks" and found["depth"] == 3
assert found["chain_bits"] <= found["security_limit_bits"] and len(found["params"]["scales"]) == 4
print(found["params"]["n"], found["params"]["scale_bits"], found["preset"] or "custom", " ".join(found["keygen"]).split(" --out")[0].split("keygen ")[1])
PYTHON
    ) || fail "the suggestion for a precision of $precision bits"
    # shellcheck disable=SC2086 # three words, then options
    set -- $chain
    n=$1 scale=$2 preset=$3
    shift 3
    # A scale a bit smaller does not keep it.
    if [ $preset = custom ] && [ "$scale" -gt 34 ] && [ "$scale" != 64 ]; then
        code=0
        # shellcheck disable=SC2086
        "$HEBATCH" params suggest 'y = a^4 * b' $reals --precision $precision --scale-bits $((scale - 1)) >out 2>err || code=$?
        [ $code = 65 ] || ! grep -q ", N $n, " out || fail "2^$scale is not the smallest scale for $precision bits"
    fi
    expect 0 "$HEBATCH" params check "$@"
    says "^allowed: .*, N $n, .*, scale 2^$scale,"
done
# Suggested parameters keep their promises: by the plan, and measured; also where encrypt rounds ranges outwards.
"$PYTHON" - <<'PYTHON'
import random
random.seed(3)
with open("reals-in.csv", "w") as f:
    f.write("a,b\n")
    for _ in range(700):
        f.write(f"{random.uniform(-1, 1.3)!r},{random.uniform(0, 1.7)!r}\n")
PYTHON
for expression in 'y = t.a^4 * t.b - 0.25 * t.a' 'y = 3 * t.b + 1.5' 'y = rotate(t.a, 5) * t.b + t.a^2' 's = mean(t.a * t.b)' \
    'y = sigmoid(4 * t.a - t.b)'; do
    out=${expression%% *}
    expect 0 "$HEBATCH" params suggest "$expression" --scheme ckks --table reals-in.csv --precision 10 --json
    command=$("$PYTHON" -c 'import json; _ = json.load(open("out"))["keygen"]; print(" ".join(_).split(" --for")[0].split("hebatch ")[1])')
    rm -rf KEYS t.heb result.heb result.csv
    # shellcheck disable=SC2086 # a command line
    expect 0 "$HEBATCH" $command --for "$expression"
    expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 reals-in.csv t.heb --range measured
    expect 0 "$HEBATCH" eval --keys KEYS --precision 10 "$expression" t=t.heb $out=result.heb
    expect 0 "$HEBATCH" decrypt --key KEYS/secret.h5 result.heb result.csv
    "$PYTHON" - "$expression" <<'PYTHON' || fail "results of $expression under what was suggested"
import csv, math, sys
rows = [(float(r["a"]), float(r["b"])) for r in csv.DictReader(open("reals-in.csv"))]
got = [float(line) for line in open("result.csv").read().split()[1:]]
a, b = [r[0] for r in rows], [r[1] for r in rows]
wanted = {
    "y = t.a^4 * t.b - 0.25 * t.a": [x**4 * y - 0.25 * x for x, y in rows],
    "y = 3 * t.b + 1.5": [3 * y + 1.5 for _, y in rows],
    "y = rotate(t.a, 5) * t.b + t.a^2": [(a[i + 5] if i + 5 < len(a) else 0) * b[i] + a[i]**2 for i in range(len(a))],
    "s = mean(t.a * t.b)": [sum(x * y for x, y in rows) / len(rows)],
    "y = sigmoid(4 * t.a - t.b)": [1 / (1 + math.exp(y - 4 * x)) for x, y in rows],
}[sys.argv[1]]
assert len(got) == len(wanted) and all(abs(x - y) < 2**-10 for x, y in zip(got, wanted)), (got[:4], wanted[:4])
PYTHON
done
# A preset where it hardly takes more.
expect 0 "$HEBATCH" params suggest 'y = a^8' --scheme ckks --rows 9 --range a=-1..1 --precision 6
says "^parameters    ckks-13, N 8192, 5 primes of 214 bits together$"
says "^hebatch keygen --params ckks-13 --out KEYS --for"
# Sums that one prime has no room for beside the scale stay a level higher.
expect 0 "$HEBATCH" params suggest 's = sum(a)' --scheme ckks --rows 100000 --range a=-1..1.5
says "^levels        [1-9]"
printf 'a,b\n-0.5,1e-3\n0.25,2.5\n' >reals.csv
expect 0 "$HEBATCH" params suggest 'y = t.a * t.b' --scheme ckks --table reals.csv
says "^values        y: -2 .. 1$" # of -0.5 .. 0.25 and of 2^-10 .. 4, which encrypt makes public
refuse 65 "beside values up to 2^1 these keep 52 bits" "$HEBATCH" params suggest 'y = 2 * a^16' --scheme ckks --rows 9 \
    --range a=-1..1 --precision 53
# A wider gap of comparisons takes fewer levels.
for gap in 2^-2 0.0625; do
    suggest 'y = a < b' --scheme ckks --rows 9 --range a=-1..1,b=-1..1 --precision 6 --gap $gap
    "$PYTHON" -c 'import json; print(json.load(open("out"))["depth"])' >>levels
done
[ "$(sed -n 1p levels)" -lt "$(sed -n 2p levels)" ] || fail "levels of wider gaps: $(tr '\n' ' ' <levels)"
refuse 64 "comparisons of BFV are exact" "$HEBATCH" params suggest 'y = a' --rows 9 --range a=0..1 --gap 0.5
refuse 64 "between 0 and 1" "$HEBATCH" params suggest 'y = a < 0' --scheme ckks --rows 9 --range a=0..1 --gap 2
refuse 64 "results of BFV are exact; reals are for --scheme ckks" "$HEBATCH" params suggest 'y = a' --rows 9 --range a=0..1 --precision 5
refuse 64 "takes the first alone" "$HEBATCH" params suggest 'y = a' --scheme ckks --rows 9 --range a=0..1 --levels 3
refuse 78 "chains that are suggested have 34 to 49, or 64 to 95" "$HEBATCH" params suggest 'y = a' --scale-bits 50 --rows 9 --range a=0..1
refuse 64 "values of CKKS do not wrap around" "$HEBATCH" params suggest 'y = a' --scheme ckks --rows 9 --range a=0..1 --wrap
# Options of the other scheme are no silent ones.
refuse 64 "the parameters are of CKKS" "$HEBATCH" params suggest 'y = a' --scheme ckks --rows 9 --range a=0..1 --plain 65537
refuse 64 "the parameters are of BFV" "$HEBATCH" params suggest 'y = a' --scheme bfv --rows 9 --range a=0..1 --scale-bits 40

# Weights before an @ are read themselves, and say how many columns there are.
printf 'p,q\n1.5,-2.25\n0.5,0.25\n-1,1\n' >weights.csv
expect 0 "$HEBATCH" params suggest 'y = (w @ x).3 + (w @ x).1' --scheme ckks --table w=weights.csv --rows 1000 \
    --range x=-1..1 --precision 12
says "^levels        1, scale"
says "^values        y: -1.75 .. 1.75$"
says "^time          about [0-9.]* [a-z]* to compute for 1000 rows, [0-9.]* [a-z]* for a million, on one core"
refuse 64 "w has weights, whose values are needed: add --table w=FILE" "$HEBATCH" params suggest 'y = w @ x' --scheme ckks \
    --rows 9 --range x=0..1
printf 'p,q\n1,-2\n3,4\n' >integers.csv
suggest 'y = w @ x' --rows 1000 --range x=-10..10 --table w=integers.csv
suggestion 'assert [[o["least"], o["most"]] for o in s["outputs"]] == [[-70, 70]] and s["seconds_million_rows"] > 0'
# For several results the one that needs the parameters is named.
expect 0 "$HEBATCH" params suggest 's = sum(a); p = a^8; q = a + 1' --rows 1000 --range a=0..9
says "^dearest       p: bits left: [0-9]*; of the other results: [0-9]* or more$"
expect 0 "$HEBATCH" params suggest 'q = a + 1; p = a^8' --rows 1000 --range a=0..1 --scheme ckks
says "^dearest       p: primes left: [0-9]*; of the other results: [0-9]* or more$"
expect 0 "$HEBATCH" params suggest 'p = a^8' --rows 1000 --range a=0..9
grep -q "^dearest" out && fail "one result is the dearest of one"
# Results that are shown need room for the noise that hides their errors.
for share in "" "--share 100"; do
    # shellcheck disable=SC2086
    suggest 'y = x * x' --scheme ckks --rows 1000 --range x=-1..1 --precision 12 $share
    "$PYTHON" -c 'import json; print(json.load(open("out"))["params"]["scale_bits"])' >>scales
done
[ "$(sed -n 2p scales)" -ge $(($(sed -n 1p scales) + 16)) ] || fail "scales of results that are shown: $(tr '\n' ' ' <scales)"
expect 0 "$HEBATCH" params suggest 'y = x * x' --scheme ckks --rows 1000 --range x=-1..1 --precision 12 --share 100
says "^shown         1[2-9] bits left of 100 results whose errors are hidden$"
refuse 64 "results of BFV are exact, and there is nothing to hide" "$HEBATCH" params suggest 'y = a' --rows 9 \
    --range a=0..1 --share 5
# Functions take as many levels as the precision needs; where one prime a level is too little for it, two.
expect 0 "$HEBATCH" params suggest 'y = relu(x)' --scheme ckks --rows 10000 --range x=-1..1 --precision 9
says "^levels        1[0-9], scale 2^[34][0-9]$"
expect 0 "$HEBATCH" params suggest 'y = sigmoid(x)' --scheme ckks --rows 10000 --range x=-1..1 --precision 30
says "^levels        4, scale 2^[6-9][0-9]$"

# held LARGEST RIGHT TOLERANCE EXPRESSION OPTIONS...: what is suggested for reals.csv holds its values, and the first row of
# y is RIGHT.
held() {
    largest=$1 right=$2 tolerance=$3 expression=$4
    shift 4
    printf '%s\n' x 56.32 "$largest" >large.csv
    expect 0 "$HEBATCH" params suggest "$expression" --scheme ckks --table p=large.csv "$@"
    if grep -q "boot-16" out; then fail "bootstrapping for $expression"; fi
    command=$(sed -n 's/^hebatch \(keygen .*\)--out KEYS.*/\1/p' out)
    rm -rf KEYS p.heb* y.heb*
    # shellcheck disable=SC2086 # a command line
    expect 0 "$HEBATCH" $command --out KEYS --for "$expression"
    expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 large.csv p.heb --range measured
    expect 0 "$HEBATCH" eval --keys KEYS "$expression" p=p.heb y=y.heb
    expect 0 "$HEBATCH" decrypt --key KEYS/secret.h5 y.heb -
    "$PYTHON" -c 'import sys
got, right, tolerance = float(open("out").read().split()[1]), float(sys.argv[1]), float(sys.argv[2])
assert abs(got - right) <= tolerance, (got, right)' "$right" "$tolerance" || fail "$expression of $largest"
}
# Scales hold the values of tables, of results and of all between, also those of two primes.
held 14556132.156 4825.8976 0.001 'y = 0.4 + 1.2*p.x + 1.5*p.x^2' --precision 3
held 14556132.156 4825.8976 0.01 'y = 0.4 + 1.2*p.x + 1.5*p.x^2'
held 300000000.5 150000028.41 0.001 'y = mean(p.x)'
held 1e13 5000000000028.16 0.01 'y = mean(p.x)'
held 20000.5 198885157.9362 1 'y = var(p.x)'
refuse 65 "values of the tables can be up to 2^70, and no scale holds more than 2^60" \
    "$HEBATCH" params suggest 'y = 2 * a' --scheme ckks --rows 2 --range a=0..1e21

# A loop for whose levels no chain is long enough: what is missing is said, and not that it takes none.
printf 'a,b\n0.5,-0.25\n-1,0.75\n' >loop.csv
printf 't\n1\n0\n' >truth.csv
loop='w = mean((y - 0.5)*x); repeat 10 { e = y - sigmoid(rowsum(w*x), -4, 4); w = w + mean(e*x) }'
refuse 65 "no parameters of 128 bits of security hold w (character 73): more levels than any chain has, results up to 2^0" \
    "$HEBATCH" params suggest "$loop" --scheme ckks --table x=loop.csv,y=truth.csv --range w=-1..1,x=-1..1,y=0..1 \
    --precision 8 --noise expected

# A column of decimals whose range is the table's has ends that encrypt --range takes, beside a range that is given.
printf 'age,kg\n73,80.5\n54,71\n79,66.2\n' >decimals.csv
expect 0 "$HEBATCH" params suggest 's = sum(h.kg where h.age > 60)' --table h=decimals.csv --scale kg=10 --range h.age=0..120
says "--range .*kg\"\{0,1\}=66\.\.81"

# Totals are packed: parameters leave the bits that this takes, in as many primes.
question="g = groupby(h.ward, count(), mean(h.age), sum(h.kg where h.sex == 'f'))"
printf '%s\n' ward,sex,age,kg Surgery,f,73,80.5 Surgery,m,54,71 '"Heart, acute",f,79,66.2' Surgery,m,25,60 >hospital.csv
expect 0 "$HEBATCH" params suggest "$question" --table h=hospital.csv --category ward --category sex --scale kg=10 \
    --range h.age=0..120,h.kg=0..300
says "N 8192, 4 primes"
grep '^hebatch' out | sed "s|^hebatch|\"$HEBATCH\"|" >lines
rm -rf KEYS
sh ./lines >made 2>err || fail "the printed lines do not run"
expect 0 "$HEBATCH" info g.heb
says "^ciphertexts  1 of "

# Constants at the ends of 64 bits have exact ranges.
expect 0 "$HEBATCH" params suggest 's=sum(a.x + 9223372036854775807)' --rows 3 --range a.x=1..3
says "s: 27670116110564327424 .. 27670116110564327430"
expect 0 "$HEBATCH" params suggest 's=sum(a.x - 9223372036854775807)' --rows 3 --range a.x=1..3
says "s: -27670116110564327418 .. -27670116110564327412"
refuse 64 'or than 63 bits without it' "$HEBATCH" params suggest 's=sum(a.x + 9223372036854775808)' --rows 3 --range a.x=1..3
# A count that is the same whatever the cells are is a result like others.
expect 0 "$HEBATCH" params suggest 's=sum(a.x); r=count(a.x < -3)' --rows 3 --range a.x=1..3

# A constant, as the value that stands for missing cells, is another number modulo each of several plain moduli: the
# budget holds for all, and eval refuses parameters that do for the first alone before it computes with that.
(printf 'g,b\nx,9223372036854775807\ny,9223372036854775806\n' && yes z, | head -n 34) >gaps.csv
rm -rf KEYS ./*.heb ./*.heb.report.json r.csv
expect 0 "$HEBATCH" params suggest 'r = groupby(w.g, mean(w.b))' --table w=gaps.csv --missing mask --category g
says '^t  *2 plain moduli of 36 bits'
grep '^hebatch' out | sed "s|^hebatch|\"$HEBATCH\"|" >lines
sh ./lines >made 2>err || fail "the printed lines do not run"
printf 'g,mean(w.b)\nx,9.223372036854776e+18\ny,9.223372036854776e+18\nz,\n' >wanted
same wanted r.csv
rm -rf KEYS ./*.heb ./*.heb.report.json
expect 0 "$HEBATCH" keygen --n 8192 --bits 26,26,27,27,27,27,27,27 --wide 70 --plain-bits 36 --out KEYS \
    --for 'r = groupby(w.g, mean(w.b))'
expect 0 "$HEBATCH" encrypt --key KEYS/public.h5 gaps.csv w.heb --missing mask --category g --range measured
refuse 65 'no noise budget is left after groupby(w.g, mean(w.b))' \
    "$HEBATCH" eval --keys KEYS 'r = groupby(w.g, mean(w.b))' w=w.heb r=r.heb --dry-run

# A name within matrix() is a dataset on either side of @, of as many columns as the matrix has entries. W of W @ A is
# a plain table.
printf 'c1,c2,c3,c4,c5,c6\n1,2,3,4,5,6\n-1,0,1,2,3,4\n' >six.csv
printf 'w1,w2\n1,2\n3,4\n' >w.csv
for text in 'C = matrix(a, 2, 3) @ matrix(b, 3, 2)' 'C = transpose(matrix(a, 2, 3)) @ matrix(b, 2, 3)' \
    'X = matrix(a, 2, 3); Y = X + matrix(b, 2, 3); C = X @ transpose(Y)'; do
    for options in "" "--scheme ckks" "--scheme ckks --block 16"; do
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" params suggest "$text" --table a=six.csv,b=six.csv $options
        says '^hebatch encrypt .* six.csv a.heb '
        says '^hebatch eval .* a=a.heb b=b.heb '
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" params suggest "$text" --rows 2 --range a=-1..6,b=-1..6 $options
        says '^hebatch eval .* a=a.heb b=b.heb '
    done
    expect 0 "$HEBATCH" ask "$text" a=six.csv b=six.csv --rows-match --dir none --dry-run
done
expect 0 "$HEBATCH" params suggest 'C = w @ matrix(a, 2, 3)' --table a=six.csv,w=w.csv
says '^hebatch eval .* w=w.csv '
refuse 64 "w has weights, whose values are needed" \
    "$HEBATCH" params suggest 'C = w @ matrix(a, 2, 3)' --rows 2 --range a=-1..6

# A user who asks for it, by SIGUSR1, is told how far the search is, even with --quiet.
"$HEBATCH" params suggest --scheme ckks 'u = sigmoid(x); v = sigmoid(u*u); y = sigmoid(v*u)' --rows 1000 --range x=-1..1 \
    --quiet >out 2>err &
asked=$!
until grep -q 'SigCgt:.*[2367abef]..$' /proc/$asked/status; do
    kill -0 $asked || fail "the search ended before it was asked"
    sleep 0.01
done
kill -USR1 $asked
wait $asked || fail "a search that is asked how far it is fails"
complains '^hebatch: trying parameters: [0-9]* tried$'
