#!/bin/sh
# text.sh RANKS: a CSV that RANKS ranks write is byte for byte that of one, and each of them makes its share of the text;
# what fails on one rank ends all, and leaves nothing.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
ranks=$1
"$PYTHON" - >in.csv <<'END'
labels = ["a rather long label", '"violet, lighter still"', '"they say ""so"" loudly"', "x"]
print('id,colour,day,dose,"a ""b"""')
for r in range(60000):
    dose = "" if r % 13 == 0 else "%d" % (r % 900) if r % 10 == 0 else "%d.%d" % (r % 900, r % 10)
    print("%d,%s,%04d-%02d-%02d,%s,%d" % (r % 30000, labels[r * 7 % 11 % 4], 1970 + r % 60, 1 + r % 12, 1 + r % 28, dose,
                                          (r % 100 > 0) * (r % 7777)))
END
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
expect 0 "$HEBATCH" encrypt --key keys/public.h5 in.csv t.heb --category colour --scale dose=10 --missing dose=mask --quiet

# launch OPTIONS...: decrypts on all ranks.
launch() {
    # shellcheck disable=SC2086
    $MPIRUN -n "$ranks" "$HEBATCH" decrypt --key keys/secret.h5 --quiet --force "$@"
}

# shared RANKS: each of them has made its share of the text, which is what no clock has to say.
shared() {
    "$PYTHON" - "$1" <<'END' || fail "the ranks do not share the text"
import json, os, sys
ranks, text = int(sys.argv[1]), json.load(open("back.csv.report.json"))["text"]
size = os.path.getsize("back.csv")
print(text, size)
assert text["bytes"] == size
assert size / ranks <= text["most_of_a_rank"] < size / ranks * 1.1 + 1000, (text, size)
END
}

expect 0 launch t.heb back.csv
same in.csv back.csv
absent back.csv.partial back.csv.partial.raw
shared "$ranks"

for options in "--rows 123..50000 --columns day,colour" "--rows 60000" "--columns dose"; do
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" decrypt --key keys/secret.h5 --quiet --force $options t.heb alone.csv
    # shellcheck disable=SC2086
    expect 0 launch $options t.heb back.csv
    same alone.csv back.csv
done
if [ "$ranks" = 4 ]; then # two groups of two: the first rank of each writes
    # shellcheck disable=SC2086
    expect 0 "$HEBATCH" keygen $CHAIN --out chain
    expect 0 "$HEBATCH" encrypt --key chain/public.h5 in.csv c.heb --columns id,day --quiet
    expect 0 "$HEBATCH" decrypt --key chain/secret.h5 --quiet --force c.heb alone.csv
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n 4 "$HEBATCH" decrypt --key chain/secret.h5 --limb-ranks 2 --quiet --force c.heb back.csv
    same alone.csv back.csv
    shared 2
fi
# HDF5, where missing cells make doubles of all.
for output in alone.h5 back.h5; do
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$([ $output = alone.h5 ] && echo 1 || echo "$ranks")" "$HEBATCH" decrypt --key keys/secret.h5 \
        --quiet --force --columns id,day,dose t.heb "$output:/t"
done
same alone.h5 back.h5
# Integers of several plain moduli: each rank joins the residues of its rows.
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen --n 1024 --bits 55,55,56 --plain-bits 50 --insecure --wide 100 --out wide --quiet
"$PYTHON" -c 'print("a,b")
for r in range(9000):
    print("%d,%d" % ((-1) ** r * r ** 7, r))' >wide.csv
expect 0 "$HEBATCH" encrypt --key wide/public.h5 wide.csv w.heb --quiet
for options in "" "--rows 500..8000 --columns b,a"; do
    for output in alone.csv alone.h5:/t; do
        # shellcheck disable=SC2086
        expect 0 "$HEBATCH" decrypt --key wide/secret.h5 --quiet --force $options w.heb $output
        # shellcheck disable=SC2086
        expect 0 $MPIRUN -n "$ranks" "$HEBATCH" decrypt --key wide/secret.h5 --quiet --force $options w.heb \
            "ranks${output#alone}"
        same "${output%:/t}" "ranks$(echo "${output#alone}" | sed 's,:/t,,')"
    done
    [ -n "$options" ] || same wide.csv ranks.csv
done
[ -z "$(find . -name '*.partial*' -o -name '*.residue-*')" ] || fail "something is left"
[ "$ranks" -gt 1 ] || exit 0

# The last rank may not write behind 1.2 MB, as on a full disk: the scratch file is shorter, the text is longer.
rm -f back.csv back.csv.report.json
code=0
# shellcheck disable=SC2086,SC2016
$MPIRUN -n $((ranks - 1)) "$HEBATCH" decrypt --key keys/secret.h5 --quiet --columns colour,day t.heb back.csv : \
    -n 1 sh -c 'trap "" XFSZ; ulimit -f 2344; exec "$@"' sh \
    "$HEBATCH" decrypt --key keys/secret.h5 --quiet --columns colour,day t.heb back.csv >out 2>err || code=$?
[ "$code" = 74 ] || fail "exit code $code, not 74, of a rank that cannot write"
complains "rank $((ranks - 1)) on .*: back.csv.partial: cannot write: File too large"
absent back.csv back.csv.partial back.csv.partial.raw
