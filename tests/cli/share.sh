#!/bin/sh
# decrypt --share: noise hides the errors of results that are shown, values are rounded to what it leaves, and a key shows
# no more results than were promised.
. "$(dirname "$0")/harness.sh"

# A scale of 2^48 has bits to spare; that of presets has not.
expect 0 "$HEBATCH" keygen --n 8192 --scale-bits 48 --levels 1 --out keys
expect 0 "$HEBATCH" keygen --params ckks-13 --out preset
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out integers
key=keys/secret.h5
awk 'BEGIN { srand(3); print "a,b"; for (i = 0; i < 5000; i++) printf "%.6f,%.6f\n", 2 * rand() - 1, 2 * rand() - 1 }' >t.csv
expect 0 "$HEBATCH" encrypt --key $key t.csv t.heb # 4 ciphertexts

# apart TABLE BITS: its cells are multiples of 2^-BITS, near those of t.csv, and not the nearest.
apart() {
    "$PYTHON" - "$@" <<'PYTHON' || fail "$1 is not as --share makes it"
import csv, sys
one, two = ([line for line in csv.reader(open(name))] for name in ("t.csv", sys.argv[1]))
step = 2.0 ** -int(sys.argv[2])
cells = [(float(x), float(y)) for a, b in zip(one[1:], two[1:]) for x, y in zip(a, b)]
off = [y - round(x / step) * step for x, y in cells]
assert len(cells) == 10000 and all(y / step == round(y / step) for _, y in cells)
assert all(abs(x - y) < 2 * step for x, y in cells)
assert 100 < sum(d != 0 for d in off) < 9000
PYTHON
}

expect 0 "$HEBATCH" decrypt --key $key --share 10 t.heb s.csv
says "^shared  *noise hides errors; values are rounded to 2^-10; 4 of 10 results are shown under this key$"
grep -q "precision" out && fail "a precision was measured"
grep -q "keep these" err && fail "a warning is left"
grep -q '"precision_bits"' s.csv.report.json && fail "a precision was measured"
grep -q '"promised": 10' s.csv.report.json || fail "the report does not say what was promised"
apart s.csv 10
[ "$(stat -c %a $key.shared.json)" = 600 ] || fail "the count is not private"

# The same again is other noise, and more results; a dry run shows none.
expect 0 "$HEBATCH" decrypt --key $key --share 10 --dry-run t.heb u.csv
expect 0 "$HEBATCH" decrypt --key $key --share 10 t.heb u.csv
says "8 of 10 results"
cmp -s s.csv u.csv && fail "two runs drew the same noise"
refuse 65 "4 results more, of 10 promised" "$HEBATCH" decrypt --key $key --share 10 t.heb v.csv
refuse 65 "4 results more, of 10 promised" "$HEBATCH" decrypt --key $key --share 10 --dry-run t.heb v.csv
absent v.csv
# A fifth of the key is left, 4 of 100 are less; on ranks, and ranks that share limbs.
for ranks in "" "--limb-ranks 2"; do
    # Open MPI loses memory in components that it has unloaded by then: no name is left to suppress it by.
    # shellcheck disable=SC2086
    ASAN_OPTIONS=detect_leaks=0 expect 0 $MPIRUN -n 2 "$HEBATCH" decrypt --force --key $key --share 100 $ranks t.heb v.csv
    apart v.csv 8
done
grep -q '"results": 16' $key.shared.json || fail "not all results are counted"

# Ciphertexts that nobody encrypted are told from results here as well.
cp -r t.heb forged.heb
mkdir other && cp $key other/
"$PYTHON" "$forge" noise forged.heb
refuse 65 "the value is outside -1..1, where the dataset says that all are" \
    "$HEBATCH" decrypt --key other/secret.h5 --share 10 forged.heb never.csv
absent never.csv

# Without --share nothing is counted, and nothing rounded.
expect 0 "$HEBATCH" decrypt --key $key t.heb w.csv
says "^precision .* bits by the measured noise"
grep -q '"results": 16' $key.shared.json || fail "results were counted that are not shown"

# Counts for another key, and texts that are no count.
cp $key.shared.json count
sed 's/"key_id": "./"key_id": "x/' count >$key.shared.json
refuse 65 "counts the results of key x" "$HEBATCH" decrypt --key $key --share 100 t.heb x.csv
for text in '{}' '[1' '{"key_id": "a", "results": -1, "spent": 0}' '{"key_id": "a", "results": 1, "spent": -1}'; do
    echo "$text" >$key.shared.json
    refuse 65 "does not count the results" "$HEBATCH" decrypt --key $key --share 100 t.heb x.csv
done
mv count $key.shared.json

# Too little would be left; promises of nothing; exact results; errors that nobody has proven.
refuse 65 "bits more of scale, .* leave the 8 bits of precision that are needed" "$HEBATCH" decrypt --key $key --share 100000 t.heb x.csv
expect 0 "$HEBATCH" encrypt --key preset/public.h5 t.csv p.heb
refuse 65 "bits more of scale, .* leave the 8 bits of precision that are needed" "$HEBATCH" decrypt --key preset/secret.h5 --share 4 p.heb x.csv
refuse 64 "share" "$HEBATCH" decrypt --key $key --share 0 t.heb x.csv
printf 'a\n1\n2\n' >i.csv
expect 0 "$HEBATCH" encrypt --key integers/secret.h5 i.csv i.heb
refuse 64 "results of BFV are exact" "$HEBATCH" decrypt --key integers/secret.h5 --share 1 i.heb x.csv
absent x.csv

# Exact results are only where noise is proven to make none wrong: else that is said.
expect 0 "$HEBATCH" keygen --params bfv-4096 --out exact --for 'y = x * x'
expect 0 "$HEBATCH" encrypt --key exact/public.h5 i.csv i4.heb
refuse 65 "no noise budget is left" "$HEBATCH" eval --keys exact --wrap 'y = x * x' x=i4.heb y=y.heb
expect 0 "$HEBATCH" eval --keys exact --wrap 'z = x + x' x=i4.heb z=z.heb
expect 0 "$HEBATCH" decrypt --quiet --key exact/secret.h5 z.heb z.csv
grep -q "keep these" err && fail "proven results are said to be none"
expect 0 "$HEBATCH" eval --keys exact --wrap --noise expected 'y = x * x' x=i4.heb y=y.heb
expect 0 "$HEBATCH" decrypt --quiet --key exact/secret.h5 y.heb y.csv
complains "keep these values from .* is expected and not proven, and a wrong one tells of the secret key"
