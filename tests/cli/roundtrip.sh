#!/bin/sh
# The main job: tables of both kinds, both keys, both packings, and back; info, verify, dry runs, overwriting.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
secret=keys/secret.h5 public=keys/public.h5

table 2049 3 30000 >in.csv # one row more than a ciphertext of N = 2048 holds
for key in secret public; do
    for pack in rows columns; do
        expect 0 "$HEBATCH" encrypt --key keys/$key.h5 --pack $pack in.csv $key-$pack.heb
        [ -f $key-$pack.heb.report.json ] || fail "no report beside the dataset"
        "$PYTHON" -m json.tool $key-$pack.heb.report.json >/dev/null || fail "the report is no JSON"
        expect 0 "$HEBATCH" decrypt --key $secret $key-$pack.heb $key-$pack.csv
        same in.csv $key-$pack.csv
        [ "$(stat -c %a $key-$pack.csv)" = 600 ] || fail "decrypted data is open to others"
        "$PYTHON" -m json.tool $key-$pack.csv.report.json >/dev/null || fail "no report of the decryption"
    done
done
expect 0 "$HEBATCH" info secret-rows.heb
says "2049 rows x 3 columns"
says "secret key"
expect 0 "$HEBATCH" info --json public-columns.heb
"$PYTHON" -m json.tool out >/dev/null || fail "info --json is no JSON"
expect 0 "$HEBATCH" info secret-rows.heb/part-00000.h5

expect 0 "$HEBATCH" verify secret-rows.heb
expect 0 "$HEBATCH" verify secret-rows.heb --key $secret --against in.csv
expect 0 "$HEBATCH" verify secret-rows.heb --same-as secret-rows.heb
expect 1 "$HEBATCH" verify secret-rows.heb --same-as public-rows.heb
sed '7s/^[0-9]*/12345/' in.csv >changed.csv
expect 1 "$HEBATCH" verify secret-rows.heb --key $secret --against changed.csv

# HDF5: shape, type, byte order and sign come back.
h5table in.h5 /signed 'np.arange(-3000, 3000, dtype="i2").reshape(1500, 4)'
h5table in.h5 /deep/big 'np.arange(5000, dtype=">u4")'
h5table in.h5 /bytes '(np.arange(100) % 200).astype("u1").reshape(100, 1)'
for name in signed deep/big bytes; do
    expect 0 "$HEBATCH" encrypt --key $secret "in.h5:/$name" "h5-${name##*/}.heb"
    expect 0 "$HEBATCH" decrypt --key $secret "h5-${name##*/}.heb" "out-${name##*/}.h5:/$name"
    "$PYTHON" - "$name" "out-${name##*/}.h5" <<'PYTHON' || fail "in.h5:/$name came back changed"
import sys, h5py, numpy as np
a, b = (h5py.File(f)[sys.argv[1]] for f in ("in.h5", sys.argv[2]))
assert a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a[()], b[()]), (a, b)
PYTHON
done

[ -f out-big.h5.report.json ] || fail "the report of a table in HDF5 stands beside the file"

# The sums of OTHER may be right while its rows are not.
cp -r secret-columns.heb damaged.heb
expect 0 "$HEBATCH" verify secret-columns.heb --same-as damaged.heb
flip damaged.heb/part-00000.h5 -20000
refuse 65 "damaged.heb" "$HEBATCH" verify secret-columns.heb --same-as damaged.heb

# Names of files that are no UTF-8 do not break a report; names of columns are UTF-8 and come back as they are.
latin=$(printf 'caf\351-\303\251') # the second one is UTF-8
{ printf 'caf\303\251,b\n' && echo 1,2; } >"$latin.csv"
expect 0 "$HEBATCH" encrypt --json --key $secret "$latin.csv" "$latin.heb"
"$PYTHON" -m json.tool out >/dev/null || fail "encrypt --json is no JSON"
expect 0 "$HEBATCH" info --json "$latin.heb"
"$PYTHON" -m json.tool out >/dev/null || fail "info --json is no JSON"
says "$(printf '"file": "caf?-\303\251.heb"')"
says "$(printf '"name": "caf\303\251"')"
expect 0 "$HEBATCH" decrypt --key $secret "$latin.heb" "$latin.out.csv"
same "$latin.csv" "$latin.out.csv"

# Plans only: nothing is made.
expect 0 "$HEBATCH" encrypt --key $public in.csv planned.heb --dry-run
[ -s out ] || fail "no plan on stdout"
absent planned.heb planned.heb.partial planned.heb.report.json

# Never over what is there, unless told to.
refuse 73 "secret-rows.heb" "$HEBATCH" encrypt --key $secret in.csv secret-rows.heb
expect 0 "$HEBATCH" verify secret-rows.heb --key $secret --against in.csv
refuse 73 "in.csv" "$HEBATCH" decrypt --key $secret secret-rows.heb in.csv
expect 0 "$HEBATCH" encrypt --key $secret in.csv secret-rows.heb --dry-run
says "^output       secret-rows.heb: exists already; use --force to replace it"
expect 0 "$HEBATCH" decrypt --key $secret secret-rows.heb in.csv --dry-run
says "^output       in.csv: exists already; use --force to replace the whole file"
refuse 73 "part of a dataset" "$HEBATCH" decrypt --dry-run --key $secret secret-columns.heb secret-rows.heb/index.h5:/x
expect 0 "$HEBATCH" encrypt --key $secret changed.csv secret-rows.heb --force
expect 0 "$HEBATCH" verify secret-rows.heb --key $secret --against changed.csv

# A table replaces tables only, and a report replaces reports only: a key is never replaced.
cp -p keys/secret.h5 copy.h5
refuse 73 "key file" "$HEBATCH" decrypt --force --key $secret secret-columns.heb copy.h5:/x
same keys/secret.h5 copy.h5
refuse 73 "part of a dataset" "$HEBATCH" decrypt --force --key $secret secret-columns.heb secret-rows.heb/index.h5:/x
echo mine >mine.heb.report.json
refuse 73 "no report of hebatch" "$HEBATCH" encrypt --key $secret in.csv mine.heb
[ "$(cat mine.heb.report.json)" = mine ] || fail "a file that is no report was replaced"
absent mine.heb mine.heb.partial

# Closed streams: log and results go nowhere, least of all into an output.
code=0
"$HEBATCH" decrypt --key $secret secret-columns.heb closed.csv 2>&- >&- <&- || code=$?
[ "$code" = 74 ] || fail "closed streams: $code" # the table is there, but nobody was told of it
same in.csv closed.csv

# Another job is writing the same table.
exec 9>busy.csv.partial.raw
flock -n 9 || fail "cannot lock"
refuse 73 "another job is writing it" "$HEBATCH" decrypt --force --key $secret secret-columns.heb busy.csv
exec 9>&-
rm busy.csv.partial.raw

# A file that may not grow is an error like a full disk.
(ulimit -f 20 && exec "$HEBATCH" encrypt --quiet --key $secret in.csv limited.heb) 2>err
[ $? = 74 ] || fail "a limit of file sizes is not an I/O error"
