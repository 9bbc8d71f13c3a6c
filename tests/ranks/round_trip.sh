#!/bin/sh
# round_trip.sh RANKS: tables to ciphertexts and back on RANKS ranks, at the sizes where shares, units and ciphertexts
# end, which three ranks have all. With the test seed the bytes do not depend on the ranks; the table that comes back is the one that went in.
# shellcheck source=tests/cli/harness.sh
. "${0%/*}/../cli/harness.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks=$1
seed=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
# shellcheck disable=SC2086
expect 0 "$HEBATCH" keygen $SMALL --out keys # N = 2048

launch() {
    # shellcheck disable=SC2086
    expect 0 $MPIRUN -n "$ranks" "$HEBATCH" "$@" --quiet
}

# signed ROWS: one signed and one unsigned column.
signed() {
    awk -v rows="$1" 'BEGIN {
        print "balance,age"
        for (r = 0; r < rows; r++) printf "%d,%d\n", (7919 * r) % 20000 - 10000, r % 100
    }'
}

# trip NAME KEY OPTIONS...: NAME.csv, alone and on all ranks.
trip() {
    name=$1 key=$2
    shift 2
    rm -rf alone.heb ranks.heb back.csv
    expect 0 "$HEBATCH" encrypt --quiet --key "keys/$key.h5" --insecure-test-seed $seed "$name.csv" alone.heb "$@"
    launch encrypt --key "keys/$key.h5" --insecure-test-seed $seed "$name.csv" ranks.heb "$@"
    launch verify ranks.heb --same-as alone.heb --key keys/secret.h5 --against "$name.csv"
    launch decrypt --key keys/secret.h5 ranks.heb back.csv
    same "$name.csv" back.csv
    absent ranks.heb.partial back.csv.partial
}

sizes="0 1 2047 2048 2049"
[ "$ranks" = 3 ] || sizes=2049
for rows in $sizes; do
    table $rows 1 30000 >one.csv
    trip one secret
done
signed 9000 >signed.csv
trip signed secret --pack rows --errors binomial
trip signed public --pack columns
trip signed public --range measured
table 130 70 30000 >wide.csv # 70 ciphertexts of columns: units of more than one; by rows 29 rows to a ciphertext
trip wide public --pack rows --encoding coefficients
trip wide secret --pack columns
shards=$(find ranks.heb -name 'part-*.h5' | wc -l)
[ "$shards" = "$ranks" ] || fail "$shards shards from $ranks ranks"

# Another seed, other bytes; without one, other bytes each time.
rm -rf ranks.heb
launch encrypt --key keys/secret.h5 wide.csv ranks.heb
# shellcheck disable=SC2086
expect 1 $MPIRUN -n "$ranks" "$HEBATCH" verify ranks.heb --same-as alone.heb
grep -q "differ first in unit 0" err || fail "the first unit that differs is not named"

# The first difference of all ranks, not of the first rank to find one.
sed '131s/,[0-9]*$/,1/; 100s/^[0-9]*,[0-9]*,/0,0,/' wide.csv >changed.csv
# shellcheck disable=SC2086
expect 1 $MPIRUN -n "$ranks" "$HEBATCH" verify ranks.heb --key keys/secret.h5 --against changed.csv
grep -q "row 99, column 'c1'" err || fail "the first cell that differs is not named"
