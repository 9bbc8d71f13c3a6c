#!/bin/sh
# Datasets that are damaged, incomplete or something else: refused with the place, nothing left behind.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/harness.sh"
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys
table 5000 2 30000 >in.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 in.csv good.heb

# Both commands that read it must refuse. reject CODE WORDS
reject() {
    refuse "$1" "$2" "$HEBATCH" decrypt --key keys/secret.h5 bad.heb out.csv
    absent out.csv out.csv.partial
    refuse "$1" "$2" "$HEBATCH" verify bad.heb
}

fresh() {
    rm -rf bad.heb
    cp -r good.heb bad.heb
}

size=$(stat -c %s good.heb/part-00000.h5)
for offset in 0 9 $((size / 4)) $((size / 2)) $((3 * size / 4)); do
    fresh
    flip bad.heb/part-00000.h5 "$offset"
    reject 65 "part-00000.h5"
done
for length in 0 1 1000 $((size / 2)) $((size - 1)); do
    fresh
    truncate -s "$length" bad.heb/part-00000.h5
    reject 65 "part-00000.h5"
done
fresh
rm bad.heb/part-00000.h5
reject 66 "part-00000.h5"
fresh
rm bad.heb/index.h5
reject 66 "index.h5"
for offset in 9 300; do # farther on there are bytes that HDF5 leaves unused
    fresh
    flip bad.heb/index.h5 $offset
    reject 65 "index.h5"
done

# A shard of another dataset, whole and valid on its own.
expect 0 "$HEBATCH" encrypt --key keys/public.h5 in.csv other.heb
fresh
cp other.heb/part-00000.h5 bad.heb/part-00000.h5
reject 65 "part-00000.h5"

# Sums that hold, and residues that are not below their prime: no ciphertexts.
fresh
"$PYTHON" "$forge" residues bad.heb || fail "could not forge"
last=$(ls bad.heb/part-*.h5 | tail -n 1)
reject 65 "${last##*/}: ciphertexts .* (unit [0-9]*) have residues that are not below their prime"
refuse 65 "not below their prime" "$HEBATCH" verify bad.heb --key keys/secret.h5 --against in.csv

rm -rf bad.heb
reject 66 "bad.heb"
mkdir bad.heb
reject 66 "bad.heb"
cp in.csv text.heb
refuse 65 "text.heb: is neither a key file nor" "$HEBATCH" info text.heb
h5table table.h5 /x 'np.arange(3)'
refuse 65 "table.h5: is an HDF5 file, but not one that hebatch wrote" "$HEBATCH" info table.h5
head -c 3000 keys/secret.h5 >cut.h5
refuse 65 "cut.h5: .*damaged or cut short" "$HEBATCH" info cut.h5
