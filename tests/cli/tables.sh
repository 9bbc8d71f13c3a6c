#!/bin/sh
# Tables that cannot be encrypted: one line that names file, row and column; nothing is left.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
t=$("$HEBATCH" info --json keys/public.h5 | "$PYTHON" -c 'import json,sys; print(json.load(sys.stdin)["params"]["plain"])')

# reject CODE WORDS TABLE
reject() {
    refuse "$1" "$2" "$HEBATCH" encrypt --key keys/public.h5 "$3" out.heb
    absent out.heb out.heb.partial
}

printf 'a,b\n1,2\n3,%s\n' "$t" >large.csv
reject 65 "row 2.*column 2\|row 2.*b" large.csv
printf 'a,b\n1,2\n-%s,4\n' "$t" >small.csv
reject 65 "row 2.*column 1\|row 2.*a" small.csv
# The range of a signed column is narrower: t / 2 fits an unsigned column only.
printf 'a\n%s\n' $((t - 1)) >unsigned.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 unsigned.csv unsigned.heb
printf 'a\n%s\n-1\n' $((t - 1)) >signed.csv
reject 65 "row 1" signed.csv

printf 'a,b\n1,2\n3,4.5\n' >float.csv
reject 65 "row 2" float.csv
printf 'a,b\n1,2\n3,\n' >empty-field.csv
reject 65 "row 2" empty-field.csv
printf 'a,b\n1,2\n3\n' >ragged.csv
reject 65 "row 2" ragged.csv
printf 'a,b\n1,2\n3,99999999999999999999\n' >wide.csv
reject 65 "row 2" wide.csv
: >nothing.csv
reject 65 "nothing.csv" nothing.csv
h5table t.h5 /floats 'np.ones((3, 2))'
h5table t.h5 /cube 'np.ones((3, 2, 2), dtype="i4")'
h5table t.h5 /large 'np.array([[1, 2], [3, 2**40]])'
reject 65 "floats" t.h5:/floats
reject 65 "cube" t.h5:/cube
reject 65 "row 2.*column 2\|row 2" t.h5:/large
reject 66 "missing" t.h5:/missing
reject 66 "absent.h5" absent.h5:/x
reject 66 "absent.csv" absent.csv
reject 64 "table.txt" table.txt
echo "no HDF5" >fake.h5
reject 65 "fake.h5" fake.h5:/x

printf 'a\n1\n' >good.csv
refuse 66 "nokey.h5" "$HEBATCH" encrypt --key nokey.h5 good.csv out.heb
refuse 64 "key" "$HEBATCH" encrypt good.csv out.heb
refuse 73 "missing" "$HEBATCH" encrypt --key keys/public.h5 good.csv missing/out.heb
refuse 73 "good.csv" "$HEBATCH" encrypt --key keys/public.h5 good.csv good.csv/out.heb
absent out.heb out.heb.partial missing

# Slots need a t that is prime and = 1 mod 2N. 65539 is prime only; 65535 is neither.
for plain in 65539 65535; do
    expect 0 "$HEBATCH" keygen --n 2048 --bits 54 --plain $plain --out keys-$plain
    refuse 78 "$plain" "$HEBATCH" encrypt --key keys-$plain/public.h5 good.csv out.heb
    absent out.heb out.heb.partial
done

# A disk that is full midway: 100 ciphertexts do not fit 256 KiB.
table 204800 1 30000 >many.csv
(
    trap '' XFSZ
    ulimit -f 512 # blocks of 512 bytes
    refuse 74 "out.heb" "$HEBATCH" encrypt --key keys/public.h5 many.csv out.heb
) || exit 1
absent out.heb
