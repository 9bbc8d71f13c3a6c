#!/bin/sh
# key_damage.sh RANKS: key files for computing that are damaged, or forged with a checksum that holds, are refused with
# their name: rows, whichever of the ranks that share limbs holds them; and counts, lengths and versions that do not fit
# the rest of the file.
# shellcheck source=tests/ranks/launch.sh
. "${0%/*}/launch.sh"
all=$1
text='y = rotate(a, 1) + a * a'
expect 0 "$HEBATCH" keygen --n 1024 --bits 40,40,40,40,41 --plain 65537 --insecure --out keys --for "$text"
table 100 1 50 >t.csv
expect 0 "$HEBATCH" encrypt --key keys/public.h5 t.csv a.heb
compute() {
    if [ "$all" = 1 ]; then
        expect "$1" "$HEBATCH" eval --keys keys --wrap "$text" a=a.heb y=y.heb --force --quiet
    else
        launch "$1" "$all" "$all" eval --keys keys --wrap "$text" a=a.heb y=y.heb --force
    fi
}
# damaged NAME WORDS: the job is refused with these words about the file, once; then the file is mended.
damaged() {
    compute 65
    grep -q "^hebatch eval: .*$1: .*$2" err || fail "the reason does not say '$2' about $1"
    [ "$(grep -c "^hebatch eval: " err)" = 1 ] || fail "not one reason"
    cp "kept/${1##*/}" "$1"
}
forge() {
    "$PYTHON" "$forge" "$@" || fail "could not forge: $*"
}

compute 0
cp -R keys kept
names="$(find keys -name "galois-*.h5" | sort | head -n 1) keys/relin.h5"
for row in 0 1 2 3 4; do # of five primes: each rank holds some; each file has its turn
    # shellcheck disable=SC2086
    set -- $names
    [ $((row % 2)) = 0 ] && name=$1 || name=$2
    part=$((row % 4))
    forge row "$name" digest $part $row
    damaged "$name" "does not match its checksum: the file is damaged"
    [ "$row" -lt 3 ] || continue # each rank has had its turn
    forge row "$name" residue $part $row
    damaged "$name" "part $part of the key has 1 residues that are not below their prime"
done
forge row "$name" swap 2 1
damaged "$name" "does not match its checksum: the file is damaged"
forge without "$name" row_sums
damaged "$name" "does not match its checksum: the file is damaged"
truncate -s -1 "$name"
damaged "$name" "it is damaged or cut short"

# headers NAME: what is refused before rows are read is refused by every rank alike: one is enough here.
headers() {
    for dataset in seed row_sums b; do
        forge count "$1" $dataset
        damaged "$1" "dataset '$dataset' has another type or shape than the header says"
    done
    for dataset in seed b; do
        forge without "$1" $dataset
        damaged "$1" "'$dataset'"
    done
    for version in 1 2 3 4; do # the checksum is over the version that the parts are of
        forge number "$1" version $version
        damaged "$1" "says that it is of version $version, and has the parts of version 5: it is damaged"
    done
    forge number "$1" version 6
    damaged "$1" "version 6"
    forge number "$1" limbs 4
    damaged "$1" "limbs 4 are no level below the highest"
    forge number "$1" limbs 3
    damaged "$1" "has another type or shape than the header says"
    for bytes in 1000 30000; do
        truncate -s "-$bytes" "$1"
        damaged "$1" "it is damaged or cut short"
    done
    truncate -s 0 "$1"
    damaged "$1" "no HDF5 file"
}
[ "$all" -gt 1 ] || for name in $names; do headers "$name"; done
compute 0

# Older files of the same keys are read; what they say of their version has to be right as well.
for name in $names; do
    forge older "$name"
done
compute 0
forge number "$name" version 4
damaged "$name" "says that it is of version 4, and has the parts of version [1-3]: it is damaged"
compute 0
